package report

import (
	"bytes"
	"errors"
	"io"
	"path/filepath"

	"pooler-lab/internal/result"
)

// CSVFile is the name of a run's comma-separated values within its folder.
const CSVFile = "run.csv"

// PairsFile is the name of the comma-separated values of its pairs' groups. A run without pairs has none.
const PairsFile = "pairs.csv"

// Write writes the run's report and its comma-separated values into dir, each whole or not at all.
func Write(dir string, run *result.Run) error {
	files := []error{writeCSV(filepath.Join(dir, CSVFile), CSV, run), writePage(dir, run)}
	if len(run.Pairs) > 0 {
		files = append(files, writeCSV(filepath.Join(dir, PairsFile), PairsCSV, run))
	}
	return errors.Join(files...)
}

func writeCSV(file string, write func(io.Writer, *result.Run) error, run *result.Run) error {
	var out bytes.Buffer
	if err := write(&out, run); err != nil {
		return err
	}
	return result.WriteFile(file, out.Bytes())
}

func writePage(dir string, run *result.Run) error {
	text, err := HTML(run)
	if err != nil {
		return err
	}
	return result.WriteFile(filepath.Join(dir, HTMLFile), text)
}
