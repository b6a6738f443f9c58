package lesson

import (
	"fmt"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"
)

// A Percent is a share of 1; plans write it as "5 %".
type Percent float64

// mostPercent is the widest precision that can be asked for: beyond it, an interval says little.
const mostPercent Percent = 0.5

// String is the percent as plans write it: "5 %", "2.5 %".
func (p Percent) String() string {
	return strconv.FormatFloat(float64(p)*100, 'g', 6, 64) + " %"
}

// ParsePercent reads a percent: "5 %", "5%" and "5" are five of a hundred, and so is the share 0.05.
func ParsePercent(text string) (Percent, error) {
	number, signed := strings.CutSuffix(strings.TrimSpace(text), "%")
	n, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if signed || n >= 1 {
		n /= 100
	}
	if p := Percent(n); err == nil && p > 0 && p <= mostPercent {
		return p, nil
	}
	return 0, noPercent(text)
}

func noPercent(text string) error {
	return fmt.Errorf("%q is no precision: write a percentage above 0 and of %s at most, such as 5 %%", text, mostPercent)
}

// UnmarshalYAML reads a percentage or a share.
func (p *Percent) UnmarshalYAML(node *yaml.Node) (err error) {
	if *p, err = ParsePercent(node.Value); err != nil {
		return fmt.Errorf("line %d: %w", node.Line, err)
	}
	return nil
}
