// Package scenario has two clients carry out what a plan's scenarios say, step by step, and says what became of the
// state that the first of them made. All that it knows of a path is where clients connect.
package scenario

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"pooler-lab/internal/lesson"
	"pooler-lab/internal/result"
	"pooler-lab/internal/shared"
)

// patience is how long a step may take; it only ends what hangs. tries is on how many connections B looks, at most, for
// the backend that A used.
const (
	patience = 10 * time.Second
	tries    = 128
)

// A Place is where the clients connect.
type Place struct {
	DSN, Password string
	// Shared says that a client may get another server connection for each transaction, which others use in between.
	// Keeps says that server connections aren't reset before another client gets them.
	Shared, Keeps bool
}

// Run carries out the scenarios one after the other, each with connections of its own, and ends the backends that keep
// what it made. What goes wrong with a step is what is looked for: the error is ctx's, or of ending them.
func Run(ctx context.Context, at Place, scenarios []lesson.Scenario) (all []result.Scenario, err error) {
	for _, s := range scenarios {
		p := player{Place: at, clients: map[string]*client{}}
		out := p.play(ctx, s)
		all = append(all, out)
		if at.Keeps || out.Outcome == result.Leaks {
			err = p.endBackends(ctx)
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			return nil, fmt.Errorf("scenario %s: end its backends, or the next one would find its state: %w", s.Name, err)
		}
	}
	return all, nil
}

// A player carries out one scenario.
type player struct {
	Place
	clients  map[string]*client // those that are connected, by A and B
	backends []string           // that A's answers came from, as client.do has them
	used     []string           // that anybody's came from
	gone     bool               // none of A's is there any more
	tried    int                // connections that B opened to find one of them
}

// gravest are the outcomes, the gravest first.
var gravest = []result.ScenarioOutcome{result.Leaks, result.Lost, result.Fails, result.NotShown, result.Works}

// play carries out the steps, up to one that fails and shouldn't. The gravest of what they show is the outcome.
func (p *player) play(ctx context.Context, s lesson.Scenario) result.Scenario {
	out := result.Scenario{Name: s.Name, Outcome: result.Works}
	for i, step := range s.Steps {
		did := p.step(ctx, step)
		out.Steps = append(out.Steps, did)
		shows, why := p.shows(did)
		if slices.Index(gravest, shows) < slices.Index(gravest, out.Outcome) {
			out.Outcome, out.Shown, out.Why = shows, i+1, why
		}
		if shows == result.Fails {
			break
		}
	}
	for _, c := range p.clients {
		c.close()
	}
	return out
}

// step has a client take a step.
func (p *player) step(ctx context.Context, step lesson.Step) result.StepTaken {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	name, does := step.Who()
	out := result.StepTaken{Client: name, Does: does, Sees: step.Sees}
	verb, rest := lesson.Verb(strings.ReplaceAll(does, ":backend", lesson.Backend))
	if verb == lesson.VerbDisconnect || verb == lesson.VerbAbort {
		p.leave(name, verb)
		return out
	}
	c, err := p.client(ctx, name, verb, rest)
	var got answer
	switch {
	case err != nil:
		got = failed(err)
	case verb != lesson.VerbConnect:
		got = c.do(ctx, verb, rest)
	}
	p.use(got.backend)
	out.Saw, out.Message, out.Backend = got.String(), got.message, got.backend
	return out
}

// use notes a backend that has been used.
func (p *player) use(backend string) {
	if backend != "" && !slices.Contains(p.used, backend) {
		p.used = append(p.used, backend)
	}
}

// leave ends the client's connection.
func (p *player) leave(name, verb string) {
	c := p.clients[name]
	delete(p.clients, name)
	switch {
	case c == nil:
	case verb == lesson.VerbAbort:
		c.abort()
	default:
		c.close()
	}
}

// client is the client of that name, which connects first where it isn't connected, or is to connect anew.
func (p *player) client(ctx context.Context, name, verb, rest string) (*client, error) {
	if c := p.clients[name]; c != nil && verb != lesson.VerbConnect {
		return c, nil
	}
	settings := ""
	if verb == lesson.VerbConnect {
		p.leave(name, lesson.VerbDisconnect)
		settings = rest
	}
	c, backend, err := p.connect(ctx, settings)
	if err == nil && name == "B" && p.clients["A"] == nil && len(p.backends) > 0 {
		c = p.follow(ctx, c, backend, settings)
	}
	if err == nil {
		p.clients[name] = c
	}
	return c, err
}

