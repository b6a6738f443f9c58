package liveload

import "testing"

func TestLoadIsKnownWhileItRuns(t *testing.T) {
	results := t.TempDir()
	if what, ok := Running(results); ok {
		t.Errorf("before the first load: %q", what)
	}
	over, err := Note(results, "select on direct")
	if err != nil {
		t.Fatal(err)
	}
	if what, ok := Running(results); !ok || what != "select on direct" {
		t.Errorf("while it runs: %q, %v", what, ok)
	}
	over()
	if what, ok := Running(results); ok {
		t.Errorf("afterwards: %q", what)
	}
	over, err = Note(results, "tpcb")
	if err != nil {
		t.Fatal(err)
	}
	defer over()
	if what, ok := Running(results); !ok || what != "tpcb" {
		t.Errorf("the next one: %q, %v", what, ok)
	}
}

func TestLoadNeedsAFolder(t *testing.T) {
	if _, err := Note(t.TempDir()+"/nowhere", "select"); err == nil {
		t.Error("no error without a folder")
	}
}
