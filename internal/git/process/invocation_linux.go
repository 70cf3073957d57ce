package process

import (
	"bytes"
	"os"
	"strconv"
	"strings"
)

// commandLine returns the command line of a process and its parent's ID; none and 0 if there
// is no such process.
func commandLine(pid int) (args []string, parent int) {
	dir := "/proc/" + strconv.Itoa(pid)
	line, err := os.ReadFile(dir + "/cmdline")
	if err != nil {
		return nil, 0
	}
	for arg := range bytes.SplitSeq(bytes.TrimSuffix(line, []byte{0}), []byte{0}) {
		args = append(args, string(arg))
	}
	stat, err := os.ReadFile(dir + "/stat")
	if err != nil {
		return args, 0
	}
	// The name, in brackets, may contain anything; the state and the parent follow it.
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	if len(fields) < 2 {
		return args, 0
	}
	parent, _ = strconv.Atoi(fields[1])
	return args, parent
}
