package trial

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"math"
	"slices"
	"time"

	"pooler-lab/internal/lesson"
	"pooler-lab/internal/result"
	"pooler-lab/k6/summary"
)

// step is how much of a timeline is counted together.
const step = 100 * time.Millisecond

// Mark is what the row of an attempt that writes is found by, in the column filler of pgbench_history.
func Mark(a summary.Attempt) string { return fmt.Sprintf("%d.%d", a.Client, a.Number) }

// check returns an error where an attempt is missing: each of so many clients numbers its own from 1, and k6 counted
// those that succeeded.
func check(attempts []summary.Attempt, clients int, succeeded int64) error {
	numbers := map[int][]int{} // by client
	for _, a := range attempts {
		numbers[a.Client] = append(numbers[a.Client], a.Number)
	}
	for client, all := range numbers {
		slices.Sort(all)
		for i, number := range all {
			if number != i+1 {
				return fmt.Errorf("the ledger lacks attempt %d of client %d", i+1, client)
			}
		}
	}
	if len(numbers) != clients {
		return fmt.Errorf("the ledger has attempts of %d clients of %d", len(numbers), clients)
	}
	for _, a := range attempts {
		if a.OK() {
			succeeded--
		}
	}
	if succeeded != 0 {
		return fmt.Errorf("k6 counted %d attempts that succeeded more than the ledger has", succeeded)
	}
	return nil
}

// summarize sums up the attempts of one cell that ended in its window, and all of its writes and warnings, those before
// and after the window, too. found says whether the row with a mark is there at the end.
func summarize(attempts []summary.Attempt, window summary.Window, found func(string) bool) *result.Ledger {
	at := func(moment time.Time) int { return int(math.Floor(float64(moment.Sub(window.Start)) / float64(step))) }
	steps := at(window.End.Add(step - 1))
	l := &result.Ledger{StepSeconds: step.Seconds(), Succeeded: make([]int, steps), Failed: make([]int, steps),
		Open: make([]int, steps)}
	clients := map[int][]summary.Attempt{}
	for _, a := range attempts {
		clients[a.Client] = append(clients[a.Client], a)
		if lesson.MarksRows(a.Workload) && a.OK() != found(Mark(a)) {
			if a.OK() {
				l.Lost++
			} else {
				l.Unreported++
			}
		}
		if a.OK() && a.Warning != "" {
			l.Warned++
		}
		for i := max(0, at(a.Begin)+1); i <= min(at(a.End), steps-1); i++ { // under way where a step begins
			l.Open[i]++
		}
		if a.End.Before(window.Start) || !a.End.Before(window.End) {
			continue
		}
		l.Attempts++
		ended := l.Failed
		if a.OK() {
			ended = l.Succeeded
		}
		ended[at(a.End)]++
	}
	for _, own := range clients {
		l.Outages = append(l.Outages, outage(own, window))
	}
	slices.SortFunc(l.Outages, func(a, b result.Outage) int { return a.Client - b.Client })
	return l
}

// outage is the longest time in a window in which none of a client's attempts succeeded. It lasts to the end where the
// client's last attempt failed, too.
func outage(attempts []summary.Attempt, window summary.Window) (longest result.Outage) {
	var ends []time.Time
	for _, a := range attempts {
		if a.OK() && a.End.After(window.Start) && a.End.Before(window.End) {
			ends = append(ends, a.End)
		}
	}
	slices.SortFunc(ends, time.Time.Compare)
	longest.Client = attempts[0].Client
	final := slices.MaxFunc(attempts, func(a, b summary.Attempt) int { return a.End.Compare(b.End) })
	last := window.Start
	for _, end := range append(ends, window.End) {
		if end.Sub(last).Seconds() > longest.To-longest.From {
			longest.From, longest.To = last.Sub(window.Start).Seconds(), end.Sub(window.Start).Seconds()
			longest.ToEnd = end.Equal(window.End) && !final.OK()
		}
		last = end
	}
	return longest
}

// toCSV is the ledger once rows have been looked for: found is yes or no for each attempt that writes.
func toCSV(attempts []summary.Attempt, found func(string) bool) []byte {
	var text bytes.Buffer
	rows := csv.NewWriter(&text)
	_ = rows.Write(append(slices.Clone(summary.LedgerColumns), "found")) // a buffer takes all of it
	for _, a := range attempts {
		said := ""
		if lesson.MarksRows(a.Workload) {
			said = map[bool]string{true: "yes", false: "no"}[found(Mark(a))]
		}
		_ = rows.Write(append(a.Row(), said))
	}
	rows.Flush()
	return text.Bytes()
}
