package output

import (
	"errors"
	"strings"
	"testing"

	"github.com/sirupsen/logrus"
)

func TestK6sLoggerIsWatched(t *testing.T) {
	logger := logrus.New()
	watchUnsaved(logger)
	if len(logger.Hooks[logrus.ErrorLevel]) != 1 {
		t.Errorf("its hooks are %v", logger.Hooks)
	}
}

// k6 fails where a file of its summary is missing, and nowhere else.
func TestUnsavedSummaryFails(t *testing.T) {
	for text, want := range map[string]int{
		"Could not save some summary information:\n\t- could not open '/x/summary.json'": 1,
		"another error": 0,
	} {
		var said strings.Builder
		code := 0
		entry := logrus.New().WithError(errors.New(text))
		if err := (failUnsaved{&said, func(c int) { code = c }}).Fire(entry); err != nil || code != want {
			t.Errorf("%q: exit status %d, %v", text, code, err)
		}
		if (want == 1) != strings.Contains(said.String(), "/x/summary.json") {
			t.Errorf("%q: it says %q", text, said.String())
		}
	}
}
