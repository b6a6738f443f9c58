package pg

import (
	"math/rand/v2"

	"github.com/grafana/sobek"
)

// seed is pg.seed(number): from here on the VU's Math.random() draws the numbers that belong to that seed, or others
// each time for 0. k6's randomSeed does the same with a generator of 5 KB, of which thousands of VUs need one each.
func (i *instance) seed(call sobek.FunctionCall) sobek.Value {
	first, second := uint64(call.Argument(0).ToInteger()), uint64(0)
	if first == 0 {
		first, second = rand.Uint64(), rand.Uint64()
	}
	i.vu.Runtime().SetRandSource(rand.New(rand.NewPCG(first, second)).Float64)
	return sobek.Undefined()
}
