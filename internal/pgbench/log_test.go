package pgbench

import (
	"strings"
	"testing"
	"time"
)

func TestLog(t *testing.T) {
	var all []transaction
	err := scan(strings.NewReader("0 1 1500 0 1700000000 250\n3 1 200 0 1700000000 900\n1 2 failed 0 1700000001 1\n"),
		func(one transaction) { all = append(all, one) })
	if err != nil || len(all) != 3 {
		t.Fatalf("%+v, %v", all, err)
	}
	if first := all[0]; !first.end.Equal(time.Unix(1700000000, 250000)) || first.micros != 1500 || first.ended != committed {
		t.Errorf("the first is %+v", first)
	}
	if all[1].client != 3 || all[2].ended != failed || all[2].micros != 0 {
		t.Errorf("the others are %+v", all[1:])
	}
	for _, broken := range []string{"0 1 1500", "0 1 fast 0 1 2", "0 1 2 3 4 5 6", ""} {
		if err := scan(strings.NewReader(broken+"\n"), func(transaction) {}); err == nil {
			t.Errorf("%q is no error", broken)
		}
	}
}