// connect opens a connection, and asks which backend it has.
func (p *player) connect(ctx context.Context, settings string) (c *client, backend string, err error) {
	if c, err = open(ctx, p.Place, settings); err != nil {
		return nil, "", err
	}
	if backend, err = c.backend(ctx); err != nil {
		c.close()
		return nil, "", err
	}
	p.use(backend)
	return c, backend, nil
}

// follow is B after A has left: it opens connections, c is the first, until one of them has a backend that A used, or
// no such backend is there any more. Meanwhile it keeps those that have others. It gives up after a while: a pooler may
// have none left.
func (p *player) follow(ctx context.Context, c *client, backend, settings string) *client {
	var kept []*client
	_ = shared.Until(ctx, patience/2, time.Millisecond, func() (bool, error) {
		p.gone, p.tried = p.left(ctx, c, backend), len(kept)+1
		if p.gone || slices.Contains(p.backends, backend) || len(kept) == tries {
			return true, nil
		}
		soon, cancel := context.WithTimeout(ctx, patience/10)
		defer cancel()
		if next, on, err := p.connect(soon, settings); err == nil {
			kept = append(kept, c)
			c, backend = next, on
		}
		return false, nil
	})
	for _, k := range kept {
		k.close()
	}
	return c
}

// left says whether the server that has that backend has none of A's any more. Of another server's nothing is known.
func (p *player) left(ctx context.Context, c *client, backend string) bool {
	of := onServer(backend, p.backends)
	if len(of) < len(p.backends) {
		return false
	}
	found := c.do(ctx, lesson.VerbQuery, "SELECT count(*) FROM pg_stat_activity WHERE pid IN ("+strings.Join(of, ", ")+")")
	return found.String() == "0"
}

// shows is what the step shows, and of what isn't shown why. Where A isn't alone on its backend, or has left it, a step
// of B that looks for what A made proves something only on a backend that A has used.
func (p *player) shows(did result.StepTaken) (shows result.ScenarioOutcome, why string) {
	byA := slices.Contains(p.backends, did.Backend)
	if did.Client == "A" && did.Backend != "" && !byA {
		p.backends = append(p.backends, did.Backend)
	}
	asWanted := did.Sees == nil && did.Message == "" || did.Sees != nil && matches(*did.Sees, did.Saw)
	apart := !p.Shared && p.clients["A"] != nil
	switch {
	case asWanted && did.Client == "B" && did.Backend != "" && !byA && !apart && !p.gone:
		return result.NotShown, p.elsewhere()
	case asWanted:
		return result.Works, ""
	case did.Message != "":
		return result.Fails, ""
	case did.Client == "B" && did.Backend == "":
		return result.NotShown, "B's answer doesn't say which backend it came from"
	case did.Client == "B" && byA:
		return result.Leaks, ""
	}
	return result.Lost, ""
}

// elsewhere says why B isn't on a backend that A used.
func (p *player) elsewhere() string {
	if p.tried > 0 {
		return fmt.Sprintf("none of the connections that B opened (%d) got a backend of A's", p.tried)
	}
	return "B was on another backend than A"
}

// matches says whether an answer is the one that is wanted: error stands for any with an SQLSTATE.
func matches(wanted, saw string) bool {
	if wanted == "error" {
		return strings.HasPrefix(saw, "error ")
	}
	return wanted == saw
}

// endBackends ends those that the scenario used, so that the next one finds nothing of it, and waits until a new
// connection gets another one.
func (p *player) endBackends(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	return shared.Until(ctx, patience, 10*time.Millisecond, func() (bool, error) {
		ended := slices.Clone(p.used)
		c, backend, err := p.connect(ctx, "")
		if err != nil {
			return false, nil
		}
		defer c.close()
		pids := onServer(backend, ended)
		if len(pids) == 0 {
			return true, nil
		}
		// Its own backend may have another role by now, which may not end them.
		c.do(ctx, lesson.VerbQuery, fmt.Sprintf("RESET ROLE; SELECT pg_terminate_backend(pid, %d) FROM pg_stat_activity "+
			"WHERE pid IN (%s)", patience.Milliseconds(), strings.Join(pids, ", ")))
		return !slices.Contains(ended, backend), nil
	})
}
