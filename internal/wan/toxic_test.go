package wan

import (
	"bytes"
	"encoding/json"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/Shopify/toxiproxy/v2/stream"
	"github.com/Shopify/toxiproxy/v2/toxics"

	"pooler-lab/test/testkit"
)

// start is when the clock of tests begins.
var start = time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC)

// A bench is a toxic on one direction of a connection, between a sender and a receiver, with a clock that stands.
type bench struct {
	*testing.T
	toxic *Toxic
	stub  *toxics.ToxicStub
	in    chan *stream.StreamChunk
	out   chan *stream.StreamChunk
	asked chan *timer // that the toxic waits for

	lock sync.Mutex
	now  time.Time
}

// newBench runs a toxic with these settings.
func newBench(t *testing.T, settings string) *bench {
	b := &bench{T: t, toxic: new(Toxic), in: make(chan *stream.StreamChunk, most), out: make(chan *stream.StreamChunk),
		asked: make(chan *timer, 100), now: start}
	b.stub = toxics.NewToxicStub(b.in, b.out)
	b.stub.State = b.toxic.NewState()
	realClock, realAt, realCleanup := clock, at, cleanup
	cleanup = testkit.Patience
	t.Cleanup(func() { // the toxic has ended when the clock is put back
		b.stub.InterruptToxic()
		clock, at, cleanup = realClock, realAt, realCleanup
	})
	clock = func() time.Time {
		b.lock.Lock()
		defer b.lock.Unlock()
		return b.now
	}
	at = func(due time.Time) *timer {
		asked := &timer{due, make(chan struct{})}
		b.asked <- asked
		return asked
	}
	testkit.OK(t, json.Unmarshal([]byte(settings), b.toxic))
	b.run()
	return b
}

func (b *bench) run() { go b.stub.Run(&toxics.ToxicWrapper{Toxic: b.toxic, Toxicity: 1}) }

// set changes the settings as toxiproxy does.
func (b *bench) set(settings string) {
	b.Helper()
	testkit.OK(b, json.Unmarshal([]byte(settings), b.toxic))
	if !b.stub.InterruptToxic() {
		b.Fatal("it has ended")
	}
	b.run()
}

// send sends text at the clock's time.
func (b *bench) send(text string) {
	b.in <- &stream.StreamChunk{Data: []byte(text), Timestamp: clock()}
}

// waits wants the toxic to wait until so long after the start, and sets the clock to that.
func (b *bench) waits(after time.Duration) {
	b.Helper()
	asked := b.timer()
	if got := asked.due.Sub(start); got != after {
		b.Errorf("it waits until %v, wanted %v", got, after)
	}
	select {
	case chunk := <-b.out:
		b.Errorf("%q arrived before that", chunk.Data)
	default:
	}
	b.lock.Lock()
	b.now = asked.due
	b.lock.Unlock()
	close(asked.over)
}

// arrives wants text to arrive.
func (b *bench) arrives(text string) {
	b.Helper()
	select {
	case chunk := <-b.out:
		if chunk == nil || string(chunk.Data) != text {
			b.Errorf("%+v arrived, wanted %q", chunk, text)
		}
	case <-time.After(testkit.Patience):
		b.Fatalf("%q never arrived", text)
	}
}

// timer is the next one that the toxic waits for.
func (b *bench) timer() *timer {
	b.Helper()
	select {
	case one := <-b.asked:
		return one
	case <-time.After(testkit.Patience):
		b.Fatal("it waits for no timer")
		return nil
	}
}

func TestChangeIsFeltByWhatIsUnderWay(t *testing.T) {
	b := newBench(t, `{"latency_us": 10000000}`)
	b.send("a")
	if first := b.timer(); first.due.Sub(start) != 10*time.Second {
		t.Errorf("it waits until %v", first.due)
	}
	b.set(`{"latency_us": 700}`)
	b.waits(700 * time.Microsecond)
	b.arrives("a")
}

func TestOrderIsKept(t *testing.T) {
	b := newBench(t, `{"latency_us": 5000}`)
	b.send("a")
	b.waits(5 * time.Millisecond)
	b.arrives("a")
	b.send("b")
	b.timer()
	b.send("c")
	b.set(`{"latency_us": 0}`)
	b.arrives("b")
	b.arrives("c")
}

