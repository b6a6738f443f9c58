package lesson

import "math/rand/v2"

// Blocks returns the order of a run: for each block the indexes into cells of those that repeat in it, shuffled.
// A block is one repeat of every cell; shuffling spreads whatever drifts on the machine over all paths alike.
// Pairs aren't among them: they come before.
// The same seed and cells give the same order.
func Blocks(cells []Cell, seed uint64) [][]int {
	var blocks [][]int
	random := rand.New(rand.NewPCG(seed, 0))
	for block := 1; ; block++ {
		var order []int
		for i, c := range cells {
			if c.Wanted-c.Paired >= block {
				order = append(order, i)
			}
		}
		if len(order) == 0 {
			return blocks
		}
		random.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		blocks = append(blocks, order)
	}
}
