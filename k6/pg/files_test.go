package pg

import (
	"strings"
	"testing"

	"github.com/sirupsen/logrus"
	logtest "github.com/sirupsen/logrus/hooks/test"
)

func TestWarningOfFiles(t *testing.T) {
	for name, test := range map[string]struct {
		vus  int64
		most uint64
		want bool
	}{
		"enough":           {900, 1024, false},
		"the last":         {974, 1024, false},
		"one too many":     {975, 1024, true},
		"said already":     {976, 1024, false},
		"limit not known":  {975, 0, false},
		"limit very small": {1, 10, false},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScript(t, New())
			logger, logged := logtest.NewNullLogger()
			s.VU.InitEnvField.Logger = logrus.FieldLogger(logger)
			s.module.warnOfFiles(s.VU, test.vus, test.most)
			said := logged.LastEntry()
			if (said != nil) != test.want || said != nil && !strings.Contains(said.Message, "1024 files") {
				t.Errorf("logged %v, wanted a warning: %v", said, test.want)
			}
		})
	}
}