// What is sent later isn't there earlier, where its jitter is smaller.
func TestOrderIsKeptUnderJitter(t *testing.T) {
	set := Settings{Latency: 10_000, Jitter: 5_000}
	first := &stream.StreamChunk{Timestamp: start}
	s := &state{under: []piece{{first, start, 1}, {new(stream.StreamChunk), start, -1}}}
	if after := s.due(set).Sub(start); after != 15*time.Millisecond || s.under[0].StreamChunk != first {
		t.Errorf("the first piece is to arrive after %v", after)
	}
}

func TestJitterSpreads(t *testing.T) {
	s, set := &state{}, Settings{Latency: 10_000, Jitter: 5_000}
	least, most := time.Hour, time.Duration(0)
	for range 1000 {
		s.take(&stream.StreamChunk{Timestamp: start}, start, set)
		after := s.due(set).Sub(start)
		least, most, s.under = min(least, after), max(most, after), s.under[1:]
	}
	if least < 5*time.Millisecond || least > 6*time.Millisecond || most < 14*time.Millisecond ||
		most > 15*time.Millisecond {
		t.Errorf("from %v to %v after they were sent", least, most)
	}
}

func TestNormalJitterSpreadsFurther(t *testing.T) {
	s, set := &state{}, Settings{Latency: 10_000, Jitter: 1_000, Spread: Normal}
	within, beyond := 0, 0
	for range 10_000 {
		s.take(&stream.StreamChunk{Timestamp: start}, start, set)
		switch off := (s.due(set).Sub(start) - 10*time.Millisecond).Abs(); {
		case off <= time.Millisecond:
			within++
		case off > 2*time.Millisecond:
			beyond++
		}
		s.under = s.under[1:]
	}
	if within < 6500 || within > 7150 || beyond < 350 || beyond > 560 { // 6827 and 455, each give or take 5 deviations
		t.Errorf("of 10000, %d are within one standard deviation and %d beyond two", within, beyond)
	}
}

func TestRate(t *testing.T) {
	b := newBench(t, `{"rate": 10, "latency_us": 1000}`)
	b.send("12345678901234567890") // 20 bytes: 2 ms
	b.send("1234567890")
	b.waits(2 * time.Millisecond) // it takes the second one then
	b.waits(3 * time.Millisecond)
	b.arrives("12345678901234567890")
	b.waits(4 * time.Millisecond)
	b.arrives("1234567890")
}

func TestStoppedReaderHoldsUpNoChange(t *testing.T) {
	b := newBench(t, `{}`)
	for range 3 {
		b.send("a")
	}
	for range 3 {
		b.set(`{"latency_us": 1000}`) // would hang
		b.set(`{"latency_us": 0}`)
	}
	for range 3 {
		b.arrives("a")
	}
}

func TestRateTakenOffHoldsNothingBack(t *testing.T) {
	b := newBench(t, `{"rate": 1}`)
	b.send("1234567890") // 10 ms
	b.timer()
	b.set(`{"rate": 0}`)
	b.arrives("1234567890")
}

func TestEndArrivesLikeBytes(t *testing.T) {
	b := newBench(t, `{"latency_us": 1000}`)
	b.send("a")
	b.waits(time.Millisecond)
	b.arrives("a")
	b.lock.Lock()
	b.now = start.Add(time.Second) // it has rested
	b.lock.Unlock()
	close(b.in)
	b.waits(time.Second + time.Millisecond)
	if chunk, open := <-b.out; open {
		t.Errorf("%q arrived after the end", chunk.Data)
	}
	if b.stub.InterruptToxic() {
		t.Error("it hasn't ended")
	}
}

// A receiver that doesn't take what has arrived holds up its sender.
func TestSlowReceiverHoldsUpItsSender(t *testing.T) {
	b := newBench(t, `{}`)
	for range 10 {
		b.send("a")
	}
	b.set(`{}`) // it has been interrupted where it waits for the receiver, or before the first one
	b.arrives("a")
	b.stub.InterruptToxic()
	if under := len(b.stub.State.(*state).under); under > 1 {
		t.Errorf("%d pieces are under way", under)
	}
	b.run()
}

