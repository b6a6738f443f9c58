package output

import (
	"fmt"
	"os"
	"strings"

	"github.com/sirupsen/logrus"
)

// A failUnsaved has k6 fail where it couldn't write a file of handleSummary or --summary-export. k6 by itself logs that
// last of all, and exits with 0.
type failUnsaved struct{}

// Levels are those of what k6 says then.
func (failUnsaved) Levels() []logrus.Level { return []logrus.Level{logrus.ErrorLevel} }

// Fire is called with all that k6 logs as an error.
func (failUnsaved) Fire(entry *logrus.Entry) error {
	err, ok := entry.Data[logrus.ErrorKey].(error)
	if ok && strings.HasPrefix(err.Error(), "Could not save some summary information") {
		fmt.Fprintf(os.Stderr, "k6: %v\n", err)
		os.Exit(1)
	}
	return nil
}
