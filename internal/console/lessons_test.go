package console

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pooler-lab/internal/lesson"
	"pooler-lab/test/testkit"
)

// aRun is a run that finished.
const aRun = "../outcome/testdata/reproduced/run.json"

// The lesson's two files.
const (
	standInScript = "import { workload } from '../lib/lab.js';\nexport const select = workload(() => {});\n"
	standInPlan   = `title: The tour
question: What does it cost?
explanation: Round trips.
minutes: 2
prediction: Which way is the fastest?
experiments:
  - {name: g, workload: select, paths: [direct, pgpool], latencies: [0], clients: [1], seconds: 1, warmup_seconds: 1}
comparisons:
  - {name: far, text: "Pgpool-II, to direct", metric: tps, of: {path: pgpool}, to: {path: direct}}
`
)

// standInRun poses as 'lab run': it makes a run's folder, says how far it is until it is interrupted, and leaves what
// was finished.
const standInRun = `
run=20261121T220000Z-00-tour
mkdir -p "$RESULTS/$run" && cp "$RUN" "$RESULTS/$run/run.json"
stop() {
	note interrupted
	sed -i 's/"status": "finished"/"status": "interrupted"/' "$RESULTS/$run/run.json"
	rm "$RESULTS/.step"
	exit 130
}
trap stop INT
head -c 200000 /dev/zero | tr '\0' x >&2 # a line that nobody reads to its end
echo '{"run":"'$run'","cell":"direct, 0 ms, select, 1 client","phase":"k6","block":1,"blocks":6,'\
'"done":3,"of":12,"seconds_left":40,"failed":1}' >"$RESULTS/.step.new"
mv "$RESULTS/.step.new" "$RESULTS/.step"
while :; do
	sleep 0.1
done
`

