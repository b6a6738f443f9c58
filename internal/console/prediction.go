package console

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"unicode/utf8"

	"pooler-lab/internal/lesson"
	"pooler-lab/internal/shared"
)

// predictionFile is what somebody committed to before a run's results showed, within the run's folder.
const predictionFile = "prediction.json"

const (
	mostWords  = 500 // letters
	mostFactor = 1e6
)

// checkPrediction says what of a prediction for the lesson can't be.
func checkPrediction(p *Prediction, l shownLesson) error {
	if n := utf8.RuneCountInString(p.Words); n > mostWords {
		return fmt.Errorf("the prediction has %d letters: keep to %d", n, mostWords)
	}
	if p.Path != "" && !slices.ContainsFunc(l.Paths, func(c choice) bool { return c.Name == p.Path }) {
		return fmt.Errorf("lesson %s doesn't measure a path %q: predict one that it does", l.Name, p.Path)
	}
	if p.Factor != nil && !sensible(*p.Factor) {
		return fmt.Errorf("a factor of %g: give a number above 0, such as 2.5", *p.Factor)
	}
	for name, ratio := range p.Comparisons {
		if !slices.ContainsFunc(l.Comparisons, func(c lesson.Comparison) bool { return c.Name == name }) {
			return fmt.Errorf("lesson %s compares nothing called %q: predict one of its comparisons", l.Name, name)
		}
		if !sensible(ratio) {
			return fmt.Errorf("a ratio of %g for %q: give a number above 0, such as 0.5", ratio, name)
		}
	}
	return nil
}

func sensible(v float64) bool { return v > 0 && v <= mostFactor }

// writePrediction keeps the prediction in a run's folder.
func writePrediction(p *Prediction, dir string) error {
	text, err := json.MarshalIndent(p, "", "  ")
	if err != nil {
		return fmt.Errorf("write the prediction: %w", err)
	}
	return shared.WriteFile(filepath.Join(dir, predictionFile), append(text, '\n'))
}

// readPrediction returns that of a run's folder, nil where nobody made one.
func readPrediction(dir string) (*Prediction, error) {
	text, err := os.ReadFile(filepath.Join(dir, predictionFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	p := new(Prediction)
	if err == nil {
		err = json.Unmarshal(text, p)
	}
	if err != nil {
		return nil, fmt.Errorf("read the prediction: %w", err)
	}
	return p, nil
}
