// Package fault breaks the lab's PostgreSQL nodes, heals them, and moves the primary's role from one to the other.
//
// What a node is to be stands in files of the volume "nodes". Its start script (images/postgres/node) reads them ten
// times a second and does what they say. So what is to be undone is on disk before it is done, whoever ends meanwhile.
package fault

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"pooler-lab/internal/pooler"
	"pooler-lab/internal/session"
	"pooler-lab/internal/shared"
	"pooler-lab/internal/topology"
	"pooler-lab/internal/wording"
)

// The ways to break a node.
const (
	Kill   = "kill"   // all processes of the server at once, as if they had crashed: its host refuses connections
	Stop   = "stop"   // a fast shutdown: what is committed is written and sent to the other node
	Freeze = "freeze" // the container is paused: its kernel still accepts connections and acknowledges, nobody answers
	Unplug = "unplug" // off the network: nothing answers, and nothing is refused
)

// ForOne and ForBoth are the verbs: those that take a node, and those that concern both.
func ForOne() []string  { return []string{Kill, Stop, Freeze, Unplug, "heal", "promote"} }
func ForBoth() []string { return []string{"switchover", "reset"} }

// A Fault is what is broken on a node, and since when.
type Fault struct {
	Node, Verb string
	Since      time.Time
}

// String is as people are told of it: killed at 20:04:17 UTC.
func (f Fault) String() string {
	return fmt.Sprintf("%s at %s UTC", f.Is(), f.Since.UTC().Format(time.TimeOnly))
}

// Is says what the node is: killed, stopped, frozen or unplugged.
func (f Fault) Is() string {
	return map[string]string{Kill: "killed", Stop: "stopped", Freeze: "frozen", Unplug: "unplugged"}[f.Verb]
}

// Find returns the fault of a node, not ok where it has none.
func Find(node string) (f Fault, ok bool) {
	info, err := os.Stat(brokenFile(node))
	if err != nil {
		return Fault{}, false
	}
	return Fault{node, topology.Told(node + ".broken"), info.ModTime()}, true
}

// Wrong says what isn't as it is after a start of the lab, and what mends it; "" where all is.
func Wrong() string {
	var broken []string
	for _, node := range topology.Nodes() {
		if f, is := Find(node); is {
			broken = append(broken, fmt.Sprintf("%s is broken, %v", node, f))
		}
	}
	if len(broken) > 0 {
		return strings.Join(broken, "; ") + ": 'scripts/break reset' heals " + map[int]string{1: "it", 2: "both"}[len(broken)]
	}
	if now := topology.Primary(); now != topology.PrimaryNode {
		return fmt.Sprintf("%s is the primary just now: 'scripts/break reset' gives the role back to %s", now,
			topology.PrimaryNode)
	}
	return ""
}

func brokenFile(node string) string { return filepath.Join(topology.NodesFolder(), node+".broken") }

// tell writes one of the files at once, or not at all.
func tell(file, word string) error {
	if err := shared.WriteFile(file, []byte(word+"\n")); err != nil {
		return fmt.Errorf("tell the node: %w", err)
	}
	return nil
}

// Faults breaks and heals. It says on out what became true, and when.
type Faults struct {
	out     io.Writer
	poolers map[string]pooler.Pooler // by service
	proxies []string                 // services that pass connections on and pool none
	docker  docker
	now     func() time.Time
}

// New prepares it for the lab's poolers. Nothing is connected to yet.
func New(set *topology.Set, out io.Writer) (*Faults, error) {
	poolers, err := pooler.All(set)
	if err != nil {
		return nil, err
	}
	return &Faults{out: out, poolers: poolers, proxies: set.Proxies(), docker: newDocker(), now: time.Now}, nil
}

// Close ends the lab's own sessions with poolers.
func (f *Faults) Close() {
	for _, p := range f.poolers {
		p.Close()
	}
}

