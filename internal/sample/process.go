package sample

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// tick is the unit of CPU times in /proc (USER_HZ, 100 on all that Linux runs on today).
const tick = 10 * time.Millisecond

// ProcessCPU returns the CPU time that a process of this machine has taken until now, all of its threads together.
func ProcessCPU(pid int) (time.Duration, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, fmt.Errorf("read a process's CPU time: %w", err)
	}
	return parseProcess(string(text))
}

// parseProcess reads utime and stime, the 14th and 15th word. The second is the program's name in parentheses, which
// may hold spaces and parentheses of its own.
func parseProcess(stat string) (time.Duration, error) {
	words := strings.Fields(stat[strings.LastIndex(stat, ")")+1:])
	if len(words) < 13 {
		return 0, fmt.Errorf("read a process's CPU time: %q has too few words", stat)
	}
	var ticks int64
	for _, word := range words[11:13] {
		number, err := strconv.ParseInt(word, 10, 64)
		if err != nil {
			return 0, fmt.Errorf("read a process's CPU time: %w", err)
		}
		ticks += number
	}
	return time.Duration(ticks) * tick, nil
}
