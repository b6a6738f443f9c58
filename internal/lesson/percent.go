package lesson

import (
	"fmt"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"
)

// A Percent is a share of 1. Plans and the command line write it in percent: "5 %".
type Percent float64

// The narrowest and the widest precision that can be asked for, in percent: a machine hardly gets below the one, and
// beyond the other an interval says little. The schema has the same.
const (
	leastPercent = 0.1
	mostPercent  = 50
)

// String is the percent as plans write it: "5 %", "2.5 %".
func (p Percent) String() string {
	return strconv.FormatFloat(float64(p)*100, 'g', 6, 64) + " %"
}

// ParsePercent reads a percentage: "5 %", "5%" and "5" are all five of a hundred.
func ParsePercent(text string) (Percent, error) {
	number := strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(text), "%"))
	n, err := strconv.ParseFloat(number, 64)
	if err != nil || !(n >= leastPercent && n <= mostPercent) { // nor is it NaN
		return 0, noPercent(text)
	}
	return Percent(n / 100), nil
}

func noPercent(text string) error {
	return fmt.Errorf("%q is no precision: write a percentage from %g to %d, such as 5 %%", text, leastPercent,
		mostPercent)
}

// UnmarshalYAML reads a percentage.
func (p *Percent) UnmarshalYAML(node *yaml.Node) (err error) {
	if *p, err = ParsePercent(node.Value); err != nil {
		return fmt.Errorf("line %d: %w", node.Line, err)
	}
	return nil
}
