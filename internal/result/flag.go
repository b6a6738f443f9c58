package result

// A FlagKind is one thing that can be wrong with a repeat.
type FlagKind string

// The kinds of flags: see Meaning.
const (
	FlagCounts    FlagKind = "counts"
	FlagDrift     FlagKind = "drift"
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

// flagTexts are what each kind stands for: in words that a room reads in a second, and in full. The gravest come first.
var flagTexts = []struct {
	kind           FlagKind
	short, meaning string
}{
	{FlagErrors, "statements failed",
		"statements or connects failed, warm-up included; run.json counts them by SQLSTATE"},
	{FlagCounts, "counts differ", "the clients and the servers counted different numbers of transactions"},
	{FlagUncounted, "the servers' counts are unknown", "the servers' own counts could not be read"},
	{FlagLatency, "the latency wasn't as set",
		"the round trip was not what was set, within 1.5 ms or 10 %: it stands, starred, in its column"},
	{FlagHost, "this machine's CPU was full",
		"the host's CPU was full: the figure says more about this machine than about the path"},
	{FlagStolen, "other virtual machines took CPU",
		"stolen CPU time: the hypervisor gave 10 % or more of this host's CPU to other virtual machines; " +
			"a host of your own measures better"},
	{FlagGenerator, "k6 took nearly all of the CPU",
		"the program that clients are in used nearly all of the host's CPU"},
	{FlagLate, "work began late", "more than 1 % of the open loop's iterations began late or " +
		"never, or an event came late"},
	{FlagDrift, "the rate wasn't steady",
		"a closed loop got clearly faster or slower within its window, by 10 % or more"},
	{FlagWarmup, "not all clients could start", "not all clients could connect and do their first iterations"},
	{FlagThrottled, "a CPU limit was hit",
		"CPU limits can have held up 10 % or more of the open loop's iterations: its tail holds waits for CPU"},
	{FlagFew, "too few times", "the window has too few transactions: a median takes ten, a 95th percentile a hundred, " +
		"a 99th five hundred"},
}

// FlagKinds are all kinds of flags, the gravest first.
func FlagKinds() (kinds []FlagKind) {
	for _, t := range flagTexts {
		kinds = append(kinds, t.kind)
	}
	return kinds
}

// Short says in a few words what happened.
func (k FlagKind) Short() string {
	short, _ := k.texts()
	return short
}

// Meaning says what a flag of the kind stands for.
func (k FlagKind) Meaning() string {
	_, full := k.texts()
	return full
}

func (k FlagKind) texts() (short, full string) {
	for _, t := range flagTexts {
		if t.kind == k {
			return t.short, t.meaning
		}
	}
	return string(k), "a flag that this program doesn't know"
}

// A Flag says what a reader has to know of a repeat's figures, or why they support no conclusion: see metric.Rule.
type Flag struct {
	Kind FlagKind `json:"kind"`
	Text string   `json:"text"`
}
