//go:build unix

package hubtest

import (
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"
)

// Run runs the tests of a package in a temporary folder of their own, and returns the status to exit with. Nothing that they
// started or wrote there stays: also when they fail, when the process is interrupted, and when `go test` was killed.
func Run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "hub-test")
	if err == nil {
		err = os.Chmod(dir, 0o711) // PostgreSQL's own user has a folder in it
	}
	if err == nil {
		err = os.Setenv("TMPDIR", dir)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	go abandoned(dir)
	defer remove(dir)
	return m.Run()
}

// abandoned waits until nobody wants the tests any more, and ends the process.
func abandoned(dir string) {
	parent, stop := os.Getppid(), make(chan os.Signal, 1)
	signal.Notify(stop, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	for os.Getppid() == parent {
		select {
		case <-stop:
			parent = 0
		case <-time.After(500 * time.Millisecond):
		}
	}
	remove(dir)
	os.Exit(1)
}

// remove ends the servers and removes the folder that everything is in.
func remove(dir string) {
	all.Lock()
	defer all.Unlock()
	for c := range all.clusters {
		c.crash()
	}
	for p := range all.processes {
		_ = p.Kill()
	}
	for range 50 { // the processes of a server write for a moment after it was killed
		if os.RemoveAll(dir) == nil {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	fmt.Fprintln(os.Stderr, "left behind: "+filepath.Clean(dir))
}

// all are the servers that run.
var all = struct {
	sync.Mutex
	clusters  map[*Cluster]bool
	processes map[*os.Process]bool
}{clusters: map[*Cluster]bool{}, processes: map[*os.Process]bool{}}

// Own makes a process end with the tests, until it is disowned.
func Own(p *os.Process) (disown func()) {
	all.Lock()
	defer all.Unlock()
	all.processes[p] = true
	return func() {
		all.Lock()
		defer all.Unlock()
		delete(all.processes, p)
	}
}

// Bind makes a command of a program that is killed, with all processes of its group, when this process ends, however it
// ends. The caller starts it, and may kill its group, whose number is that of the command's process.
func Bind(t testing.TB, name string, args ...string) *exec.Cmd {
	t.Helper()
	const script = `{ "$0" "$@" </dev/null; kill -KILL 0; } & read x; kill -KILL 0`
	cmd := exec.Command("sh", append([]string{"-c", script, name}, args...)...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if _, err := cmd.StdinPipe(); err != nil { // it stays open as long as this process
		t.Fatal(err)
	}
	return cmd
}

// killGroup kills what Bind made, with all that it has started.
func killGroup(cmd *exec.Cmd) {
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	_ = cmd.Wait()
}
