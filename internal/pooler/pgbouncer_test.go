package pooler

import (
	"reflect"
	"testing"

	"pooler-lab/internal/result"
	"pooler-lab/internal/session"
	"pooler-lab/test/testkit"
)

var measured = &pgbouncer{service{login: Login{Measured: []string{"app", "app_clear", "app_trust"}}}}

func TestPgBouncerSumsPoolsUp(t *testing.T) {
	pools := []session.Row{
		{"database": "lab", "user": "app", "cl_active": "4", "cl_waiting": "6", "sv_active": "4", "sv_idle": "1",
			"sv_login": "1", "maxwait": "2", "maxwait_us": "500000"},
		{"database": "lab", "user": "app_clear", "cl_active": "1", "cl_waiting": "0", "sv_used": "1", "maxwait": "0",
			"maxwait_us": "900"},
		{"database": "postgres", "user": "monitor", "cl_active": "50", "cl_waiting": "50", "sv_active": "50",
			"maxwait": "99", "maxwait_us": "0"},
	}
	waiting, longest := 6, 2500.0
	want := result.Pooler{
		Samples: 1, MaxClients: 11, MaxWaiting: &waiting, MaxWaitMS: &longest, MaxServers: 7, PoolSize: 20,
	}
	got, err := measured.sum(pools, session.Row{"name": "lab", "pool_size": "20"})
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("summed up as %+v (%v), it should be %+v", got, err, want)
	}
	if _, err := measured.sum([]session.Row{{"user": "app", "cl_active": "many"}}, nil); err == nil {
		t.Error("what isn't a number is taken for one")
	}
}

func TestPgBouncersState(t *testing.T) {
	databases := []session.Row{
		{"name": "lab", "pool_size": "20"}, {"name": "lab_session", "pool_size": "30"},
		{"name": "postgres", "pool_size": "7"},
	}
	tests := []struct {
		name  string
		pools []session.Row
		want  [4]int // waiting, active, idle, size
	}{
		{"nobody", nil, [4]int{0, 0, 0, 20}},
		{"two pools in use, and the health check's", []session.Row{
			{"database": "lab", "user": "app", "cl_active": "5", "cl_waiting": "2", "sv_active": "4", "sv_idle": "1",
				"sv_used": "2"},
			{"database": "lab_session", "user": "app", "cl_active": "1", "cl_waiting": "0", "sv_active": "1",
				"sv_idle": "0", "sv_used": "0"},
			{"database": "postgres", "user": "monitor", "cl_active": "1", "cl_waiting": "9", "sv_active": "1",
				"sv_idle": "0", "sv_used": "0"},
		}, [4]int{2, 5, 3, 50}},
		{"a pool that is no longer used", []session.Row{
			{"database": "lab_session", "user": "app", "cl_active": "0", "sv_idle": "0"},
		}, [4]int{0, 0, 0, 20}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s, err := measured.state(test.pools, databases)
			testkit.OK(t, err)
			if got := [4]int{*s.Waiting, *s.Active, *s.Idle, *s.Size}; got != test.want {
				t.Errorf("%v; wanted %v", got, test.want)
			}
		})
	}
	if _, err := measured.state([]session.Row{{"database": "lab", "user": "app", "sv_active": "many"}},
		databases); err == nil {
		t.Error("a count that is no number was no error")
	}
}
