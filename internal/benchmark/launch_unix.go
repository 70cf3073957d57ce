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

// launchVerb makes this program the small parent of a measured command. The kernel counts the parent's
// memory at the fork as the child's, so a large parent would falsify the peak.
const launchVerb = "-launch"

// launch runs a command in its own session, without a terminal, and writes its cost to the file
// args[0].
func launch(args []string) int {
	words, recording := args[1:], ""
	if dir := os.Getenv(profileVariable); dir != "" {
		words, recording = recorded(dir, words)
	}
	cmd := exec.Command(words[0], words[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	start := time.Now()
	err := cmd.Run()
	wall := time.Since(start)
	if cmd.ProcessState == nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	usage := cmd.ProcessState.SysUsage().(*syscall.Rusage) // includes all descendants that were waited for
	s := sample{CPU: cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), Wall: wall,
		Memory: int64(usage.Maxrss), Exit: cmd.ProcessState.ExitCode(),
		User: cmd.ProcessState.UserTime(), Faults: int64(usage.Minflt + usage.Majflt), Data: recording}
	if runtime.GOOS != "darwin" {
		s.Memory <<= 10 // all systems but darwin count KiB
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

// blocks returns the disk space of a file in bytes.
func blocks(fi os.FileInfo) int64 {
	if st, ok := fi.Sys().(*syscall.Stat_t); ok {
		return int64(st.Blocks) * 512
	}
	return fi.Size()
}
