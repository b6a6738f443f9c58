package result

// A Bound says how far a flagged condition can have moved a figure: without it, the figure would lie between the first
// and the second number times what was measured.
type Bound [2]float64

// Lo is the least that the measured figure is to be multiplied by.
func (b Bound) Lo() float64 { return b[0] }

// Hi is the most.
func (b Bound) Hi() float64 { return b[1] }

// And is the bound of two conditions that both hold.
func (b Bound) And(other Bound) Bound { return Bound{b[0] * other[0], b[1] * other[1]} }
