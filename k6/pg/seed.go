package pg

import (
	"math/rand/v2"

	"github.com/grafana/sobek"
)

// seed is pg.seed(number): from here on the VU's Math.random() draws the numbers that belong to that seed, or others
// each time for 0. k6's randomSeed does the same with a generator of 5 KB, of which thousands of VUs need one each.
func (i *instance) seed(call sobek.FunctionCall) sobek.Value {
	i.vu.Runtime().SetRandSource(seeded(uint64(call.Argument(0).ToInteger())).Float64)
	return sobek.Undefined()
}

// seeded returns a generator of the numbers that belong to the seed, or of others each time for 0.
func seeded(seed uint64) *rand.Rand {
	if seed == 0 {
		return rand.New(rand.NewPCG(rand.Uint64(), rand.Uint64()))
	}
	return rand.New(rand.NewPCG(seed, 0))
}
