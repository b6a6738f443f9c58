package lesson

import "testing"

func TestPercent(t *testing.T) {
	for text, want := range map[string]Percent{"5 %": 0.05, "5%": 0.05, "5": 0.05, "1": 0.01, "0.5": 0.005,
		" 2.5 % ": 0.025, "0.1%": 0.001, "50 %": 0.5} {
		if got, err := ParsePercent(text); err != nil || got != want {
			t.Errorf("%q is read as %v, %v; it should be %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "%", "five", "0", "-5 %", "51 %", "0.05", "60", "NaN", "Inf", "5 % %"} {
		if got, err := ParsePercent(text); err == nil {
			t.Errorf("%q is read as %v, and it is no precision", text, got)
		}
	}
	for p, want := range map[Percent]string{0.05: "5 %", 0.025: "2.5 %", 0.07: "7 %", 0.5: "50 %"} {
		if p.String() != want {
			t.Errorf("%v is written %q, not %q", float64(p), p, want)
		}
	}
}
