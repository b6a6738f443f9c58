package report

import (
	"fmt"
	"strings"

	"pooler-lab/internal/chart"
	"pooler-lab/internal/lesson"
	"pooler-lab/internal/metric"
	"pooler-lab/internal/outcome"
	"pooler-lab/internal/result"
)

// timesDue is how many times the attempts that are due in a step are as high as a row of a timeline.
const timesDue = 3

// timelineNote says how to read a timeline.
const timelineNote = "An upright line is an event. A bar is the attempts of a tenth of a second, of all clients of " +
	"its row; it is cut off at three times what is due. The thin line is how many attempts were under way. Each client " +
	"has a grey bar below: its longest time without success. Of several repeats the last one is drawn."

// timelines draws each experiment with events: what its clients saw of them.
func timelines(run *result.Run) (all []Chart) {
	for i, e := range run.Lesson.Experiments {
		t := chart.Timeline{ID: fmt.Sprintf("timeline-%d", i+1), Title: e.Name,
			Description: "What clients saw of the events, by tenths of a second. The table after it has the outages."}
		data := Table{Caption: e.Name + ": longest time without success, in seconds from the beginning of the window",
			Head: heads("cell", "client", "from", "to", "seconds")}
		for _, c := range outcome.Select(run, lesson.Selector{"experiment": lesson.Word(e.Name)}) {
			if last := c.Last(); last != nil && last.Ledger != nil {
				t.Seconds, t.Step, t.Events = last.Measured.WindowSeconds, last.Ledger.StepSeconds, moments(last.Events)
				t.Most = timesDue * c.Rate * t.Step
				row := timelineRow(c, last.Ledger)
				t.Rows = append(t.Rows, row)
				for _, o := range last.Ledger.Outages {
					data.add(row.Name, fmt.Sprint(o.Client), metric.Number(o.From), metric.Number(o.To), metric.Number(o.Seconds()))
				}
			}
		}
		if len(t.Rows) > 0 {
			all = append(all, Chart{Drawing: t.Draw(), Note: strings.TrimSpace(e.Text + " " + timelineNote),
				Data: data})
		}
	}
	return all
}

func timelineRow(c *result.Cell, l *result.Ledger) chart.TimelineRow {
	row := chart.TimelineRow{Name: c.Path + ", " + c.Workload, Succeeded: l.Succeeded, Failed: l.Failed, Open: l.Open}
	for _, o := range l.Outages {
		row.Outages = append(row.Outages, [2]float64{o.From, o.To})
	}
	return row
}

func moments(events []result.Event) (all []chart.Moment) {
	for _, e := range events {
		all = append(all, chart.Moment{Name: e.Do, At: e.Began})
	}
	return all
}
