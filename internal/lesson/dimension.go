package lesson

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"pooler-lab/internal/wording"
)

// A Dimension is something in which cells differ. All that reads or writes one of a cell has it from here: plans, the
// command line, ids of cells, selectors, tables, CSV, charts and pages.
type Dimension struct {
	Name    string // a cell's key in run.json, selectors and charts, and its column in CSV
	Key     string // of its values in a plan's experiment, which the command line can replace; "" has none
	Heading string // of its column in tables, "" where it has none
	Axis    string // what an axis of a chart says
	Help    string // what its option on the command line does

	of   func(*Cell) any    // a Value as it is; of what else there is, 0, "" and false are none
	none string             // what it is not to have one, in a column
	unit string             // that a number may have on the command line
	lone bool               // its key has one value and no list
	id   func(Value) string // its part of a cell's id, "" leaves it out; nil is never part of it
	text func(Value) string // as a sentence says it, "" where there is nothing to say
}

// plain says a value as it is.
func plain(v Value) string { return v.String() }

// in is a text with the value at its %s.
func in(format string) func(Value) string {
	return func(v Value) string { return fmt.Sprintf(format, v) }
}

// either is a text with the value at its %s, and another one where there is no value.
func either(format, none string) func(Value) string {
	return func(v Value) string {
		if v == None {
			return none
		}
		return fmt.Sprintf(format, v)
	}
}

// but is a word, and nothing for those that go without saying.
func but(usual ...Value) func(Value) string {
	return func(v Value) string {
		if v == None || slices.Contains(usual, v) {
			return ""
		}
		return v.String()
	}
}

// counted is a number of things, and nothing where there are none.
func counted(one, many string) func(Value) string {
	return func(v Value) string {
		switch v {
		case None:
			return ""
		case Number(1):
			return "1 " + one
		}
		return fmt.Sprintf("%s %s", v, many)
	}
}

