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
	write := func(name string, to func(io.Writer, *result.Run) error) error {
		var out bytes.Buffer
		if err := to(&out, run); err != nil {
			return err
		}
		return result.WriteFile(filepath.Join(dir, name), out.Bytes())
	}
	errs := []error{write(CSVFile, CSV), write(HTMLFile, writeHTML)}
	if len(run.Pairs) > 0 {
		errs = append(errs, write(PairsFile, PairsCSV))
	}
	return errors.Join(errs...)
}

func writeHTML(out io.Writer, run *result.Run) error {
	text, err := HTML(run)
	if err == nil {
		_, err = out.Write(text)
	}
	return err
}
