package report

import (
	"bytes"
	"errors"
	"path/filepath"

	"pooler-lab/internal/result"
	"pooler-lab/internal/shared"
)

// CSVFile is the name of a run's comma-separated values within its folder.
const CSVFile = "run.csv"

// PairsFile is the name of the comma-separated values of its pairs' groups. A run without pairs has none.
const PairsFile = "pairs.csv"

// Write writes the run's report and its comma-separated values into dir, each whole or not at all.
func Write(dir string, run *result.Run) error {
	var values, pairs bytes.Buffer
	page, err := HTML(run)
	failed := []error{err, CSV(&values, run)}
	files := map[string][]byte{HTMLFile: page, CSVFile: values.Bytes()}
	if len(run.Pairs) > 0 {
		failed = append(failed, PairsCSV(&pairs, run))
		files[PairsFile] = pairs.Bytes()
	}
	for name, text := range files {
		if len(text) > 0 {
			failed = append(failed, shared.WriteFile(filepath.Join(dir, name), text))
		}
	}
	return errors.Join(failed...)
}
