package process

import (
	"bytes"
	"os"
	"strconv"
	"strings"
)

// look returns what the kernel shows of a process.
func look(pid int) (at running) {
	dir := "/proc/" + strconv.Itoa(pid)
	line, err := os.ReadFile(dir + "/cmdline")
	if err != nil {
		return at
	}
	for arg := range bytes.SplitSeq(bytes.TrimSuffix(line, []byte{0}), []byte{0}) {
		at.args = append(at.args, string(arg))
	}
	stat, err := os.ReadFile(dir + "/stat")
	if err != nil {
		return at
	}
	// The name, in brackets, may contain anything; the state and the parent follow it, and the
	// start, in ticks since the system's, is the 20th of these words.
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	if len(fields) < 20 {
		return at
	}
	at.parent, _ = strconv.Atoi(fields[1])
	at.started = fields[19]
	return at
}