// dimensions stand in the order in which ids, tables and CSV have them.
var dimensions = []Dimension{
	{Name: "experiment", id: plain, text: plain, of: func(c *Cell) any { return c.Experiment }},
	{Name: "path", Key: "paths", Axis: "path", Help: "these paths, such as direct,pgpool",
		id: plain, text: plain, of: func(c *Cell) any { return c.Path }},
	{Name: "latency_ms", Key: "latencies", Heading: "latency", Axis: "round trip set on the link, ms",
		Help: "these round trips in milliseconds, such as none,0,0.5,10ms (none: no toxiproxy in the way)",
		id:   either("%sms", "none"), text: either("%s ms", "no toxiproxy"), none: "none", unit: "ms",
		of: func(c *Cell) any { return c.Latency }},
	{Name: "link", Heading: "link", Axis: "link", text: either("on link %s", ""),
		of: func(c *Cell) any { return c.Link }},
	{Name: "workload", Heading: "workload", Axis: "workload", id: plain, text: plain,
		of: func(c *Cell) any { return c.Workload }},
	{Name: "clients", Key: "clients", Heading: "clients", Axis: "clients",
		Help: "these numbers of clients, such as 1,10,100",
		id:   in("%sc"), text: counted("client", "clients"), of: func(c *Cell) any { return c.Clients }},
	{Name: "protocol", Key: "protocol", Heading: "protocol", Axis: "protocol",
		Help: "these protocols: simple, extended, prepared",
		id:   plain, text: in("%s protocol"), of: func(c *Cell) any { return c.Protocol }},
	{Name: "driver", Key: "driver", Heading: "driver", Axis: "driver",
		Help: "the program that clients are in: k6, pgbench, or both",
		id:   but(Word(K6), Word(Itself)), text: but(Word(K6), Word(Itself)), of: func(c *Cell) any { return c.DrivenBy() }},
	{Name: "role", Key: "roles", Heading: "role", Axis: "role",
		Help: "these logins: app, app_clear (poolers hold its clear password), app_trust (no password)",
		id:   but(Word(usualRole)), text: but(Word(usualRole)), of: func(c *Cell) any { return c.Role }},
	{Name: "pool_size", Key: "pool_sizes", Heading: "pool", Axis: "server connections in the pooler's pool",
		Help: "these sizes of the pooler's pool, such as 5,20,60",
		id:   either("pool%s", ""), text: either("pool of %s", ""), none: "-", of: func(c *Cell) any { return c.PoolSize }},
	{Name: "instances", Key: "instances", Heading: "instances", Axis: "application instances",
		Help: "the clients divided among so many application instances, each with a pool of its own",
		id:   either("%sinstances", ""), text: counted("app instance", "app instances"), none: "-",
		of: func(c *Cell) any { return c.Instances }},
	{Name: "instance_pool", Key: "instance_pools", Heading: "pool each", Axis: "connections in each instance's pool",
		Help: "these sizes of an application instance's pool",
		id:   either("%seach", ""), text: either("pool of %s each", ""), none: "-",
		of: func(c *Cell) any { return c.InstancePool }},
	{Name: "hot_rows", Key: "hot_rows", Heading: "hot rows", Axis: "accounts that clients read",
		Help: "only so many of pgbench's accounts, such as 1000,100000",
		id:   either("%srows", ""), text: either("%s hot rows", ""), none: "all", of: func(c *Cell) any { return c.HotRows }},
	{Name: "rate", Key: "rate", Heading: "rate", Axis: "iterations a second that are due",
		Help: "`iterations` per second over all clients, of the open loops where there are any",
		text: either("open loop, %s iterations/s", "closed loop"), none: "closed loop", lone: true,
		of: func(c *Cell) any { return c.Rate }},
	{Name: "transactions", Heading: "each does", Axis: "transactions of each client", none: "-",
		text: counted("transaction each", "transactions each"), of: func(c *Cell) any { return c.Transactions }},
	{Name: "bandwidth_kb_s", Heading: "KB/s", Axis: "bandwidth of the link, KB/s", none: "no limit",
		text: either("%s KB/s a connection", ""), of: func(c *Cell) any { return c.BandwidthKBs }},
	{Name: "replication_ms", Heading: "repl. ms", Axis: "round trip set on replication, ms", none: "-",
		text: either("%s ms on replication", ""), of: func(c *Cell) any { return c.ReplicationMS }},
	{Name: "fresh_database", Heading: "new database", Axis: "new database", none: "no",
		text: func(v Value) string { return map[bool]string{true: "a new database"}[v != None] },
		of:   func(c *Cell) any { return c.FreshDatabase }},
	{Name: "settings", Heading: "settings", Axis: "settings", text: either("%s", ""), none: "-", of: settingsOf},
	{Name: "params", Heading: "params", Axis: "params", text: either("%s", ""), none: "-", of: paramsOf},
	{Name: "seconds", Key: "seconds", Help: "length of each measured window, in `seconds`", lone: true,
		of: func(c *Cell) any { return c.Seconds }},
	{Name: "warmup_seconds", Key: "warmup_seconds", Help: "least `seconds` that the clients of a closed loop warm up",
		lone: true, of: func(c *Cell) any { return c.Warmup }},
	{Name: "fill_pools", of: func(c *Cell) any { return c.FillPools }},
	{Name: "writes", of: func(c *Cell) any { return c.Writes }},
	{Name: "repeats_wanted", Key: "repeats", lone: true,
		Help: "how many `times` to run each cell, in blocks: nothing runs side by side then",
		of:   func(c *Cell) any { return cmp.Or(c.Planned, c.Wanted) }},
}

// settingsOf are the cell's own: primary.work_mem=64MB, in the order of their names.
func settingsOf(c *Cell) any {
	var all []string
	for component, names := range c.Settings {
		for name, value := range names {
			all = append(all, component+"."+name+"="+value)
		}
	}
	slices.Sort(all)
	return strings.Join(all, " ")
}

// paramsOf are the cell's own: rows=400000, in the order of their names.
func paramsOf(c *Cell) any {
	var all []string
	for name, text := range c.ParamTexts() {
		all = append(all, name+"="+text)
	}
	slices.Sort(all)
	return strings.Join(all, " ")
}

// ParamTexts are the cell's params as JSON, by name; a text stands without its quotes.
func (c *Cell) ParamTexts() map[string]string {
	texts := map[string]string{}
	for name, value := range c.Params {
		text, _ := json.Marshal(value) // a plan holds nothing that JSON can't
		texts[name] = strings.Trim(string(text), `"`)
	}
	return texts
}

// param is the dimension of one of the cells' params.
func param(name string) Dimension {
	axis := strings.ReplaceAll(name, "_", " ")
	return Dimension{Name: "params." + name, Heading: name, Axis: axis, none: "-", text: either(name+" %s", ""),
		of: func(c *Cell) any {
			v := Value{c.Params[name]}
			if v.from(nil) != nil {
				return None
			}
			return v
		}}
}

// Dimensions are all that there are, in the order in which tables have them.
func Dimensions() []Dimension { return slices.Clone(dimensions) }

