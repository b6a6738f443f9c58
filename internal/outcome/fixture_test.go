package outcome

import (
	"encoding/json"
	"flag"
	"time"

	"pooler-lab/internal/lesson"
	"pooler-lab/internal/result"
)

var update = flag.Bool("update", false, "write the runs of testdata anew")

// pick makes a selector: pick("path", "direct", "clients", 5).
func pick(pairs ...any) lesson.Selector {
	s := lesson.Selector{}
	for i := 0; i < len(pairs); i += 2 {
		var v lesson.Value
		if text, err := json.Marshal(pairs[i+1]); err != nil || v.UnmarshalJSON(text) != nil {
			panic(pairs[i+1])
		}
		s[pairs[i].(string)] = v
	}
	return s
}

func number(v float64) *float64 { return &v }

// cell adds a cell of the experiment balance with a repeat for each figure of TPS.
func cell(run *result.Run, path string, clients int, tps ...float64) *result.Cell {
	c := result.Cell{Cell: lesson.Cell{ID: path, Experiment: "balance", Path: path, Workload: "select", Clients: clients,
		Protocol: "simple",
		Wanted:   len(tps), Role: "app"}, Status: result.Planned, Repeats: []result.Repeat{}}
	for i, v := range tps {
		c.Add(result.Repeat{Block: i + 1, Position: 1, Attempt: 1, Status: result.OK, Started: run.Started,
			Ended: run.Started.Add(2 * time.Second),
			Measured: &result.Measured{WindowSeconds: 2, Transactions: int64(2 * v), TPS: v, ClientsReady: clients,
				Trends: map[string]result.Trend{}},
			Flags: []result.Flag{}})
	}
	run.Cells = append(run.Cells, c)
	run.Blocks = max(run.Blocks, len(tps))
	return &run.Cells[len(run.Cells)-1]
}

// balance is a run of a lesson like the one on balancing: direct wins with few clients, Pgpool-II with many.
func balance() *result.Run {
	started := time.Date(2026, 11, 21, 16, 12, 0, 0, time.UTC)
	ended := started.Add(4 * time.Minute)
	few := lesson.Condition{Metric: "tps", Of: pick("path", "pgpool", "clients", 5),
		To: pick("path", "direct", "clients", 5), Is: "less"}
	many := lesson.Condition{Metric: "tps", Of: pick("path", "pgpool", "clients", 45),
		To: pick("path", "direct", "clients", 45), Is: "more"}
	run := &result.Run{Version: result.Version, ID: "20261121T161200Z-05-balance", Status: result.Finished,
		Started: started, Ended: &ended, Seed: 7,
		Lesson: result.Lesson{About: lesson.About{Name: "05-balance", Title: "Balance",
			Question: "When does Pgpool-II's load balancing pay?",
			Comparisons: []lesson.Comparison{{Name: "flip", Text: "Pgpool-II to direct, 45 clients", Metric: "tps", Of: many.Of,
				To: many.To}},
			Study: &lesson.Study{Title: "Load balancing", Source: "the author, 2020", Setup: "one CPU each",
				Figures: []lesson.StudyFigure{{What: "direct, 45 clients", Value: "4618 TPS", Metric: "tps",
					Of: pick("path", "direct", "clients", 45)},
					{What: "select version()", Value: "0.523 ms"}},
				Findings: []lesson.Finding{{Name: "flips", Text: "direct wins with few clients, Pgpool-II with many",
					All: []lesson.Condition{few, many}}}}}},
		Manifest: result.Manifest{
			Versions: map[string]string{}, Authentication: []result.Login{}, Scale: 10, MaxConnections: map[string]string{},
			Limits: []result.Limit{{Of: "nodes", Services: []string{"primary"}, CPUs: "0.5"}}, Host: result.Host{CPUs: 2},
		},
		Paths: []result.Path{{Name: "direct", Database: "postgresql"}, {Name: "pgpool", Database: "postgresql"},
			{Name: "yugabyte", Database: "yugabytedb", Unavailable: "its image cannot be had"}}}
	cell(run, "direct", 5, 5000, 5100, 5200, 5000, 5100, 5050)
	cell(run, "pgpool", 5, 4000, 4100, 4150, 3900, 4050, 4000)
	cell(run, "direct", 45, 4600, 4700, 4500, 4600, 4650, 4700)
	cell(run, "pgpool", 45, 5900, 6000, 5800, 6100, 5950, 6050)
	return run
}
