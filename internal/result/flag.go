package result

// A FlagKind is one thing that can be wrong with a repeat.
type FlagKind string

// The kinds of flags; Meaning says what each stands for.
const (
	FlagCounts    FlagKind = "counts"
	FlagErrors    FlagKind = "errors"
	FlagFew       FlagKind = "few"
	FlagGenerator FlagKind = "generator"
	FlagHost      FlagKind = "host"
	FlagLate      FlagKind = "late"
	FlagLatency   FlagKind = "latency"
	FlagStolen    FlagKind = "stolen"
	FlagThrottled FlagKind = "throttled"
	FlagUncounted FlagKind = "uncounted"
	FlagWarmup    FlagKind = "warm-up"
)

// flagMeanings are the kinds and what they stand for.
var flagMeanings = map[FlagKind]string{
	FlagCounts:    "the clients and the servers counted different numbers of transactions",
	FlagErrors:    "statements or connects failed, warm-up included; run.json counts them by SQLSTATE",
	FlagFew:       "too few transactions for a median",
	FlagGenerator: "the program that clients are in used nearly all of the host's CPU",
	FlagHost:      "the host's CPU was full: the figure says more about this machine than about the path",
	FlagLate:      "more than 1 % of the open loop's iterations began late or never",
	FlagLatency:   "the round trip was not what was set, within 1.5 ms or 10 %: it stands, starred, in its column",
	FlagStolen: "stolen CPU time: the hypervisor gave 10 % or more of this host's CPU to other virtual machines; " +
		"a host of your own measures better",
	FlagThrottled: "CPU limits can have held up 10 % or more of the open loop's iterations: its tail holds waits for CPU",
	FlagUncounted: "the servers' own counts could not be read",
	FlagWarmup:    "not all clients could connect and do their first iterations",
}

// Meaning says what a flag of the kind stands for.
func (k FlagKind) Meaning() string {
	if text, known := flagMeanings[k]; known {
		return text
	}
	return "a flag that this program doesn't know"
}

// A Flag says what a reader has to know of a repeat's figures, or why they support no conclusion: see Repeat.Bounds.
type Flag struct {
	Kind FlagKind `json:"kind"`
	Text string   `json:"text"`
}
