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

// later hands a sample to k6 together with others: when there are enough of them, or with the tag sets.
func (i *instance) later(s metrics.Sample) {
	i.waiting = append(i.waiting, s)
	if len(i.waiting) >= batch {
		i.handOver()
	}
}

// handOver pushes the samples that wait.
func (i *instance) handOver() {
	if len(i.waiting) > 0 {
		i.push(i.waiting...)
		i.waiting = make(metrics.Samples, 0, len(i.waiting))
	}
}

// sums are counts that wait to be pushed: one sample for many statements.
type sums struct {
	transactions, rollbacks, rows int64
	iterations, openings          int64
	traffic
}

// count adds what travelled. Where the script says what an iteration is, its round trips wait for its end, so that they
// stand in the phase in which the iteration does.
func (i *instance) count(to *sums, t traffic) {
	to.sent += t.sent
	to.received += t.received
	if i.iterates {
		i.trips += t.trips
	} else {
		to.trips += t.trips
	}
}

// tagSet is one set of tags per phase, so that a statement makes none, and the sums
// under it.
type tagSet struct {
	given []string        // name, value, ...; an empty value leaves its tag out
	base  *metrics.TagSet // the VU's own tags that the sets were made from
	tags  [phaseCount]*metrics.TagSet
	sums  [phaseCount]sums
}

// pushEvery is how long sums wait.
const pushEvery = 200 * time.Millisecond

// newTagSet returns a tag set of the VU with the given tags: name, value, ...
func (i *instance) newTagSet(tags ...string) *tagSet {
	set := &tagSet{given: tags}
	i.tagSets = append(i.tagSets, set)
	if len(i.tagSets) == 1 {
		i.Module.keep(i)
	}
	return set
}

// withTags adds tags, name, value, ..., but those whose value is empty.
func withTags(to *metrics.TagSet, tags ...string) *metrics.TagSet {
	for at := 0; at < len(tags); at += 2 {
		if tags[at+1] != "" {
			to = to.With(tags[at], tags[at+1])
		}
	}
	return to
}

// at returns the set's tags in the given phase, on top of the VU's own.
func (i *instance) at(set *tagSet, phase phase) *metrics.TagSet {
	base := i.vu.State().Tags.GetCurrentValues().Tags
	if set.base != base {
		i.settle(set, time.Now())
		set.base = base
		for phase := range phaseCount {
			set.tags[phase] = withTags(base, append([]string{"phase", phase.String()}, set.given...)...)
		}
	}
	return set.tags[phase]
}

// now returns the phase of something that ended at the given time, and the
// set's tags in it.
func (i *instance) now(set *tagSet, ended time.Time) (phase, *metrics.TagSet) {
	i.ended = ended
	phase := i.phaseAt(ended)
	return phase, i.at(set, phase)
}

// settle pushes the set's sums.
func (i *instance) settle(set *tagSet, now time.Time) {
	var samples metrics.Samples
	for phase, sums := range set.sums {
		for _, count := range []struct {
			metric *metrics.Metric
			value  int64
		}{
			{i.metrics.Transactions, sums.transactions},
			{i.metrics.Rollbacks, sums.rollbacks},
			{i.metrics.Rows, sums.rows},
			{i.metrics.Iterations, sums.iterations},
			{i.metrics.OpeningIterations, sums.openings},
			{i.metrics.BytesSent, sums.sent},
			{i.metrics.BytesReceived, sums.received},
			{i.metrics.RoundTrips, sums.trips},
		} {
			if count.value != 0 {
				samples = append(samples, sample(count.metric, set.tags[phase], now, float64(count.value)))
			}
		}
	}
	set.sums = [phaseCount]sums{}
	if len(samples) > 0 {
		i.push(samples...)
	}
}

// settleAll pushes the sums of all the VU's tag sets.
func (i *instance) settleAll(now time.Time) {
	i.settled = now
	i.handOver()
	for _, set := range i.tagSets {
		i.settle(set, now)
	}
}

// settleSometimes does so when they have waited for long enough.
func (i *instance) settleSometimes(now time.Time) {
	if now.Sub(i.settled) > pushEvery {
		i.settleAll(now)
	}
}

// keep notes that a VU has tag sets, which the end of the test settles.
func (m *Module) keep(i *instance) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.users = append(m.users, i)
}