func TestCleanupPassesOnWhatIsUnderWay(t *testing.T) {
	b := newBench(t, `{"latency_us": 1000000}`)
	b.send("a")
	b.timer()
	b.stub.InterruptToxic()
	go b.toxic.Cleanup(b.stub)
	b.arrives("a")
	b.run()
}

func TestProxysOwnTimeIsTakenOff(t *testing.T) {
	t.Cleanup(func() { Early() })
	const us, ms = time.Microsecond, time.Millisecond
	measured := []Round{{ms, 200 * us}, {3 * ms, 400 * us}}
	for _, test := range []struct {
		rounds        []Round
		latency, want time.Duration // of a direction
	}{
		{nil, ms, ms}, {measured, 500 * us, 400 * us}, {measured, 250 * us, 150 * us}, {measured, 50 * us, 0},
		{measured, ms, 850 * us}, {measured, 1500 * us, 1300 * us}, {measured, 100 * ms, 100*ms - 200*us},
		{[]Round{{ms, time.Minute}}, ms, ms - MostEarly/2}, {[]Round{{ms, -time.Minute}}, ms, ms},
	} {
		Early(test.rounds...)
		s := &state{}
		set := Settings{Latency: test.latency.Microseconds()}
		s.take(&stream.StreamChunk{Timestamp: start}, start, set)
		if got := s.due(set).Sub(start); got != test.want {
			t.Errorf("%v, %v set: it waits %v, wanted %v", test.rounds, test.latency, got, test.want)
		}
	}
}

func TestSettings(t *testing.T) {
	var toxic Toxic
	testkit.OK(t, json.Unmarshal([]byte(`{"latency_us": 500, "rate": 100}`), &toxic))
	testkit.OK(t, json.Unmarshal([]byte(`{"jitter_us": 50, "jitter_spread": "normal"}`), &toxic))
	want := Settings{Latency: 500, Jitter: 50, Spread: Normal, Rate: 100}
	for _, bad := range []string{`{"latency_us": -1}`, `{"jitter_us": 600000001}`, `{"rate": -1}`,
		`{"jitter_spread": "wide"}`,
		`{"latency_us": "x"}`} {
		if json.Unmarshal([]byte(bad), &toxic) == nil {
			t.Errorf("it takes %s", bad)
		}
	}
	if toxic.Settings() != want {
		t.Errorf("%+v", toxic.Settings())
	}
}

// FuzzStream sends bytes through a toxic that changes all the time: all arrive, in their order, and no others.
func FuzzStream(f *testing.F) {
	f.Add([]byte("\x01\x02\x03\x04\x05\x06\x07\x08\x09"))
	f.Add([]byte("\xff\x00\xff\x00\x80\x40\x20\x10"))
	f.Fuzz(func(t *testing.T, script []byte) {
		toxic, in, out := new(Toxic), make(chan *stream.StreamChunk), make(chan *stream.StreamChunk)
		stub := toxics.NewToxicStub(in, out)
		stub.State = toxic.NewState()
		wrapper := &toxics.ToxicWrapper{Toxic: toxic, Toxicity: 1}
		var running sync.WaitGroup
		run := func() { running.Go(func() { stub.Run(wrapper) }) }
		run()
		var got bytes.Buffer
		received := make(chan struct{})
		go func() {
			defer close(received)
			for chunk := range out {
				got.Write(chunk.Data)
			}
		}()
		var sent bytes.Buffer
		for i, step := range script {
			if step%3 == 0 {
				settings := fmt.Sprintf(`{"latency_us": %d, "jitter_us": %d, "rate": %d}`, step, step/2, 100*int(step%7))
				testkit.OK(t, json.Unmarshal([]byte(settings), toxic))
				stub.InterruptToxic()
				run()
				continue
			}
			piece := bytes.Repeat([]byte{byte(i)}, int(step))
			sent.Write(piece)
			in <- &stream.StreamChunk{Data: piece, Timestamp: time.Now()}
		}
		close(in)
		<-received
		running.Wait()
		if !bytes.Equal(got.Bytes(), sent.Bytes()) {
			t.Errorf("%d bytes were sent and %d arrived, or others", sent.Len(), got.Len())
		}
	})
}
