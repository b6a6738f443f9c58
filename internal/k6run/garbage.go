package k6run

import (
	"fmt"
	"os"
)

// What k6 may leave behind before it collects garbage, in percent of what lives. It weighs memory against CPU time: a
// client's JavaScript takes about 150 KB that live as long as the test. A few clients may leave four times as much
// behind; thousands would not fit.
const (
	mostGarbage     = 400
	leastGarbage    = 10
	ordinaryClients = 1000 // for which Go's own 100 is right
)

// GOGC is the variable that says how much k6 may leave behind with so many clients. There is none where nothing is known
// of them, or whoever starts the lab has set it.
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
