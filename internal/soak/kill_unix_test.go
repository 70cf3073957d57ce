//go:build soak && unix

package soak

import (
	"errors"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// killAfter starts cmd as the leader of a process group of its own and kills it
// with SIGKILL after the delay: the leader alone, or the group with the git
// processes it started. It returns when nothing that it started is left, and
// reports whether the kill came before the end.
func killAfter(t testing.TB, cmd *exec.Cmd, delay time.Duration, group bool) (killed bool) {
	t.Helper()
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	pid := cmd.Process.Pid
	target := pid
	if group {
		target = -pid
	}
	timer := time.AfterFunc(delay, func() { _ = syscall.Kill(target, syscall.SIGKILL) })
	err := cmd.Wait()
	timer.Stop()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.Sys().(syscall.WaitStatus).Signaled() {
		killed = true
	} else if err != nil {
		t.Errorf("%v: %v", cmd.Args[1:], err)
	}
	for range 1000 {
		if !sessionLives(pid) {
			return killed
		}
		time.Sleep(2 * time.Millisecond)
	}
	t.Errorf("%v left processes behind", cmd.Args[1:])
	return killed
}

// sessionLives reports whether a process of the session is left; it may be in
// a group of its own.
func sessionLives(leader int) bool {
	out, err := exec.Command("ps", "-A", "-o", "sess=").Output()
	if err != nil {
		return !errors.Is(syscall.Kill(-leader, 0), syscall.ESRCH)
	}
	return slices.Contains(strings.Fields(string(out)), strconv.Itoa(leader))
}

// peakMemory is the largest resident size of an ended process, in bytes.
func peakMemory(cmd *exec.Cmd) int64 {
	usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	return int64(usage.Maxrss) * maxrssUnit
}
