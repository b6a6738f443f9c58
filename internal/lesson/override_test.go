package lesson

import (
	"math"
	"slices"
	"strings"
	"testing"
)

func number[T any](v T) *T { return &v }

func TestApply(t *testing.T) {
	tests := []struct {
		name     string
		override Override
		check    func(*Lesson) bool
	}{
		{"nothing leaves the lesson as it is", Override{}, func(l *Lesson) bool { return len(l.Experiments) == 2 && l.Experiments[1].Repeats == 6 }},
		{"paths", Override{Paths: []string{"socket", "socket"}},
			func(l *Lesson) bool { return slices.Equal(l.Experiments[0].Paths, []string{"socket"}) }},
		{"clients", Override{Clients: []int{3}}, func(l *Lesson) bool { return slices.Equal(l.Experiments[1].Clients, []int{3}) }},
		{"latencies", Override{Latencies: []Latency{Through(5)}},
			func(l *Lesson) bool { return slices.Equal(l.Experiments[1].Latencies, []Latency{Through(5)}) }},
		{"seconds, warm-up and repeats", Override{Seconds: number(9.0), Warmup: number(0.0), Repeats: number(2)},
			func(l *Lesson) bool { g := l.Experiments[1]; return g.Seconds == 9 && g.Warmup == 0 && g.Repeats == 2 }},
		{"a rate is for paced groups", Override{Rate: number(5.0)},
			func(l *Lesson) bool { return l.Experiments[0].Rate == 5 && l.Experiments[1].Rate == 0 }},
		{"groups", Override{Experiments: []string{"tps"}}, func(l *Lesson) bool { return len(l.Experiments) == 1 && l.Experiments[0].Name == "tps" }},
		{"workloads", Override{Workloads: []string{"tpcb"}},
			func(l *Lesson) bool {
				return len(l.Experiments) == 1 && slices.Equal(l.Experiments[0].Workload, Words{"tpcb"})
			}},
		{"roles", Override{Roles: []string{"app_trust"}}, func(l *Lesson) bool { return slices.Equal(l.Experiments[1].Roles, Words{"app_trust"}) }},
		{"sizes of pools", Override{Clients: []int{9}, PoolSizes: []int{5, 20}, Instances: []int{2, 3}, InstancePools: []int{4}}, func(l *Lesson) bool {
			g := l.Experiments[0]
			return slices.Equal(g.PoolSizes, []int{5, 20}) && slices.Equal(g.Instances, []int{2, 3}) && slices.Equal(g.InstancePools, []int{4})
		}},
		{"protocols", Override{Protocols: []string{"simple", "extended"}}, func(l *Lesson) bool { return len(l.Experiments[0].Protocol) == 2 }},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			l, err := parse(inspected(tour))
			if err != nil {
				t.Fatal(err)
			}
			if err := l.Apply(test.override); err != nil || !test.check(l) {
				t.Errorf("error %v, groups %+v", err, l.Experiments)
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
		{"an unknown group", Override{Experiments: []string{"tpps"}}, "did you mean tps?"},
		{"an unknown workload", Override{Workloads: []string{"join"}}, "there are connect, select, tpcb"},
		{"a rate of nothing", Override{Rate: number(0.0)}, "closed loop"},
		{"a rate without a paced group", Override{Experiments: []string{"tps"}, Rate: number(5.0)}, "for paced groups"},
		{"no seconds", Override{Seconds: number(0.0)}, "seconds is 0"},
		{"seconds that aren't a number", Override{Seconds: number(math.NaN())}, "seconds is NaN"},
		{"less than k6 can do", Override{Seconds: number(0.5), Warmup: number(0.25)}, "0.75 together"},
		{"no full size", Override{Full: true}, "has no full size"},
		{"no repeats", Override{Repeats: number(0)}, "repeats is 0"},
		{"too many clients", Override{Clients: []int{10001}}, "clients is 10001"},
		{"an unknown role", Override{Roles: []string{"postgres"}}, "role"},
		{"a pool of nothing", Override{PoolSizes: []int{0}}, "pool_sizes is 0"},
		{"more pods than clients", Override{Clients: []int{3}, Instances: []int{4}}, "each pod needs a client at least"},
		{"an unknown protocol", Override{Protocols: []string{"binary"}}, "protocol"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			l, err := parse(inspected(tour))
			if err != nil {
				t.Fatal(err)
			}
			if err := l.Apply(test.override); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("the error is %v, it should speak of %q", err, test.want)
			}
		})
	}
}
