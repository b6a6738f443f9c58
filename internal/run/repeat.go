package run

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"pooler-lab/internal/lesson"
	"pooler-lab/internal/link"
	"pooler-lab/internal/result"
	"pooler-lab/internal/server"
	"pooler-lab/internal/topology"
)

// preparing is the time that a repeat has to set latencies, prove its path and read counts.
const preparing = 60 * time.Second

// A rejection says that something was changed under a repeat; it is worth another attempt.
type rejection struct{ reason string }

func (r *rejection) Error() string { return r.reason }

// repeat executes one attempt at a repeat of c and fills in out. The ruling is what becomes of it.
func (r *runner) repeat(ctx context.Context, c lesson.Cell, out result.Repeat) (result.Repeat, ruling) {
	out.Started = time.Now().UTC()
	out.Proof, out.Counts, out.Shares, out.Flags = []result.Fact{}, []result.Count{}, []result.Share{}, []result.Flag{}
	err := r.measure(ctx, c, &out)
	a := attempt{number: out.Attempt, stopped: ctx.Err() != nil, failed: err}
	var rejected *rejection
	if errors.As(err, &rejected) {
		a.changed = rejected.reason
	} else if !a.stopped && err == nil {
		out.Flags = flags(c, &out)
		a.flags, a.burst = out.Flags, r.burst(c, &out)
	}
	decided := a.rule()
	out.Status, out.Reason = decided.status, decided.reason
	if out.Status == result.OK && out.Log != "" {
		os.Remove(filepath.Join(r.dir, out.Log))
		out.Log = ""
	}
	out.Ended = time.Now().UTC()
	return out, decided
}

// measure is the repeat itself: set the latency, prepare the servers, prove the path, count, load, count again and
// compare.
func (r *runner) measure(ctx context.Context, c lesson.Cell, out *result.Repeat) error {
	preparation, cancel := context.WithTimeout(ctx, preparing)
	defer cancel()
	path, err := r.path(c)
	if err != nil {
		return err
	}
	if err := r.setLinks(preparation, linkSettings(c, path), c.ReplicationMS > 0); err != nil {
		return err
	}
	toxics, err := r.links.Snapshot(preparation)
	if err != nil {
		return err
	}
	defer r.restore()
	wanted := server.Preparation{Writes: c.Writes, Settings: settings(c, path)}
	if err := r.servers.Prepare(preparation, wanted, path); err != nil {
		return err
	}
	before, err := r.begin(preparation, c, path, toxics, out)
	if err != nil {
		return err
	}
	r.progress.enter(load)
	loadErr := r.load(ctx, c, path, out)
	after, cancel := context.WithTimeout(ctx, preparing)
	defer cancel()
	// It says more than what it did to the load.
	if err := r.compare(after, toxics, c.ReplicationMS > 0, len(wanted.Settings) > 0); err != nil {
		return err
	}
	if loadErr != nil {
		return loadErr
	}
	r.reconcile(after, c, path, before, out)
	return nil
}

// settings are those that the cell wants applied: its own, and the size of its pooler's pools.
func settings(c lesson.Cell, path server.Path) map[string]map[string]string {
	if c.PoolSize == 0 {
		return c.Settings
	}
	all := maps.Clone(c.Settings)
	if all == nil {
		all = map[string]map[string]string{}
	}
	service := path.PoolerService()
	wanted := map[string]string{server.PoolSizeSetting(path.Path): strconv.Itoa(c.PoolSize)}
	maps.Copy(wanted, all[service])
	all[service] = wanted
	return all
}

// kind says how long c takes beside its load.
func (r *runner) kind(c lesson.Cell) kind { return kindIn(r.set)(c) }

// kindIn tells the kinds of cells over the paths of set.
func kindIn(set *topology.Set) func(lesson.Cell) kind {
	return func(c lesson.Cell) kind {
		p, err := set.Find(c.Path)
		switch {
		case c.Transactions > 0:
			return working
		case err != nil || !server.Forks(p):
			return quick
		case c.Fill:
			return filling
		}
		return forking
	}
}

func (r *runner) path(c lesson.Cell) (server.Path, error) {
	p, err := r.set.Find(c.Path)
	if err != nil {
		return server.Path{}, err
	}
	path, err := server.NewPath(r.set, p, c.Link)
	path.Role, path.PoolSize, path.Fresh = c.Role, c.PoolSize, c.FreshDatabase
	return path, err
}

// begin makes sure that the path leads where its path says, from pools whose state is known, and notes its round
// trip and the counts before the load.
func (r *runner) begin(ctx context.Context, c lesson.Cell, path server.Path, toxics link.Snapshot,
	out *result.Repeat) (server.Tally, error) {
	if r.kind(c) == filling {
		r.progress.enter("filling pools")
	}
	path.SetMS = setMS(path, toxics)
	beginning, err := r.servers.Begin(ctx, path, c.Fill)
	out.Proof = append(out.Proof, beginning.Facts...)
	if wrong := server.Wrong(beginning.Facts); wrong != "" {
		return server.Tally{}, errors.New(wrong)
	}
	if err != nil {
		return server.Tally{}, err
	}
	out.RoundTrip = beginning.RoundTrip
	return beginning.Tally, nil
}

// setMS is the latency that is set on the path: its links lie side by side, and a query goes over one of them.
func setMS(path server.Path, toxics link.Snapshot) (ms float64) {
	for _, l := range path.Crossed {
		ms = max(ms, float64(toxics.SetMS(l.Name)))
	}
	return ms
}

// compare rejects the repeat where links or settings are not what they were before it.
func (r *runner) compare(ctx context.Context, before link.Snapshot, overLink, hasSettings bool) error {
	if err := r.compareNetwork(ctx, before, overLink); err != nil || !hasSettings {
		return err
	}
	difference, err := r.servers.Changed(ctx)
	if err == nil && difference != "" {
		return &rejection{"someone changed a setting meanwhile: " + difference}
	}
	return err
}

// reconcile sets k6's counts beside the servers'. A server that can't tell, since it has just gone down, doesn't
// undo what k6 measured: the repeat is flagged.
func (r *runner) reconcile(ctx context.Context, c lesson.Cell, path server.Path, before server.Tally,
	out *result.Repeat) {
	counts, shares, err := r.servers.Reconcile(ctx, path, before, out.Measured.Counted)
	if err == nil && writesHistory(c, path) {
		var history result.Count
		history, err = r.servers.CountHistory(ctx, out.Measured.Counted.Transactions)
		counts = append(counts, history)
	}
	if err != nil {
		out.Uncounted = err.Error()
		return
	}
	out.Counts = append(out.Counts, counts...)
	out.Shares = append(out.Shares, shares...)
}

// writesHistory says whether each of the cell's transactions inserts a row of pgbench_history.
func writesHistory(c lesson.Cell, path server.Path) bool {
	return c.Writes && path.Database == "postgresql" && strings.HasPrefix(c.Workload, "tpcb")
}
