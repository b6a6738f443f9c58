package pgbench

// Jain returns Jain's fairness index of what each of n clients got:
//
//	(x1 + ... + xn)² / (n (x1² + ... + xn²))
//
// It is 1 where all got the same, and k/n where k of them shared everything equally. 0 where nobody got anything.
// Source: R. Jain, D. Chiu, W. Hawe, 'A Quantitative Measure of Fairness and Discrimination for Resource Allocation in
// Shared Computer Systems', DEC Research Report TR-301, 1984.
func Jain(shares []float64) float64 {
	var sum, squares float64
	for _, x := range shares {
		sum += x
		squares += x * x
	}
	if squares == 0 {
		return 0
	}
	return sum * sum / (float64(len(shares)) * squares)
}