func (f *Faults) say(node, text string, args ...any) {
	fmt.Fprintf(f.out, "%s  %-15s %s\n", f.now().UTC().Format("15:04:05.000"), node, fmt.Sprintf(text, args...))
}

// Do carries out a verb on a node, or on both, where the node is "".
func (f *Faults) Do(ctx context.Context, verb, node string) error {
	nodes := topology.Nodes()
	switch both := slices.Contains(ForBoth(), verb); {
	case strings.HasPrefix(verb, "un") && verb != Unplug, verb == "rejoin":
		return fmt.Errorf("there is no verb %q: 'heal' undoes whatever broke a node, as in: scripts/break heal %s", verb,
			nodes[0])
	case !both && !slices.Contains(ForOne(), verb):
		return wording.Unknown("verb", verb, append(ForOne(), ForBoth()...))
	case both && node != "":
		return fmt.Errorf("%s concerns both nodes: write it without %s", verb, node)
	case !both && node == "":
		return fmt.Errorf("name a node, %s or %s, as in: scripts/break %s %s", nodes[0], nodes[1], verb, nodes[0])
	case !both && !slices.Contains(nodes, node):
		return wording.Unknown("node", node, nodes)
	}
	free, err := hold()
	if err != nil {
		return err
	}
	defer free()
	switch verb {
	case "switchover":
		err = f.Switchover(ctx)
	case "reset":
		err = f.Reset(ctx)
	case "heal":
		err = f.Heal(ctx, node)
	case "promote":
		err = f.Promote(ctx, node)
	default:
		err = f.Break(ctx, verb, node)
	}
	if err != nil && ctx.Err() != nil {
		return fmt.Errorf("%s was stopped before it was done: 'scripts/break' shows how far it came, and "+
			"'scripts/break reset' puts everything back (%w)", verb, err)
	}
	return err
}

// hold keeps others from carrying out a verb, in this program or in another one, until free is called. It ends with the
// program.
func hold() (free func(), err error) {
	file, err := os.OpenFile(filepath.Join(topology.NodesFolder(), "lock"), os.O_CREATE|os.O_RDWR, 0o666)
	if err != nil {
		return nil, fmt.Errorf("keep others from breaking nodes: %w", err)
	}
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		file.Close()
		return nil, errors.New("another verb is under way, here or in the console: wait until it is done")
	}
	return func() { file.Close() }, nil
}

// Break breaks a node, and waits until clients see it.
func (f *Faults) Break(ctx context.Context, verb, node string) error {
	if err := whole(node); err != nil {
		return err
	}
	if err := tell(brokenFile(node), verb); err != nil {
		return err
	}
	switch verb {
	case Freeze:
		if err := f.docker.pause(ctx, node); err != nil {
			return f.takeBack(ctx, node, err)
		}
		return f.until(ctx, node, "frozen: it accepts connections and answers nothing", silent(node))
	case Unplug:
		if err := f.docker.unplug(ctx, node); err != nil {
			return f.takeBack(ctx, node, err)
		}
		return f.until(ctx, node, "unplugged: it answers nothing", unreachable(node))
	case Stop:
		return f.until(ctx, node, "shut down: it refuses connections", refuses(node))
	}
	return f.until(ctx, node, "killed: it refuses connections", refuses(node))
}

// takeBack undoes a fault that Docker couldn't bring about: a node that answers must not pass for a broken one, or the
// other could be promoted beside it. The error is why Docker couldn't.
func (f *Faults) takeBack(ctx context.Context, node string, why error) error {
	if err := f.letGo(context.WithoutCancel(ctx), node); err != nil {
		return errors.Join(why, err)
	}
	return errors.Join(why, os.Remove(brokenFile(node)))
}

// Heal undoes what broke a node and waits until the node is what it is to be, and all that stand in front of both nodes
// know it.
func (f *Faults) Heal(ctx context.Context, node string) error {
	if err := f.mend(ctx, node); err != nil {
		return err
	}
	if _, broken := Find(topology.OtherNode(node)); broken {
		return nil
	}
	return f.followAll(ctx)
}

