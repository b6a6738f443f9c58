package server

import "testing"

func TestFillOfPools(t *testing.T) {
	databases := []row{{"name": "lab", "pool_size": "20"}, {"name": "lab_session", "pool_size": "30"}, {"name": "postgres", "pool_size": "7"}}
	cases := []struct {
		name  string
		pools []row
		want  Pools
	}{
		{"nobody", nil, Pools{Size: 20}},
		{"two pools in use, and the health check's", []row{
			{"database": "lab", "user": "app", "cl_active": "5", "cl_waiting": "2", "sv_active": "4", "sv_idle": "1", "sv_used": "2"},
			{"database": "lab_session", "user": "app", "cl_active": "1", "cl_waiting": "0", "sv_active": "1", "sv_idle": "0", "sv_used": "0"},
			{"database": "postgres", "user": "monitor", "cl_active": "1", "cl_waiting": "9", "sv_active": "1", "sv_idle": "0", "sv_used": "0"},
		}, Pools{Waiting: 2, Active: 5, Idle: 3, Size: 50}},
		{"a pool that is no longer used", []row{{"database": "lab_session", "user": "app", "cl_active": "0", "sv_idle": "0"}}, Pools{Size: 20}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if got, err := fillOf(c.pools, databases); err != nil || got != c.want {
				t.Errorf("%+v, %v; wanted %+v", got, err, c.want)
			}
		})
	}
	if _, err := fillOf([]row{{"database": "lab", "user": "app", "sv_active": "many"}}, databases); err == nil {
		t.Error("a count that is no number was no error")
	}
}