// DimensionNamed finds the dimension of that name; params.x is the param x.
func DimensionNamed(name string) (Dimension, error) {
	if of, ok := strings.CutPrefix(name, "params."); ok {
		return param(of), nil
	}
	var names []string
	for _, d := range dimensions {
		if d.Name == name {
			return d, nil
		}
		names = append(names, d.Name)
	}
	return Dimension{}, wording.Unknown("dimension", name, names)
}

// Option is the name of the option that replaces the dimension's values, "" where there is none.
func (d Dimension) Option() string {
	switch d.Key {
	case "protocol": // plans have one, mostly
		return "protocols"
	case "warmup_seconds":
		return "warmup"
	}
	return strings.ReplaceAll(d.Key, "_", "-")
}

// Of is the cell's value.
func (d Dimension) Of(c *Cell) Value {
	switch is := d.of(c).(type) {
	case Value:
		return is
	case int:
		return Number(float64(is)).orNone()
	default:
		return Value{is}.orNone()
	}
}

// Column is a value as a table's column has it, without the unit that the heading says.
func (d Dimension) Column(v Value) string {
	if v == None && d.none != "" {
		return d.none
	}
	if d.Name == "latency_ms" {
		return v.String() + " ms"
	}
	return v.String()
}

// Text is a value as a sentence says it, with its unit; "" where there is nothing to say.
func (d Dimension) Text(v Value) string {
	if d.text == nil {
		return ""
	}
	return d.text(v)
}

// Said is a value as a reader has it who sees nothing of the others.
func (d Dimension) Said(v Value) string {
	switch text := d.Text(v); {
	case text != "":
		return text
	case v == None:
		return "no " + d.Heading
	}
	return d.Column(v)
}

// Values are those of the cells, each once: numbers from the least, none before them, words in the cells' order.
func (d Dimension) Values(cells []*Cell) []Value {
	var values []Value
	for _, c := range cells {
		if v := d.Of(c); !slices.Contains(values, v) {
			values = append(values, v)
		}
	}
	if !slices.ContainsFunc(values, func(v Value) bool { return math.IsNaN(v.rank()) }) {
		slices.SortStableFunc(values, func(a, b Value) int { return cmp.Compare(a.rank(), b.rank()) })
	}
	return values
}

// rank puts numbers in their order and none before them; all else has none, NaN.
func (v Value) rank() float64 {
	if v == None {
		return math.Inf(-1)
	}
	if n, ok := v.Number(); ok {
		return n
	}
	return math.NaN()
}

// id names the cell within its run; it is part of file names.
func (c *Cell) id() string {
	var parts []string
	for _, d := range dimensions {
		if d.id == nil {
			continue
		}
		if part := d.id(d.Of(c)); part != "" {
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, ".")
}

// SameBut says whether two cells differ in nothing but the dimensions named.
func (c *Cell) SameBut(other *Cell, names ...string) bool {
	return !slices.ContainsFunc(dimensions, func(d Dimension) bool {
		return d.Of(c) != d.Of(other) && !slices.Contains(names, d.Name)
	})
}

// Picks says whether the cell has all values that s names; a nil selector picks none.
func (s Selector) Picks(c *Cell) bool {
	for name, want := range s {
		d, err := DimensionNamed(name)
		if err != nil || !d.has(c, want) {
			return false
		}
	}
	return s != nil
}

// Among are the cells that the selector picks, in their order.
func (s Selector) Among(cells []Cell) (picked []*Cell) {
	for i := range cells {
		if s.Picks(&cells[i]) {
			picked = append(picked, &cells[i])
		}
	}
	return picked
}

// has says whether the cell has that value. For all but the latency, 0 and "" are none.
func (d Dimension) has(c *Cell, want Value) bool {
	have := d.Of(c)
	if d.Name != "latency_ms" {
		have, want = have.orNone(), want.orNone()
	}
	return have == want
}

// String writes the selector as people read it: path direct, 10 clients.
func (s Selector) String() string {
	var parts []string
	for _, d := range dimensions {
		v, ok := s[d.Name]
		switch {
		case !ok:
		case d.Name == "experiment" || d.text == nil || d.Text(v) == "":
			parts = append(parts, d.Name+" "+v.String())
		default:
			parts = append(parts, d.Text(v))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s)) {
		if strings.HasPrefix(name, "params.") {
			parts = append(parts, name+" "+s[name].String())
		}
	}
	return strings.Join(parts, ", ")
}