// mend undoes what broke a node and waits until the node is what it is to be: the primary, or a standby that streams.
// One that was the primary when it broke, and isn't any more, is cloned anew.
func (f *Faults) mend(ctx context.Context, node string) error {
	now, broken := Find(node)
	if !broken {
		return fmt.Errorf("%s isn't broken: 'scripts/break' shows what is", node)
	}
	if node != topology.Primary() && serverOf(node) != "standby" {
		if err := whole(topology.Primary()); err != nil {
			return fmt.Errorf("%s can't follow the primary: %w", node, err)
		}
	}
	if now.Verb == Freeze || now.Verb == Unplug {
		if err := f.letGo(ctx, node); err != nil {
			return err
		}
	}
	if err := os.Remove(brokenFile(node)); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("heal %s: %w", node, err)
	}
	return f.await(ctx, node)
}

// letGo lets a frozen or unplugged node take part again. One that has been the primary, and isn't any more, may have
// statements of clients and answers to them in its network stack. No client may get these: its container starts anew,
// off the network.
func (f *Faults) letGo(ctx context.Context, node string) error {
	steps := []func(context.Context, string) error{f.docker.resume, f.docker.plug}
	if serverOf(node) == "primary" && node != topology.Primary() {
		// An engine may put a container back on its network as it starts, at another address.
		steps = []func(context.Context, string) error{f.docker.unplug, f.docker.restart, f.docker.unplug, f.docker.plug}
	}
	for _, step := range steps {
		if err := step(ctx, node); err != nil {
			return err
		}
	}
	return nil
}

// serverOf is what a node's start script says of its server: primary, standby or down; "" before its first start.
func serverOf(node string) string { return topology.Told(node + ".server") }

// await waits until a node is what it is to be.
func (f *Faults) await(ctx context.Context, node string) error {
	if node == topology.Primary() {
		return f.until(ctx, node, "takes writes", takesWrites(node))
	}
	if whole(topology.Primary()) != nil {
		return f.until(ctx, node, "answers, and has no primary to follow", asking(node, "SELECT pg_is_in_recovery()",
			"it is no standby"))
	}
	return f.until(ctx, node, "streams from "+topology.OtherNode(node), streams(node))
}

// Promote has a standby become the primary, and waits until it takes writes and poolers send theirs to it. The node
// that was the primary must be broken: two that take writes would part.
func (f *Faults) Promote(ctx context.Context, node string) error {
	old := topology.OtherNode(node)
	if err := whole(node); err != nil {
		return err
	}
	if topology.Primary() == node {
		return fmt.Errorf("%s is the primary already", node)
	}
	if _, broken := Find(old); !broken {
		return fmt.Errorf("%s is still the primary and isn't broken: 'scripts/break kill %s' breaks it, "+
			"and 'scripts/break switchover' changes the roles without breaking anything", old, old)
	}
	return f.promote(ctx, node)
}

func (f *Faults) promote(ctx context.Context, node string) error {
	if err := tell(filepath.Join(topology.NodesFolder(), "primary"), node); err != nil {
		return err
	}
	if err := f.until(ctx, node, "promoted, it takes writes", takesWrites(node)); err != nil {
		return err
	}
	return f.follow(ctx, pooler.Pooler.HoldsBack)
}

// follow waits until the poolers that are meant send writes to the primary.
func (f *Faults) follow(ctx context.Context, meant func(pooler.Pooler) bool) error {
	node := topology.Primary()
	for _, service := range slices.Sorted(maps.Keys(f.poolers)) {
		p := f.poolers[service]
		if !meant(p) {
			continue
		}
		follows := func(ctx context.Context) error { return p.Follows(ctx, node) }
		if err := f.until(ctx, service, "sends writes to "+node, follows); err != nil {
			return err
		}
	}
	return nil
}

