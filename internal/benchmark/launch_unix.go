//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"time"
)

// launchVerb makes this program the small parent of a measured command. The
// kernel counts the parent's memory at the fork as the child's, so a parent that
// has held a repository's text would spoil the peak.
const launchVerb = "-launch"

// launch runs a command in a session of its own, which has no terminal, and
// writes what it took to the file named first.
func launch(args []string) int {
	cmd := exec.Command(args[1], args[2:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	start := time.Now()
	err := cmd.Run()
	wall := time.Since(start)
	if cmd.ProcessState == nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	usage := cmd.ProcessState.SysUsage().(*syscall.Rusage) // with all descendants that were waited for
	s := sample{CPU: cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), Wall: wall,
		Memory: int64(usage.Maxrss), Exit: cmd.ProcessState.ExitCode()}
	if runtime.GOOS != "darwin" {
		s.Memory <<= 10 // all but darwin count KiB
	}
	data, err := json.Marshal(s)
	if err == nil {
		err = os.WriteFile(args[0], data, 0o600)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// blocks is what a file takes on the disk.
func blocks(fi os.FileInfo) int64 {
	if st, ok := fi.Sys().(*syscall.Stat_t); ok {
		return int64(st.Blocks) * 512
	}
	return fi.Size()
}
