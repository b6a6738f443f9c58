package result

// FlagMeanings say what each flag's word stands for.
var FlagMeanings = map[string]string{
	"counts":    "k6 and the servers counted different numbers of transactions",
	"errors":    "statements or connects failed; run.json counts them by SQLSTATE",
	"few":       "too few transactions for a median",
	"generator": "k6 itself used nearly all of the host's CPU",
	"host":      "the host's CPU was full: the figure says more about this machine than about the path",
	"late":      "more than 1 % of the paced turns began late or never",
	"latency":   "the round trip was not what was asked, within 1.5 ms or 10 %: it stands, starred, in its column",
	"stolen":    "the hypervisor gave 10 % or more of the CPU time to other machines: a host of your own measures better",
	"throttled": "a CPU budget stopped a component in 10 % or more of the periods, so this latency holds waits for CPU",
	"uncounted": "the servers' own counts could not be read",
	"warm-up":   "not all clients were ready when the measured window opened",
}
