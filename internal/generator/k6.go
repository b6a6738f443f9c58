package generator

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"time"
)

// An Order is one quiet run of k6, whose figures go to one of the lab's own outputs.
type Order struct {
	Program  string // k6 where empty
	Script   string
	Output   string // lab=FILE for a summary at the end, live=METRIC for a line a second
	Env      []string
	Password string // of the role that its clients log in as
	Clients  int    // that it has, which decides how often it collects garbage; 0: as Go does

	Stdout, Stderr io.Writer
	Grace          time.Duration // for k6 to end its statements and close its connections when it is to stop
}

// Start starts k6, which is interrupted if the lab's program is killed.
func Start(o Order) (*Process, error) {
	p, err := Begin(o.command(), syscall.SIGINT, o.Grace)
	if err != nil {
		return nil, fmt.Errorf("start k6: %w", err)
	}
	return p, nil
}

// run runs k6 and waits for it. Where ctx ends first k6 is stopped.
func (o Order) run(ctx context.Context) (End, error) {
	p, err := Start(o)
	if err != nil {
		return End{}, err
	}
	select {
	case <-ctx.Done():
		return p.Stop(), nil
	case <-p.Ended():
		return p.end, p.end.Err
	}
}

// command is the command that an order stands for.
func (o Order) command() *exec.Cmd {
	k6 := exec.Command(cmp.Or(o.Program, "k6"), "run", "--quiet", "--no-color", "--summary-mode", "disabled",
		"--no-thresholds", "--out", o.Output, o.Script)
	k6.Env = append(Environment(os.Environ()), o.Env...)
	k6.Env = append(k6.Env, "PGPASSWORD="+o.Password)
	k6.Env = append(k6.Env, GOGC(o.Clients)...)
	k6.Stdout, k6.Stderr = o.Stdout, o.Stderr
	return k6
}

// ours are variables that only the lab's program gives to k6.
var ours = []string{"LAB_CELL", "LAB_TRIAL", "LAB_TRIAL_PASSWORDS", "HOME"}

// Environment is env without what would change a script behind its back (K6_VUS and K6_DURATION throw scenarios away)
// and without passwords that the program doesn't need.
func Environment(env []string) []string {
	kept := []string{"K6_NO_USAGE_REPORT=true", "K6_AUTO_EXTENSION_RESOLUTION=false", "HOME=" + os.TempDir()}
	for _, e := range env {
		name, _, _ := strings.Cut(e, "=")
		if strings.HasPrefix(name, "K6_") || strings.HasSuffix(name, "PASSWORD") || slices.Contains(ours, name) {
			continue
		}
		kept = append(kept, e)
	}
	return kept
}

// What k6 may leave behind before it collects garbage, in percent of what lives. It weighs memory against CPU time: a
// client's JavaScript takes about 150 KB that live as long as the test. A few clients may leave four times as much
// behind; thousands would not fit.
const (
	mostGarbage     = 400
	leastGarbage    = 10
	ordinaryClients = 1000 // for which Go's own 100 is right
)

// GOGC is the variable that says how much k6 may leave behind with so many clients. There is none where nothing is
// known of them, or whoever starts the lab has set it.
func GOGC(clients int) (env []string) {
	if clients > 0 && os.Getenv("GOGC") == "" {
		env = append(env, fmt.Sprintf("GOGC=%d", garbage(clients)))
	}
	return env
}

// garbage returns how much k6 may leave behind with so many clients. It goes down twice as steeply once there are
// thousands: 4000 clients and their connections live in almost a gigabyte.
func garbage(clients int) int {
	percent := 100 * ordinaryClients / clients
	if clients > ordinaryClients {
		percent = percent * ordinaryClients / clients
	}
	return min(mostGarbage, max(leastGarbage, percent))
}
