package test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"pooler-lab/test/testkit"
)

// clones is how often the standby's container has made a clone.
func clones(t *testing.T) int {
	t.Helper()
	return strings.Count(command(t, nil, "docker", "logs", container("standby")).all(), "standby: cloned\n")
}

// rejoins wants the standby to follow the primary again, with the same data, by itself.
func rejoins(t *testing.T) {
	t.Helper()
	began := time.Now()
	testkit.Eventually(t, func() string { return behind(t) })
	t.Logf("the standby follows again after %.1f s", time.Since(began).Seconds())
	if on, has := balancesOf(t, "primary"), balancesOf(t, "standby"); on != has {
		t.Errorf("the primary has %+v, the standby %+v", on, has)
	}
}

// Without its slot, the standby makes another one and goes on.
func TestStandbyRejoinsWithoutItsSlot(t *testing.T) {
	testkit.Eventually(t, func() string { // the standby may come back between the two
		return superuser(t, container("primary"), "postgres",
			"SELECT pg_terminate_backend(active_pid, 5000) FROM pg_replication_slots WHERE slot_name = 'standby'",
			"SELECT pg_drop_replication_slot('standby')").err
	})
	rejoins(t)
	slot := asSuperuser(t, "primary", "SELECT active FROM pg_replication_slots WHERE slot_name = 'standby'")
	if slot != "t" {
		t.Errorf("the slot is active: %q", slot)
	}
}

// A standby that was away for so long that the primary no longer has what it lacks clones it anew, and Pgpool-II,
// which left it out, takes it back.
func TestStandbyClonesAnewWhenItsSlotIsLost(t *testing.T) {
	before := clones(t)
	small := map[string]string{"max_slot_wal_keep_size": "16MB", "wal_keep_size": "0", "max_wal_size": "64MB",
		"min_wal_size": "32MB"}
	t.Cleanup(func() {
		for name := range small {
			asSuperuser(t, "primary", "ALTER SYSTEM RESET "+name)
		}
		asSuperuser(t, "primary", "SELECT pg_reload_conf()")
	})
	for name, value := range small {
		asSuperuser(t, "primary", "ALTER SYSTEM SET "+name+" = '"+value+"'")
	}
	asSuperuser(t, "primary", "SELECT pg_reload_conf()")
	t.Cleanup(func() { script(t, "break", "reset") })
	script(t, "break", "stop", "standby")
	var write []string
	for range 4 { // a file of 16 MB each, however little stands in it
		write = append(write, "SELECT pg_logical_emit_message(true, 'test', 'x')", "SELECT pg_switch_wal()")
	}
	asSuperuser(t, "primary", append(write, "CHECKPOINT")...)
	status := asSuperuser(t, "primary", "SELECT wal_status FROM pg_replication_slots WHERE slot_name = 'standby'")
	if status != "lost" {
		t.Fatalf("the slot is %s, wanted lost", status)
	}
	testkit.Eventually(t, func() string { // so that they have to take it back
		for _, service := range []string{"pgpool", "pgpool-near-app"} {
			if nodes := poolNodes(t, service); len(nodes) != 2 || nodes[1]["status"] != "down" {
				return fmt.Sprintf("%s doesn't leave the standby out: %v", service, nodes)
			}
		}
		return ""
	})
	began := time.Now()
	script(t, "break", "heal", "standby")
	rejoins(t)
	if made := clones(t) - before; made != 1 {
		t.Errorf("%d clones were made, wanted one", made)
	}
	testkit.Eventually(t, func() string { return notBalanced(t) })
	t.Logf("both Pgpool-IIs balance over it again %.1f s after its start", time.Since(began).Seconds())
}

// A standby whose primary is another one clones that, and PgBouncer takes its SCRAM secrets, while both go on running.
func TestAnotherPrimaryTakesThePlaceOfThePrimary(t *testing.T) {
	before, running := systemIdentifier(t, container("primary")), startTimes(t)
	docker(t, "rm", "-f", container("primary"))
	docker(t, "volume", "rm", project+"_primary-data")
	began := time.Now()
	script(t, "compose", "up", "-d", "primary")
	testkit.Eventually(t, func() string { return behind(t) })
	now := systemIdentifier(t, container("primary"))
	if now == before || systemIdentifier(t, container("standby")) != now {
		t.Errorf("the primary was %s and is %s, the standby is %s", before, now, systemIdentifier(t, container("standby")))
	}
	script(t, "reset") // the new one has no data
	recovered(t)
	if now := startTimes(t); now != running {
		t.Errorf("standby and PgBouncer ran since %s, and run since %s", running, now)
	}
	t.Logf("another primary, and its data: whole again after %.1f s", time.Since(began).Seconds())
	balancesOf(t, "standby").checkMoved(t, balances{})
}

// startTimes are those of the containers that follow the primary.
func startTimes(t *testing.T) string {
	t.Helper()
	return docker(t, "inspect", "-f", "{{.State.StartedAt}}", container("standby"), container("pgbouncer"))
}
