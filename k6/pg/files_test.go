package pg

import (
	"strings"
	"testing"

	"github.com/sirupsen/logrus"
	logtest "github.com/sirupsen/logrus/hooks/test"
)

func TestWarningOfFiles(t *testing.T) {
	for _, test := range []struct {
		vus  int64
		most uint64
		want bool
	}{{974, 1024, false}, {975, 1024, true}, {976, 1024, false}, {975, 0, false}, {1, 10, false}} {
		s := newScript(t, New())
		logger, logged := logtest.NewNullLogger()
		s.VU.InitEnvField.Logger = logrus.FieldLogger(logger)
		s.module.warnOfFiles(s.VU, test.vus, test.most)
		said := logged.LastEntry()
		if (said != nil) != test.want || said != nil && !strings.Contains(said.Message, "1024 files") {
			t.Errorf("with the VU %d of a process of %d files it logged %v", test.vus, test.most, said)
		}
	}
}
