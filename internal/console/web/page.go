package web

import (
	"time"

	"pooler-lab/internal/console/api"
	"pooler-lab/internal/outcome"
	"pooler-lab/internal/result"
)

// A Page is the data of one page: what its template shows.
type Page interface{ top() *Head }

// A Head is what all pages have.
type Head struct {
	Template string // its name
	Title    string
	State    api.State // zero while the lab starts
}

func (h *Head) top() *Head { return h }

// Present returns the page with the name of its template and the state of the moment.
func Present(p Page, template string, state api.State) Page {
	p.top().Template, p.top().State = template, state
	return p
}

// A MapPage shows the map, the links' settings, and the live load.
type MapPage struct {
	Head
	Map Map
}

// A LessonsPage lists the lessons.
type LessonsPage struct {
	Head
	Lessons []Lesson
}

// A LessonPage asks for a prediction, runs a lesson and shows what came out.
type LessonPage struct {
	Head
	Lesson   Lesson
	Runs     []Run
	Revealed *RunDetail // nil before a run
}

// A RunsPage lists the runs.
type RunsPage struct {
	Head
	Runs []Run
}

// A RunPage shows one run.
type RunPage struct {
	Head
	Run RunDetail
}

// A BesidePage shows two runs of one lesson side by side.
type BesidePage struct {
	Head
	A, B Run
}

// A StartingPage says what the lab waits for.
type StartingPage struct {
	Head
	Text string
}

// A FailurePage says what went wrong.
type FailurePage struct {
	Head
	Status int // HTTP's
	Text   string
}

// A Lesson is one in the list, and at the top of its page.
type Lesson struct {
	Name        string
	Title       string
	Question    string
	Prediction  string // what to commit to before the results show, as a question
	Minutes     float64
	Paths       []api.Choice // that it measures
	Comparisons []Compared   // that it makes
	Runs        int
	Trouble     string // why it can't be read
}

// Compared is what a lesson compares.
type Compared struct{ Name, Text string }

// A Run is one in a list.
type Run struct {
	Name      string // its folder's
	Lesson    string
	Title     string
	Question  string
	Started   time.Time
	Seconds   int // that it took, 0 where it never ended
	Status    result.Status
	Reason    string // it isn't finished
	Predicted bool
	Full      bool   // in the lesson's full size
	Changed   string // what of it was not as the lesson has it
}

// A RunDetail is a run with what was predicted and what came out.
type RunDetail struct {
	Run
	Explanation string
	Prediction  *api.Prediction
	Answer      *Answer
	Comparisons []outcome.Comparison
	Others      []Run // of the same lesson, to be put beside it
}

// An Answer is which of two paths does better, and how many times.
type Answer struct {
	Text    string
	Path    string
	Other   string
	Ratio   *float64 // 1 or more
	Outcome outcome.Outcome
	Reason  outcome.Reason
}

// Guess is what the run's prediction says of a comparison, nil where it says nothing.
func (d *RunDetail) Guess(comparison string) *float64 {
	if d.Prediction == nil {
		return nil
	}
	if guess, ok := d.Prediction.Comparisons[comparison]; ok {
		return &guess
	}
	return nil
}

// Finished says whether the run ended by itself.
func (r Run) Finished() bool { return r.Status == result.Finished }

// Running says whether the run goes on.
func (r Run) Running() bool { return r.Status == result.Running }
