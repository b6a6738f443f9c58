package pooler

import (
	"fmt"
	"io"
	"net"
	"os"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"pooler-lab/test/testkit"
)

// A lesson can change what all of Odyssey's rules have in common, and nothing else: what one kind of pool has would be
// changed in some rules only. Until then a setting is as configured.
func TestSettingsOfOdyssey(t *testing.T) {
	t.Setenv("LAB_ROOT", "../..")
	t.Setenv("LAB_NODES", t.TempDir())
	o := &odyssey{}
	size, err := o.Setting(t.Context(), "pool_size")
	testkit.OK(t, err)
	if size != "20" {
		t.Errorf("pool_size is %s", size)
	}
	for _, wrong := range [][2]string{{"pool_discard", "yes"}, {"workers", "3"}, {"pool_size", "5;"}, {"pool_size", ""}} {
		if err := o.Apply(t.Context(), wrong[0], wrong[1]); err == nil {
			t.Errorf("%s can be set to %q", wrong[0], wrong[1])
		}
	}
	if set := appliedToOdyssey(); set != "" {
		t.Errorf("afterwards this is set: %s", set)
	}
}

// What a client gets over a server connection that has ended is told from an error that stays.
func TestServerConnectionHadEnded(t *testing.T) {
	for err, want := range map[error]bool{
		fmt.Errorf("fill: %w", &net.OpError{Op: "read", Err: os.NewSyscallError("read", syscall.ECONNRESET)}): true,
		fmt.Errorf("fill: %w", &pgconn.PgError{Code: "57P01"}):                                                true,
		io.EOF: true,
		fmt.Errorf("fill: %w", &pgconn.PgError{Code: "28P01"}):                          false,
		&net.OpError{Op: "dial", Err: os.NewSyscallError("dial", syscall.ECONNREFUSED)}: false,
	} {
		if hadEnded(err) != want {
			t.Errorf("%v: %t", err, !want)
		}
	}
}
