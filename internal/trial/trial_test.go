package trial

import (
	"strings"
	"testing"

	"pooler-lab/internal/lesson"
	"pooler-lab/internal/topology"
	"pooler-lab/test/testkit"
)

// theLab is this repository's, of which nothing runs.
func theLab(t *testing.T) *Lab {
	t.Helper()
	t.Setenv("COMPOSE_PROFILES", "*")
	set, err := topology.Load("../..")
	if err != nil {
		t.Fatal(err)
	}
	return &Lab{Set: set, Seed: 7, Scale: 10}
}

// plain is a cell without latency.
func plain(id string) lesson.Cell {
	return lesson.Cell{ID: id, Experiment: "g", Path: "direct", Workload: "select", Clients: 1, Protocol: "simple",
		Role: "app", Shared: lesson.Shared{Seconds: 1}, Wanted: 1}
}

// slow is a cell with 10 ms.
func slow(id string) lesson.Cell {
	c := plain(id)
	c.Latency, c.Link = lesson.Number(10), "client-primary"
	return c
}

func TestSeeds(t *testing.T) {
	seen := map[uint32]bool{}
	for _, s := range []uint32{repeatSeed(1, "a", 1), repeatSeed(1, "a", 1), repeatSeed(2, "a", 1),
		repeatSeed(1, "b", 1), repeatSeed(1, "a", 2)} {
		seen[s] = true
	}
	if len(seen) != 4 {
		t.Error("the same repeat has two seeds, or two repeats share one")
	}
}

func TestCellIsToldWithoutPassword(t *testing.T) {
	t.Setenv("APP_PASSWORD", "secret")
	lab, made := theLab(t), New(nil, 1, 1, 1, slow("a"))
	if err := lab.findRoutes(made); err != nil {
		t.Fatal(err)
	}
	env, err := lab.told(made).Env()
	text := strings.Join(env, " ")
	if err != nil || strings.Contains(text, "secret") || !strings.HasPrefix(text, "LAB_CELL={") ||
		!strings.Contains(text, `"dsn":"host=toxiproxy port=15001 dbname=lab user=app sslmode=disable"`) {
		t.Errorf("%s, %v", text, err)
	}
}

// Who connects over the cell's link is told what TCP's handshake takes there.
func TestCellIsToldOfItsLinksHandshake(t *testing.T) {
	near := slow("near")
	near.Path, near.Link = "pgbouncer-transaction-near-app", "pgbouncer-primary"
	lab := theLab(t)
	for i, want := range []float64{10, 0, 0} {
		c := []lesson.Cell{slow("over"), near, plain("plain")}[i]
		made := New(nil, 1, 1, 1, c)
		testkit.OK(t, lab.findRoutes(made))
		if got := lab.told(made).Cells[0].TCPHandshake; got != want {
			t.Errorf("%s: %g ms, wanted %g", c.ID, got, want)
		}
	}
}
