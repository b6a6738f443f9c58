package sample

import (
	"maps"
	"math"
	"reflect"
	"testing"
	"time"

	"pooler-lab/internal/result"
)

// opening is when the window of these tests opened.
var opening = time.Date(2026, 11, 21, 16, 0, 0, 0, time.UTC)

// samplesAt makes one sample of each string: a letter is what the session of that column was seen doing, a blank is
// no session.
//
//	A active, nothing waited for   W active, ClientWrite   T idle in transaction   i idle, did something in the window
//	o idle since before the window opened
func samplesAt(columns ...string) []sessionSample {
	var samples []sessionSample
	for i, text := range columns {
		l := sessionSample{sent: opening.Add(time.Duration(i) * 100 * time.Millisecond)}
		l.received = l.sent.Add(2 * time.Millisecond)
		for pid, letter := range text {
			s := sessionState{pid: int32(pid), active: letter == 'A' || letter == 'W', changed: opening.Add(time.Millisecond)}
			switch letter {
			case ' ':
				continue
			case 'A':
				s.event = "CPU"
			case 'W':
				s.event = "Client:ClientWrite"
			case 'T':
				s.event = "Client:ClientRead"
			case 'i':
				s.event = "Net/Delay"
			case 'o':
				s.event, s.changed = "Net/Delay", opening.Add(-time.Second)
			}
			l.sessions = append(l.sessions, s)
		}
		samples = append(samples, l)
	}
	return samples
}

func TestWaits(t *testing.T) {
	tests := []struct {
		name     string
		samples  []sessionSample
		sessions int
		shares   map[string]float64
	}{
		{"nobody", samplesAt("", ""), 0, map[string]float64{}},
		{"active without an event is CPU", samplesAt("A", "A", "W", "A"), 1,
			map[string]float64{"CPU": 0.75, "Client:ClientWrite": 0.25}},
		{"idle in transaction is its event", samplesAt("T", "A"), 1,
			map[string]float64{"Client:ClientRead": 0.5, "CPU": 0.5}},
		{"plain idle is Net/Delay", samplesAt("A", "i", "i", "T"), 1,
			map[string]float64{"CPU": 0.25, "Net/Delay": 0.5, "Client:ClientRead": 0.25}},
		{"a session seen idle alone did something between the samples", samplesAt("i", "i"), 1,
			map[string]float64{"Net/Delay": 1}},
		{"each session's span is its own", samplesAt("A ", "A ", "AA", " A"), 2, map[string]float64{"CPU": 1}},
		{"a session weighs as much as it was there", samplesAt("Ai", "A ", "A "), 2,
			map[string]float64{"CPU": 0.75, "Net/Delay": 0.25}},
		{"what a span lacks is Net/Delay", samplesAt("A", " ", "A", " "), 1,
			map[string]float64{"CPU": 2.0 / 3, "Net/Delay": 1.0 / 3}},
		{"a connection kept in reserve is no session", samplesAt("Ao", "io"), 1,
			map[string]float64{"CPU": 0.5, "Net/Delay": 0.5}},
		{"one that was idle when the window opened, and then not", samplesAt("o", "A", "i"), 1,
			map[string]float64{"CPU": 1.0 / 3, "Net/Delay": 2.0 / 3}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			sessions, shares := waits(test.samples, opening)
			got, sum, last := map[string]float64{}, 0.0, 1.0
			for _, w := range shares {
				got[w.Event] = w.Share
				sum += w.Share
				if w.Share > last {
					t.Error("the largest share isn't the first")
				}
				last = w.Share
			}
			if sessions != test.sessions || !maps.EqualFunc(got, test.shares, nearly) {
				t.Errorf("%d sessions %v, they should be %d and %v", sessions, got, test.sessions, test.shares)
			}
			if sessions > 0 && !nearly(sum, 1) {
				t.Errorf("the shares' sum is %v", sum)
			}
		})
	}
}

func TestNodeBetween(t *testing.T) {
	n := &node{service: "primary", samples: samplesAt("AAAo", "Ai", "T", "AA")}
	at := func(ms int) time.Time { return opening.Add(time.Duration(ms) * time.Millisecond) }
	n.locks = []lockCount{{at(-5), at(1), 900}, {at(10), at(12), 40}, {at(110), at(114), 7}}
	r := n.between(opening, at(300)) // the last sample ended after it
	if r.Samples != 3 || r.MaxBackends != 4 || r.MaxActive != 3 || r.MaxLocks == nil || *r.MaxLocks != 40 ||
		r.Sessions != 3 || r.NotMeasured != "" {
		t.Errorf("summed up as %+v", r)
	}
	if !nearly(r.Hz, 10) || !nearly(r.CostMS, 2) || !nearly(r.CostShare, 0.04) {
		t.Errorf("three samples of 2 ms and two counts of locks, 2 and 4 ms, within 300 ms: %+v", r)
	}
	if r := n.between(opening, at(11)); r.MaxLocks != nil {
		t.Errorf("no count of locks fell into the window, yet there were %d", *r.MaxLocks)
	}
	n.cpu = []cpuReading{{at(-700), time.Second}, {at(-20), 2 * time.Second},
		{at(480), 2*time.Second + 5*time.Millisecond}}
	if r := n.between(opening, at(300)); !nearly(r.CostShare, 0.01) {
		t.Errorf("the server spent 5 ms in 500 ms, the share is %v", r.CostShare)
	}
	n.trouble = "it is down"
	if r := n.between(at(500), at(900)); r.Samples != 0 || r.NotMeasured != "it is down" || r.Waits == nil {
		t.Errorf("without a sample: %+v", r)
	}
}

