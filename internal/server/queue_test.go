package server

import (
	"reflect"
	"testing"

	"pooler-lab/internal/result"
)

func TestSumPools(t *testing.T) {
	pools := []row{
		{"database": "lab", "user": "app", "cl_active": "4", "cl_waiting": "6", "sv_active": "4", "sv_idle": "1", "sv_login": "1", "maxwait": "2", "maxwait_us": "500000"},
		{"database": "lab", "user": "app_clear", "cl_active": "1", "cl_waiting": "0", "sv_used": "1", "maxwait": "0", "maxwait_us": "900"},
		{"database": "postgres", "user": "monitor", "cl_active": "50", "cl_waiting": "50", "sv_active": "50", "maxwait": "99", "maxwait_us": "0"},
	}
	waiting, longest := 6, 2500.0
	want := result.Pooler{Samples: 1, MaxClients: 11, MaxWaiting: &waiting, MaxWaitMS: &longest, MaxServers: 7, PoolSize: 20}
	got, err := sumPools(pools, row{"name": "lab", "pool_size": "20"})
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("summed up as %+v (%v), it should be %+v", got, err, want)
	}
	if _, err := sumPools([]row{{"user": "app", "cl_active": "many"}}, nil); err == nil {
		t.Error("what isn't a number is taken for one")
	}
}
