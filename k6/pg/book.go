package pg

import (
	"time"

	"go.k6.io/k6/v2/metrics"
)

// sample returns one measurement.
func sample(metric *metrics.Metric, tags *metrics.TagSet, at time.Time, value float64) metrics.Sample {
	return metrics.Sample{TimeSeries: metrics.TimeSeries{Metric: metric, Tags: tags}, Time: at, Value: value}
}

// push hands samples to k6. The VU's context isn't asked: what was committed
// counts, even when the test is being stopped.
func (i *instance) push(samples ...metrics.Sample) {
	i.vu.State().Samples <- metrics.Samples(samples)
}

// batch is how many samples a VU hands to k6 at a time. Each hand-over wakes the goroutine that takes samples in,
// on the very core that should wait for the server.
const batch = 64

// later hands a sample to k6 together with others: when there are enough of them, or with the books.
func (i *instance) later(s metrics.Sample) {
	i.waiting = append(i.waiting, s)
	if len(i.waiting) >= batch {
		i.handOver()
	}
}

// handOver pushes the samples that wait.
func (i *instance) handOver() {
	if len(i.waiting) > 0 {
		i.vu.State().Samples <- i.waiting
		i.waiting = make(metrics.Samples, 0, len(i.waiting))
	}
}

// sums are counts that wait to be pushed: one sample for many statements.
type sums struct {
	transactions, rollbacks, rows int64
	traffic
}

// add counts what travelled.
func (s *sums) add(more traffic) {
	s.sent += more.sent
	s.received += more.received
	s.trips += more.trips
}

// book is one tag set per phase, so that a statement makes none, and the sums
// under it.
type book struct {
	names  []string        // of the tags
	values []string        // of the tags; an empty one leaves its tag out
	base   *metrics.TagSet // the VU's own tags that the sets were made from
	tags   [phaseCount]*metrics.TagSet
	sums   [phaseCount]sums
}

// bookkeeping is how long sums wait.
const bookkeeping = 200 * time.Millisecond

// newBook returns a book of the VU with the given tags: name, value, ...
func (i *instance) newBook(tags ...string) *book {
	b := &book{}
	for at := 0; at < len(tags); at += 2 {
		b.names, b.values = append(b.names, tags[at]), append(b.values, tags[at+1])
	}
	i.books = append(i.books, b)
	if len(i.books) == 1 {
		i.Module.keep(i)
	}
	return b
}

// at returns the book's tags in the given phase, on top of the VU's own.
func (i *instance) at(b *book, phase phase) *metrics.TagSet {
	base := i.vu.State().Tags.GetCurrentValues().Tags
	if b.base != base {
		i.settle(b, time.Now())
		b.base = base
		for at, value := range b.values {
			if value != "" {
				base = base.With(b.names[at], value)
			}
		}
		b.tags[phaseNone] = base
		for named := phaseWarmup; named < phaseCount; named++ {
			b.tags[named] = base.With("phase", named.String())
		}
	}
	return b.tags[phase]
}

// now returns the phase of something that ended at the given time, and the
// book's tags in it.
func (i *instance) now(b *book, ended time.Time) (phase, *metrics.TagSet) {
	i.ended = ended
	phase := i.schedule.phaseAt(ended)
	return phase, i.at(b, phase)
}

// settle pushes the book's sums.
func (i *instance) settle(b *book, now time.Time) {
	var samples metrics.Samples
	for phase, sums := range b.sums {
		for _, count := range []struct {
			metric *metrics.Metric
			value  int64
		}{
			{i.metrics.Transactions, sums.transactions},
			{i.metrics.Rollbacks, sums.rollbacks},
			{i.metrics.Rows, sums.rows},
			{i.metrics.BytesSent, sums.sent},
			{i.metrics.BytesReceived, sums.received},
			{i.metrics.RoundTrips, sums.trips},
		} {
			if count.value != 0 {
				samples = append(samples, sample(count.metric, b.tags[phase], now, float64(count.value)))
			}
		}
	}
	b.sums = [phaseCount]sums{}
	if len(samples) > 0 {
		i.vu.State().Samples <- samples
	}
}

// settleAll pushes the sums of all the VU's books.
func (i *instance) settleAll(now time.Time) {
	i.settled = now
	i.handOver()
	for _, b := range i.books {
		i.settle(b, now)
	}
}

// settleSometimes does so when they have waited for long enough.
func (i *instance) settleSometimes(now time.Time) {
	if now.Sub(i.settled) > bookkeeping {
		i.settleAll(now)
	}
}

// keep notes that a VU has books, which the end of the test settles.
func (m *Module) keep(i *instance) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.keepers = append(m.keepers, i)
}
