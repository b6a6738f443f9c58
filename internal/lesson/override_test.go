package lesson

import (
	"math"
	"slices"
	"strings"
	"testing"
)

func at[T any](v T) *T { return &v }

// values are an override's of one key.
func values(key string, typed ...string) map[string][]string { return map[string][]string{key: typed} }

func TestApply(t *testing.T) {
	tests := []struct {
		name     string
		override Override
		check    func(*Lesson) bool
	}{
		{"nothing leaves the lesson as it is, without side experiments", Override{}, func(l *Lesson) bool {
			return len(l.Experiments) == 2 && l.Experiments[1].Repeats == 6 && slices.Equal(l.LeftOut, []string{"aside"}) &&
				!l.NoPairs
		}},
		{"paths", Override{Values: values("paths", "socket", "socket")},
			func(l *Lesson) bool { return slices.Equal(l.Experiments[0].Paths, []string{"socket"}) }},
		{"latencies", Override{Values: values("latencies", "5ms", "none", "5")},
			func(l *Lesson) bool {
				return slices.Equal(l.Experiments[1].Latencies, []Value{Number(5), None})
			}},
		{"seconds and warm-up", Override{Values: map[string][]string{"seconds": {"9"}, "warmup_seconds": {"0"}}},
			func(l *Lesson) bool { return l.Experiments[1].Seconds == 9 && l.Experiments[1].Warmup == 0 }},
		{"with repeats of its own nothing runs side by side", Override{Values: values("repeats", "2")},
			func(l *Lesson) bool { return l.NoPairs && l.Experiments[1].Repeats == 2 }},
		{"nor where nobody wants it to", Override{NoPairs: true}, func(l *Lesson) bool { return l.NoPairs }},
		{"a rate is for open loops", Override{Values: values("rate", "5")},
			func(l *Lesson) bool { return l.Experiments[0].Rate == 5 && l.Experiments[1].Rate == 0 }},
		{"and makes one where there is none", Override{Experiments: []string{"tps"}, Values: values("rate", "5")},
			func(l *Lesson) bool { return l.Experiments[0].Rate == 5 }},
		{"experiments", Override{Experiments: []string{"tps"}}, func(l *Lesson) bool {
			return len(l.Experiments) == 1 && l.Experiments[0].Name == "tps" && slices.Equal(l.LeftOut,
				[]string{"connect", "aside"})
		}},
		{"a side experiment", Override{Experiments: []string{"aside"}},
			func(l *Lesson) bool { return len(l.Experiments) == 1 && l.Experiments[0].Name == "aside" }},
		{"all experiments", Override{Experiments: []string{All}},
			func(l *Lesson) bool { return len(l.Experiments) == 3 && len(l.LeftOut) == 0 }},
		{"workloads", Override{Workloads: []string{"tpcb"}}, func(l *Lesson) bool {
			return len(l.Experiments) == 1 && slices.Equal(l.Experiments[0].Workload, Words{"tpcb"})
		}},
		{"several keys", Override{Values: map[string][]string{"clients": {"9"}, "instances": {"2", "3"}}},
			func(l *Lesson) bool {
				e := l.Experiments[0]
				return slices.Equal(e.Clients, []int{9}) && slices.Equal(e.Instances, []int{2, 3})
			}},
		{"protocols", Override{Values: values("protocol", "simple", "extended")},
			func(l *Lesson) bool { return len(l.Experiments[0].Protocol) == 2 }},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			l := read(t, tour)
			if err := l.Apply(test.override); err != nil || !test.check(l) {
				t.Errorf("error %v, experiments %+v, left out %v", err, l.Experiments, l.LeftOut)
			}
		})
	}
}

func TestApplyRefuses(t *testing.T) {
	tests := []struct {
		name     string
		override Override
		want     string
	}{
		{"an unknown experiment", Override{Experiments: []string{"tpps"}}, "did you mean tps?"},
		{"an unknown workload", Override{Workloads: []string{"join"}}, "there are connect, select, tpcb"},
		{"no seconds", Override{Values: values("seconds", "0")}, "seconds: 0 is too small, it must be more than 0"},
		{"two of them", Override{Values: values("seconds", "1", "2")}, `seconds: "1,2" stands there, it must be a number`},
		{"repeats in halves", Override{Values: values("repeats", "1.5")}, "it must be a whole number"},
		{"too little time", Override{AtMost: at(9.0)}, "at most: 9 is too small, it must be 10 at least"},
		{"time that isn't a number", Override{AtMost: at(math.NaN())}, "it must be a number"},
		{"no full size", Override{Full: true}, "has no full size"},
		{"too many clients", Override{Values: values("clients", "10001")},
			"experiment connect: clients: 10001 is too large"},
		{"clients in words", Override{Values: values("clients", "ten")},
			`experiment connect: clients: "ten" stands there, it must be a whole number`},
		{"a latency that is none", Override{Values: values("latencies", "10s")},
			`experiment connect: latencies: "10s" stands there`},
		{"more instances than clients", Override{Values: map[string][]string{"clients": {"3"}, "instances": {"4"}}},
			"each instance needs a client at least"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if err := read(t, tour).Apply(test.override); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("the error is %v, it should speak of %q", err, test.want)
			}
		})
	}
}

func TestDescribe(t *testing.T) {
	for want, o := range map[string]Override{
		"": {Full: true},
		"experiments tps, clients 3,5, pool sizes 7, seconds 9, repeats 2": {Experiments: []string{"tps"}, Full: true,
			Values: map[string][]string{"clients": {"3", "5"}, "pool_sizes": {"7"}, "seconds": {"9"}, "repeats": {"2"}}},
		"until 3 %, at most 60 s, no pairs": {Until: at(Percent(0.03)), AtMost: at(60.0), NoPairs: true},
	} {
		if got := o.Describe(); got != want {
			t.Errorf("%q, it should be %q", got, want)
		}
	}
}
