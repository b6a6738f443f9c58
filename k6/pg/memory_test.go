package pg

import "testing"

func TestGarbage(t *testing.T) {
	for _, test := range []struct {
		vus  int64
		want int
	}{{1, 400}, {250, 400}, {500, 200}, {1000, 100}, {2000, 25}, {3000, 11}, {4000, 10}, {10000, 10}} {
		if got := garbage(test.vus); got != test.want {
			t.Errorf("%d VUs leave %d %% behind, not %d", test.vus, got, test.want)
		}
	}
}