// newLessonBench is a bench with a lesson, that the program given runs.
func newLessonBench(t *testing.T, program string) (b *bench, notes string) {
	t.Helper()
	b = newBench(t, func(b *bench) {
		program = strings.NewReplacer("$RESULTS", b.results(), "$RUN", aRun).Replace(program)
		b.source.Lab, notes = standInProgram(t, "lab", program)
		for name, text := range map[string]string{"00-tour.js": standInScript, "00-tour.yaml": standInPlan} {
			if err := os.WriteFile(filepath.Join(b.root, "k6", "lessons", name), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	})
	return b, notes
}

func TestLessonRunsIsPredictedAndCancelled(t *testing.T) {
	t.Parallel()
	b, notes := newLessonBench(t, standInRun)
	status, said := b.post(
		"/api/lessons/00-tour/run",
		`{"prediction": {"words": "pgpool", "path": "pgpool", "factor": 1.5, "comparisons": {"far": 0.5}}}`,
	)
	if status != 200 || !strings.Contains(said, `{"lesson":{"name":"00-tour"`) {
		t.Fatalf("%d %s", status, said)
	}
	testkit.Until(b.t, "it is under way", func() bool { r := b.state().Lesson; return r != nil && r.Done == 3 })
	s := b.state()
	if r := s.Lesson; r.Name != "00-tour" || r.Of != 12 || r.Failed != 1 || r.SecondsLeft != 40 || r.State != "running" ||
		r.Cell == "" {
		t.Errorf("%+v", r)
	}
	if !strings.HasPrefix(s.Lock, "lesson 00-tour is running") {
		t.Errorf("lock %q", s.Lock)
	}
	if status, said := b.post("/api/lessons/00-tour/run", `{}`); status != 423 {
		t.Errorf("a second one: %d %s", status, said)
	}
	if status, said := b.post("/api/links/all", `{"latency_ms": 5}`); status != 423 {
		t.Errorf("a swap: %d %s", status, said)
	}
	if status, said := b.post("/api/lessons/cancel", ``); status != 200 || !strings.Contains(said, `"cancelling"`) {
		t.Errorf("%d %s", status, said)
	}
	b.post("/api/lessons/cancel", ``) // asked twice, it is told once; it may have ended by now
	testkit.Until(b.t, "all is as before", func() bool {
		s := b.state()
		return s.Lesson == nil && s.Lock == "" && s.LastRun != nil
	})
	if last := b.state().LastRun; last.Status != "interrupted" || last.Run != "20261121T220000Z-00-tour" ||
		last.Lesson != "00-tour" {
		t.Errorf("%+v", last)
	}
	told := noted(t, notes)
	if !strings.Contains(told, "run 00-tour\n") || strings.Count(told, "interrupted") != 1 {
		t.Errorf("the lesson's program was told:\n%s", told)
	}
	p, err := readPrediction(filepath.Join(b.results(), "20261121T220000Z-00-tour"))
	if err != nil || p.Words != "pgpool" || p.Path != "pgpool" || *p.Factor != 1.5 || p.Comparisons["far"] != 0.5 ||
		p.At.IsZero() {
		t.Errorf("%+v, %v", p, err)
	}
}

// A lesson that has ended before anybody looked how far it is has its run and its prediction all the same.
func TestLessonThatEndsAtOnceHasItsRun(t *testing.T) {
	t.Parallel()
	b, _ := newLessonBench(t, `mkdir "$RESULTS/20261121T220000Z-00-tour"
cp "$RUN" "$RESULTS/20261121T220000Z-00-tour/run.json"
`)
	b.putRun("20261121T210000Z-00-tour", aRun, same)
	const id = "20261121T220000Z-00-tour"
	if status, said := b.post("/api/lessons/00-tour/run", `{"prediction": {"words": "pgpool"}}`); status != 200 {
		t.Errorf("%d %s", status, said)
	}
	testkit.Until(b.t, "it has ended", func() bool { return b.state().Lesson == nil })
	if last := b.state().LastRun; last == nil || last.Run != id || last.Status != "finished" {
		t.Errorf("%+v", last)
	}
	if p, err := readPrediction(filepath.Join(b.results(), id)); err != nil || p == nil || p.Words != "pgpool" {
		t.Errorf("%+v, %v", p, err)
	}
}

func TestLessonThatCannotBeginSaysWhy(t *testing.T) {
	t.Parallel()
	b, _ := newLessonBench(t, "echo 'lab run: the data is not loaded yet' >&2; exit 1\n")
	if status, said := b.post("/api/lessons/00-tour/run", `{}`); status != 200 {
		t.Errorf("%d %s", status, said)
	}
	testkit.Until(b.t, "all is as before", func() bool { return b.state().Lock == "" })
	if last := b.state().LastRun; last == nil || last.Status != "failed" ||
		!strings.Contains(last.Reason, "not loaded yet") {
		t.Errorf("%+v", last)
	}
}

func TestLessonPages(t *testing.T) {
	t.Parallel()
	b, _ := newLessonBench(t, standInRun)
	for address, want := range map[string]string{
		"/lessons":          "What does it cost?",
		"/lessons/00-tour":  "Which way is the fastest?",
		"/lessons/00-tuor":  "did you mean 00-tour?",
		"/static/lesson.js": "cancelLesson",
	} {
		if _, text := b.get(address); !strings.Contains(text, want) {
			t.Errorf("%s lacks %q: %s", address, want, text)
		}
	}
	p, _ := b.ready()
	lesson, err := p.lessonNamed("00-tour")
	if err != nil || len(lesson.Paths) != 2 || lesson.Paths[1].Name != "pgpool" {
		t.Errorf("%+v, %v", lesson, err)
	}
}

func TestThroughputIsGuessedWhereThereIsSome(t *testing.T) {
	for name, want := range map[string]bool{"00-tour": true, "10-failover": false, "12-state": false} {
		l, err := lesson.Read(filepath.Join("..", "..", "k6", "lessons", name+".js"))
		testkit.OK(t, err)
		if got := (shownLesson{Lesson: l}).Throughput(); got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