// followAll waits until all that stand in front of both nodes send writes to the primary, once both nodes are whole.
func (f *Faults) followAll(ctx context.Context) error {
	if err := f.follow(ctx, func(p pooler.Pooler) bool { return !p.HoldsBack() }); err != nil {
		return err
	}
	for _, service := range f.proxies {
		if err := f.until(ctx, service, "sends clients to "+topology.Primary(), always(takesWrites(service))); err != nil {
			return err
		}
	}
	return nil
}

// always asks several times in a row: who takes both nodes for the primary sends one client here and the next one
// there.
func always(wrong func(context.Context) error) func(context.Context) error {
	return func(ctx context.Context) error {
		return errors.Join(wrong(ctx), wrong(ctx), wrong(ctx))
	}
}

// Switchover changes the roles as planned: PgBouncer holds transactions back, the primary shuts down, the standby is
// promoted, PgBouncer goes on, and the old primary becomes the standby.
func (f *Faults) Switchover(ctx context.Context) error { return f.changeRoles(ctx, true) }

// changeRoles is a switchover. Unless clients are to see no error, it goes on where transactions under way don't end:
// one may wait for a server that is gone.
func (f *Faults) changeRoles(ctx context.Context, withoutErrors bool) error {
	from := topology.Primary()
	to := topology.OtherNode(from)
	for _, node := range topology.Nodes() {
		if err := whole(node); err != nil {
			return err
		}
	}
	if err := streams(to)(ctx); err != nil {
		return fmt.Errorf("%s can't take over: %w", to, err)
	}
	err := f.pause(ctx)
	if err == nil || !withoutErrors && ctx.Err() == nil {
		err = f.handOver(ctx, from, to)
	}
	if err := errors.Join(err, f.resume(context.WithoutCancel(ctx))); err != nil {
		return err
	}
	return f.Heal(ctx, from)
}

// handOverTime is how long it may take at most until the standby is the primary.
const handOverTime = 2 * time.Minute

// handOver leaves to as the primary and from shut down. It goes on to its end where ctx ends: poolers hold transactions
// back meanwhile, and half a switchover is worse than none.
func (f *Faults) handOver(ctx context.Context, from, to string) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), handOverTime)
	defer cancel()
	if err := f.Break(ctx, Stop, from); err != nil {
		return err
	}
	return f.promote(ctx, to)
}

// whole returns an error where a node is broken.
func whole(node string) error {
	if f, broken := Find(node); broken {
		return fmt.Errorf("%s is broken, %v: heal it first, with 'scripts/break heal %s'", node, f, node)
	}
	return nil
}

// Reset heals what is broken, and gives each node the role that it is called after.
func (f *Faults) Reset(ctx context.Context) error {
	if err := f.resume(ctx); err != nil {
		return err
	}
	if Wrong() == "" {
		fmt.Fprintln(f.out, "nothing is broken")
		return nil
	}
	now := topology.Primary()
	for _, node := range []string{now, topology.OtherNode(now)} { // the second one may have to clone the first
		heal := f.await
		if _, broken := Find(node); broken {
			heal = f.mend
		}
		if err := heal(ctx, node); err != nil {
			return err
		}
	}
	if now == topology.PrimaryNode {
		return f.followAll(ctx)
	}
	return f.changeRoles(ctx, false)
}

// pause has poolers hold back the transactions that come, once those under way have ended.
func (f *Faults) pause(ctx context.Context) error {
	for _, service := range slices.Sorted(maps.Keys(f.poolers)) {
		p := f.poolers[service]
		if !p.HoldsBack() {
			continue
		}
		bounded, cancel := context.WithTimeout(ctx, pauseWait)
		err := p.Pause(bounded)
		cancel()
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			return fmt.Errorf("%s has transactions under way that don't end within %v, so nothing is changed: %w", service,
				pauseWait, err)
		}
		f.say(service, "holds transactions back")
	}
	return nil
}

