package lesson

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"pooler-lab/internal/wording"
)

// Itself is the driver of cells with scenarios: their clients are in the lab's own program.
const Itself = "lab"

// Backend are the columns by which a step says which backend answers: its process ID, and its server's address. The
// time, which is a volatile function's, has a balancer ask the primary. In a plan they are called :backend, as psql has
// it after \set backend.
const Backend = "pg_backend_pid() AS pid, inet_server_addr() AS server, clock_timestamp() AS at"

// A Scenario is what two clients, A and B, do one after the other. A makes state that belongs to its session, and B
// must not see it.
type Scenario struct {
	Name       string       `yaml:"name"` // in a few words
	Steps      []Step       `yaml:"steps"`
	Documented []Documented `yaml:"documented"`
}

// A Step is what one of the clients does: SQL, or one of the verbs with what follows it.
type Step struct {
	A    string  `yaml:"A"`
	B    string  `yaml:"B"`
	Sees *string `yaml:"sees"` // the answer that it must get; nil is any but an error
}

// Documented is what documentation says of a scenario, by path.
type Documented struct {
	Source      string   `yaml:"source"`
	Works       []string `yaml:"works"`
	DoesNotWork []string `yaml:"does_not_work"`
}

// Who is the client that takes the step, and what it does.
func (s Step) Who() (client, does string) {
	client, does = "A", s.A
	if s.A == "" {
		client, does = "B", s.B
	}
	return client, strings.TrimSpace(does)
}

// What a step can do beside sending SQL as one simple query. Names and meanings are psql's where it has them.
const (
	VerbQuery      = ""           // SQL; rows of a COPY FROM STDIN follow in lines of their own, and \.
	VerbConnect    = "connect"    // anew, with more of libpq's settings: \connect options='-c work_mem=9MB'
	VerbDisconnect = "disconnect" // as a client does that has done its work
	VerbAbort      = "abort"      // the connection breaks
	VerbParse      = "parse"      // a prepared statement by the protocol: \parse NAME SQL; '' is the unnamed one
	VerbBindNamed  = "bind_named" // executes it: \bind_named NAME
	VerbPipeline   = "pipeline"   // statements by the extended protocol, with one Sync: \pipeline SQL; SQL
	VerbCancel     = "cancel"     // SQL as a simple query, and cancel requests until it ends
)

// verbs are all of them, as they are typed, with what each needs.
var verbs = map[string][]string{VerbConnect: {"SETTINGS"}, VerbDisconnect: nil, VerbAbort: nil,
	VerbParse: {"NAME", "SQL"}, VerbBindNamed: {"NAME"}, VerbPipeline: {"SQL"}, VerbCancel: {"SQL"}}

// checkVerb says what is wrong with a step's verb.
func checkVerb(does string) error {
	verb, rest := Verb(does)
	needs, known := verbs[verb]
	switch {
	case verb == VerbQuery:
		return nil
	case !known:
		return fmt.Errorf(`\%s: %w`, verb, wording.Unknown("verb", verb, slices.Sorted(maps.Keys(verbs))))
	case len(strings.Fields(rest)) < len(needs):
		return fmt.Errorf(`\%s needs %s`, verb, strings.Join(needs, " "))
	}
	return nil
}

// Verb is what a step does, and with what.
func Verb(does string) (verb, rest string) {
	after, is := strings.CutPrefix(does, `\`)
	if !is {
		return VerbQuery, does
	}
	verb, rest, _ = strings.Cut(after, " ")
	return verb, strings.TrimSpace(rest)
}

// validateScenarios says what is wrong with an experiment that has scenarios.
func (e *Experiment) validateScenarios() error {
	var names []string
	for _, s := range e.Scenarios {
		if slices.Contains(names, s.Name) {
			return fmt.Errorf("two scenarios are called %s: give each a name of its own", s.Name)
		}
		names = append(names, s.Name)
		for i, step := range s.Steps {
			_, does := step.Who()
			if err := checkVerb(does); err != nil {
				return fmt.Errorf("scenario %s, step %d: %w", s.Name, i+1, err)
			}
		}
	}
	return nil
}

// checkDocumented returns an error for a path that isn't one, of those that documentation says something of.
func (e *Experiment) checkDocumented(paths []string) error {
	for _, s := range e.Scenarios {
		for _, d := range s.Documented {
			for _, p := range slices.Concat(d.Works, d.DoesNotWork) {
				if !slices.Contains(paths, p) {
					return fmt.Errorf("scenario %s: documented: %w", s.Name, wording.Unknown("path", p, paths))
				}
			}
		}
	}
	return nil
}
