package pooler

import "testing"

func TestSameValue(t *testing.T) {
	for _, same := range [][2]string{{"5", "5.0"}, {"on", "ON"}, {"10s", "10s"}} {
		if !SameValue(same[0], same[1]) {
			t.Errorf("%s and %s are taken for different", same[0], same[1])
		}
	}
	for _, other := range [][2]string{{"5", "50"}, {"on", "off"}, {"10s", "10"}} {
		if SameValue(other[0], other[1]) {
			t.Errorf("%s and %s are taken for the same", other[0], other[1])
		}
	}
}
