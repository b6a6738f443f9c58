package lesson

import (
	"math/rand/v2"
	"slices"
)

// Blocks returns the order of a run: for each block its trials, and for each of these the indexes into cells of those
// that run in it: one, or all of an experiment with events. A block is one repeat of every cell that has repeats left;
// shuffling spreads whatever drifts on the machine over all paths alike. Pairs aren't among them: they come before.
// The same seed and cells give the same order.
func Blocks(cells []Cell, seed uint64) [][][]int {
	var blocks [][][]int
	random := rand.New(rand.NewPCG(seed, 0))
	for block := 1; ; block++ {
		var order [][]int
		for i, c := range cells {
			if c.Wanted-c.Paired < block {
				continue
			}
			with := slices.IndexFunc(order, func(trial []int) bool {
				return len(c.Events) > 0 && cells[trial[0]].Experiment == c.Experiment
			})
			if with >= 0 {
				order[with] = append(order[with], i)
			} else {
				order = append(order, []int{i})
			}
		}
		if len(order) == 0 {
			return blocks
		}
		random.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		blocks = append(blocks, order)
	}
}