// resume has poolers go on that hold transactions back.
func (f *Faults) resume(ctx context.Context) error {
	for _, service := range slices.Sorted(maps.Keys(f.poolers)) {
		held, err := f.poolers[service].Resume(ctx)
		if err != nil {
			return fmt.Errorf("%s still holds transactions back ('scripts/break reset' tries again): %w", service, err)
		}
		if held {
			f.say(service, "goes on")
		}
	}
	return nil
}

// How long transactions under way may hold up a switchover, how long a server is waited for each time it is asked, and
// after how long it is said again what is waited for.
const (
	pauseWait  = 5 * time.Second
	answerWait = 5 * time.Second
	sayAgain   = 5 * time.Second
)

// until waits until wrong returns no error, says what is true then, and says meanwhile what isn't. Only ctx ends it.
func (f *Faults) until(ctx context.Context, node, what string, wrong func(context.Context) error) error {
	said := f.now()
	var last error
	err := shared.Until(ctx, shared.Forever, 20*time.Millisecond, func() (bool, error) {
		once, cancel := context.WithTimeout(ctx, answerWait)
		defer cancel()
		if last = wrong(once); last != nil && f.now().Sub(said) >= sayAgain {
			said = f.now()
			f.say(node, "not yet: %s", session.Reason(last, node))
		}
		return last == nil, nil
	})
	if err != nil {
		return fmt.Errorf("wait until %s %s: %w (%v)", node, what, err, last)
	}
	f.say(node, "%s", what)
	return nil
}

// takesWrites returns no error once the node is a primary.
func takesWrites(node string) func(context.Context) error {
	return asking(node, "SELECT NOT pg_is_in_recovery()", "it is still a standby")
}

// streams returns no error once the node is a standby that receives what the other one writes.
func streams(node string) func(context.Context) error {
	return asking(node, "SELECT EXISTS (SELECT FROM pg_stat_wal_receiver WHERE status = 'streaming')",
		"it doesn't stream from "+topology.OtherNode(node))
}

// asking returns a function that asks a node on a new connection, and returns an error unless the answer is yes.
func asking(node, sql, otherwise string) func(context.Context) error {
	return func(ctx context.Context) error {
		s, err := session.Open(ctx, topology.NodeDSN(node), topology.LabPassword())
		if err != nil {
			return err
		}
		defer s.Close()
		var answer bool
		if err := s.QueryRow(ctx, sql).Scan(&answer); err != nil {
			return err
		}
		if !answer {
			return errors.New(otherwise)
		}
		return nil
	}
}

// dial connects to a node's server and says nothing there.
func dial(ctx context.Context, node string) error {
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", net.JoinHostPort(node, "5432"))
	if err == nil {
		conn.Close()
	}
	return err
}

// refuses returns no error once the node's host refuses connections.
func refuses(node string) func(context.Context) error {
	return func(ctx context.Context) error {
		err := dial(ctx, node)
		if errors.Is(err, syscall.ECONNREFUSED) {
			return nil
		}
		if err == nil {
			return errors.New("it still accepts connections")
		}
		return err
	}
}

// patience is how long a node that answers at all takes at most.
const patience = 500 * time.Millisecond

// silent returns no error once the node accepts connections, and nobody answers there.
func silent(node string) func(context.Context) error {
	return func(ctx context.Context) error {
		if err := dial(ctx, node); err != nil {
			return err
		}
		ctx, cancel := context.WithTimeout(ctx, patience)
		defer cancel()
		return noAnswer(ctx, takesWrites(node)(ctx))
	}
}

// unreachable returns no error once nothing comes back from the node's address.
func unreachable(node string) func(context.Context) error {
	return func(ctx context.Context) error {
		ctx, cancel := context.WithTimeout(ctx, patience)
		defer cancel()
		return noAnswer(ctx, dial(ctx, node))
	}
}

// noAnswer returns no error where err is that ctx has ended.
func noAnswer(ctx context.Context, err error) error {
	if ctx.Err() != nil && err != nil {
		return nil
	}
	return fmt.Errorf("it still answers (%v)", err)
}
