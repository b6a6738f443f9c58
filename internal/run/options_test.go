package run

import (
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

func TestPrecisionOnTheCommandLine(t *testing.T) {
	tests := []struct{ typed, describes, refused string }{
		{"", "", ""},
		{"--until 3%", "until 3 %", ""},
		{"--until 3 --at-most 60", "until 3 %, at most 60 s", ""},
		{"--no-pairs", "no pairs", ""},
		{"--repeats 6", "repeats 6", ""},
		{"--until never", "", `--until: "never" is no precision`},
		{"--until 3% --no-pairs", "", "with --no-pairs or --repeats there are none"},
		{"--at-most 60 --repeats 3", "", "with --no-pairs or --repeats there are none"},
	}
	for _, test := range tests {
		var f runFlags
		c := &cobra.Command{}
		f.add(c)
		if err := c.ParseFlags(strings.Fields(test.typed)); err != nil {
			t.Fatal(err)
		}
		o, err := f.override(c)
		switch {
		case test.refused == "" && (err != nil || o.Describe() != test.describes):
			t.Errorf("%q is %q, %v; it should be %q", test.typed, o.Describe(), err, test.describes)
		case test.refused != "" && (err == nil || !strings.Contains(err.Error(), test.refused)):
			t.Errorf("%q is refused with %v, it should be with %q", test.typed, err, test.refused)
		}
	}
}