func nearly(a, b float64) bool { return math.Abs(a-b) < 1e-9 }

func known[T any](v T) *T { return &v }

func TestPoolerBetween(t *testing.T) {
	at := func(ms int) time.Time { return opening.Add(time.Duration(ms) * time.Millisecond) }
	p := &pooler{service: "pgbouncer", samples: []poolerSample{
		{at(-2), at(1), result.Pooler{MaxClients: 99}},
		{at(250), at(251), result.Pooler{MaxClients: 8, MaxWaiting: known(3), MaxWaitMS: known(7.5), MaxServers: 4,
			PoolSize: 20}},
		{at(500), at(501), result.Pooler{MaxClients: 9, MaxWaiting: known(0), MaxWaitMS: known(2.0), MaxServers: 5,
			PoolSize: 20}}}}
	want := result.Pooler{Service: "pgbouncer", Samples: 2, MaxClients: 9, MaxWaiting: known(3), MaxWaitMS: known(7.5),
		MaxServers: 5, PoolSize: 20}
	if got := p.between(opening, at(1000)); !reflect.DeepEqual(*got, want) {
		t.Errorf("summed up as %+v, it should be %+v", *got, want)
	}
	p.samples[1].said.MaxWaiting, p.samples[2].said.MaxWaiting = nil, nil
	if got := p.between(opening, at(1000)); got.MaxWaiting != nil {
		t.Errorf("%d clients waited at a pooler that can't see them", *got.MaxWaiting)
	}
	if got := p.between(at(600), at(1000)); got.NotMeasured == "" {
		t.Errorf("without a sample: %+v", *got)
	}
}

// Samples of a node that could not be asked for most of the window say nothing of it.
func TestMostlyUnseen(t *testing.T) {
	from := time.Now()
	at := func(seconds float64) time.Time { return from.Add(time.Duration(seconds * float64(time.Second))) }
	n := &node{service: "primary", samples: []sessionSample{{sent: at(0.1), received: at(0.2)},
		{sent: at(4), received: at(4.9)}}}
	if r := n.between(from, at(10)); r.Samples != 2 || r.NotMeasured != "" {
		t.Errorf("a node that could be asked all the time, if rarely: %+v", r)
	}
	n.trouble = "it didn't answer"
	if r := n.between(from, at(9.6)); r.Samples != 2 {
		t.Errorf("a node that could not be asked for less than half of the time: %+v", r)
	}
	if r := n.between(from, at(10)); r.Samples != 0 || r.NotMeasured != n.trouble {
		t.Errorf("a node that could not be asked for more than half of the time: %+v", r)
	}
}

// The cost of a sample is what the backend has used for all of them since its first reading.
func TestCostOfASample(t *testing.T) {
	n := &node{sampled: fewestSamples - 1, cpu: []cpuReading{{cpu: time.Second}, {cpu: time.Second + 20*time.Millisecond}}}
	if n.learnCost(); n.costEach != 0 {
		t.Errorf("%d samples have a costEach: %v", n.sampled, n.costEach)
	}
	n.sampled++
	if n.learnCost(); n.costEach != 2*time.Millisecond {
		t.Errorf("%d samples for 20 ms cost %v each, it should be 2ms", n.sampled, n.costEach)
	}
}

func TestInterval(t *testing.T) {
	crowd := &node{samples: []sessionSample{{sessions: make([]sessionState, 500)}}}
	tests := []struct {
		name string
		node *node
		hz   float64
		want time.Duration
	}{
		{"before the first sample", &node{}, 0, 100 * time.Millisecond},
		{"few sessions", &node{samples: samplesAt("AAA")}, 0, 100 * time.Millisecond},
		{"so many that samples get expensive", crowd, 0, 250 * time.Millisecond},
		{"as asked", crowd, 50, 20 * time.Millisecond},
		{"as asked while it is cheap", &node{costEach: 140 * time.Microsecond}, 50, 20 * time.Millisecond},
		{"asked too often for its cost", &node{costEach: 1400 * time.Microsecond}, 50, 100 * time.Millisecond},
		{"too expensive for the default", &node{costEach: 2800 * time.Microsecond}, 0, 200 * time.Millisecond},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := test.node.interval(test.hz); got != test.want {
				t.Errorf("an interval is %v, it should be %v", got, test.want)
			}
		})
	}
}

// Servers that nobody can ask hold nothing up.
func TestServersThatDoNotAnswer(t *testing.T) {
	s := NewSessions(func(string) string { return "host=127.0.0.1 port=1 user=lab sslmode=disable" }, "", nil)
	defer s.Close()
	from := time.Now()
	s.Start(Subjects{Nodes: []string{"standby", "primary"}, Hz: 100})
	s.Stop()
	nodes, pooler := s.Between(from, time.Now())
	if len(nodes) != 2 || nodes[0].Service != "primary" || nodes[0].NotMeasured == "" || pooler != nil {
		t.Errorf("%+v, %v", nodes, pooler)
	}
}
