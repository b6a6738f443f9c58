package report

import (
	"bytes"
	"errors"
	"path/filepath"

	"pooler-lab/internal/htmlreport"
	"pooler-lab/internal/result"
)

// CSVFile is the name of a run's comma-separated values within its folder.
const CSVFile = "run.csv"

// Write writes the run's report and its comma-separated values into dir, each whole or not at all.
func Write(dir string, run *result.Run) error {
	return errors.Join(writeCSV(dir, run), writePage(dir, run))
}

func writeCSV(dir string, run *result.Run) error {
	var out bytes.Buffer
	if err := CSV(&out, run); err != nil {
		return err
	}
	return result.WriteFile(filepath.Join(dir, CSVFile), out.Bytes())
}

func writePage(dir string, run *result.Run) error {
	text, err := htmlreport.Run(run)
	if err != nil {
		return err
	}
	return result.WriteFile(filepath.Join(dir, htmlreport.File), text)
}
