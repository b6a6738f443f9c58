package outcome

import (
	"fmt"

	"pooler-lab/internal/lesson"
	"pooler-lab/internal/metric"
	"pooler-lab/internal/result"
)

// What a condition and a shape come to, beside CantSay and NotAsked.
const (
	Held    = "held"
	NotHeld = "not held"
)

// margin is how far, as a share of it, a figure must lie from a number where no interval says how sure it is.
const margin = 0.10

// A Judgement is what a run says of a shape. It is Held where all its conditions are, NotHeld where one is not, and
// else what the first condition is that is neither.
type Judgement struct {
	lesson.Finding
	Conditions []Finding
	Word       string
	Why        string // it isn't held, or what a reader has to know; may be empty
}

// String is the word, and why where there is something to say.
func (j Judgement) String() string { return because(j.Word, j.Why) }

// A Finding is what a run says of one condition.
type Finding struct {
	lesson.Condition
	Figure metric.Metric
	Of, To *result.Cell // To is nil where the figure itself is judged
	Value  Interval     // of the figure, or of its ratio within each block
	Limit  float64
	Word   string
	Why    string
}

// Judge judges the shape by the run.
func Judge(run *result.Run, s lesson.Finding) Judgement {
	j := Judgement{Finding: s, Word: Held}
	if len(s.All) == 0 {
		j.Word, j.Why = CantSay, "the shape has no conditions"
	}
	least := 0 // repeats of the condition that had the fewest
	for i, c := range s.All {
		f := find(run, c)
		j.Conditions = append(j.Conditions, f)
		if i == 0 || f.Value.N < least {
			least = f.Value.N
		}
		if f.Word == NotHeld && j.Word != NotHeld || f.Word != Held && j.Word == Held {
			j.Word, j.Why = f.Word, f.Why
		}
	}
	if least < Fewest && j.Word == Held {
		j.Why = seen(least)
	} else if j.Word == NotHeld && least < Fewest {
		j.Why += " (" + seen(least) + ")"
	}
	return j
}

// seen says how little was seen.
func seen(times int) string {
	if times == 1 {
		return "seen once, no claim"
	}
	return fmt.Sprintf("seen %d times, no claim", times)
}

// find judges one condition.
func find(run *result.Run, c lesson.Condition) Finding {
	f := Finding{Condition: c, Limit: 1}
	found, err := metric.Find(c.Metric)
	switch {
	case err != nil:
		return f.with(CantSay, err.Error())
	case c.Than != nil:
		f.Limit = *c.Than
	case c.To == nil:
		return f.with(CantSay, "the condition gives no number to compare with")
	}
	f.Figure = found
	var word, why string
	if f.Of, word, why = one(run, c.Of); word != "" {
		return f.with(word, why)
	}
	cells, values := []*result.Cell{f.Of}, found.Values(f.Of)
	if c.To != nil {
		if f.To, word, why = one(run, c.To); word != "" {
			return f.with(word, why)
		}
		cells, values = append(cells, f.To), found.Ratios(f.Of, f.To)
	}
	f.Value = Summary(values)
	if why := worthless(found, cells...); why != "" {
		return f.with(CantSay, why)
	}
	if len(values) == 0 && f.To != nil {
		return f.with(CantSay, noRatio(found, f.Of, f.To))
	} else if len(values) == 0 {
		return f.with(CantSay, Name(f.Of)+" has no "+found.Name)
	}
	return f.judged()
}

func (f Finding) with(word, why string) Finding {
	f.Word, f.Why = word, why
	return f
}

// judged compares the range in which the value lies with the limit.
func (f Finding) judged() Finding {
	lo, hi, doubt := f.between()
	held, refuted := hi < f.Limit, lo >= f.Limit
	if f.Is == "more" {
		held, refuted = lo > f.Limit, hi <= f.Limit
	}
	switch {
	case f.Is != "more" && f.Is != "less":
		return f.with(CantSay, fmt.Sprintf("%q is no way to compare: less or more", f.Is))
	case held:
		return f.with(Held, "")
	case refuted:
		return f.with(NotHeld, f.Text())
	}
	return f.with(CantSay, f.Text()+": "+doubt)
}

// between is the range in which the value lies: its interval, or where it has none the value with a margin. What is
// counted is what it is and needs none. doubt is what to say where the limit lies in the range.
func (f Finding) between() (lo, hi float64, doubt string) {
	v := f.Value
	switch {
	case v.Known():
		return v.Lo, v.Hi, "that is within its interval"
	case f.To == nil && f.Figure.Counted():
		return v.Center, v.Center, ""
	}
	return v.Center / (1 + margin), v.Center / (1 - margin), seen(v.N) + ", and that is less than 10 % away"
}

// write writes a ratio or a figure.
func (f Finding) write(v float64) string {
	if f.To != nil {
		return metric.RatioText(v)
	}
	return f.Figure.Text(v)
}

// Text says what was seen and what it had to be: "tps of pgpool, select, 45 clients to direct, select, 45 clients is
// 1.28 (1.20 to 1.33), it had to be more than 1.00".
func (f Finding) Text() string {
	if f.Of == nil || f.Value.N == 0 {
		return f.Why
	}
	text := f.Figure.Name + " of " + Name(f.Of)
	if f.To != nil {
		text += " to " + Name(f.To)
	}
	unit := ""
	if f.To == nil && f.Figure.Unit != "" {
		unit = " " + f.Figure.Unit
	}
	text += " is " + f.write(f.Value.Center) + unit
	if f.Value.Known() {
		text += " (" + f.Value.Text(f.write) + ")"
	}
	return text + ", it had to be " + f.Is + " than " + f.write(f.Limit) + unit
}
