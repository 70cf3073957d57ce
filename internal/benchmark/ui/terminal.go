package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/creack/pty"
)

// A terminal runs the program, and notes when it writes.
type terminal struct {
	cmd *exec.Cmd
	tty *os.File

	mu    sync.Mutex
	text  bytes.Buffer // since the last clear
	wrote chan struct{}
}

const (
	columns = 120
	rows    = 36
)

// start runs the program in a terminal of its own.
func (l *lab) start() (*terminal, error) {
	t := &terminal{cmd: exec.CommandContext(l.ctx, l.bin), wrote: make(chan struct{}, 1)}
	t.cmd.Dir, t.cmd.Env = l.repo(), l.env()
	tty, err := pty.StartWithSize(t.cmd, &pty.Winsize{Cols: columns, Rows: rows})
	if err != nil {
		return nil, err
	}
	t.tty = tty
	go t.read()
	return t, nil
}

func (t *terminal) read() {
	buf := make([]byte, 64<<10)
	for {
		n, err := t.tty.Read(buf)
		t.mu.Lock()
		t.text.Write(buf[:n])
		t.mu.Unlock()
		select {
		case t.wrote <- struct{}{}:
		default:
		}
		if err != nil {
			return
		}
	}
}

// has reports whether a text was written since the last clear, without regard to how the cursor moved.
func (t *terminal) has(text string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return bytes.Contains(t.text.Bytes(), []byte(text))
}

func (t *terminal) clear() {
	t.mu.Lock()
	t.text.Reset()
	t.mu.Unlock()
	select {
	case <-t.wrote:
	default:
	}
}

// patience is how long something may take before it counts as not measured.
const patience = 2 * time.Minute

// unchanged is after how long a key has changed nothing.
const unchanged = 2 * time.Second

// wait waits until a text is written.
func (t *terminal) wait(text string) error {
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(time.Millisecond) {
		if t.has(text) {
			return nil
		}
	}
	return fmt.Errorf("%q was not shown", text)
}

// quiet waits until nothing is written for a while.
func (t *terminal) quiet(d time.Duration) {
	for {
		select {
		case <-t.wrote:
		case <-time.After(d):
			return
		}
	}
}

// A press is what it took from the key's first byte in the terminal to the first output after it: by the clock, and
// in processor time of all the program's threads, without processes that it starts (git, and the search).
type press struct{ clock, cpu time.Duration }

// press writes a key. ok is false if the program then writes nothing, as at the end of a list.
func (t *terminal) press(key string) (took press, ok bool, err error) {
	t.clear()
	used, begun := t.onCPU(), time.Now()
	if _, err := t.tty.WriteString(key); err != nil {
		return press{}, false, err
	}
	select {
	case <-t.wrote:
		return press{time.Since(begun), t.onCPU() - used}, true, nil
	case <-time.After(unchanged):
		return press{}, false, nil
	}
}

// stop ends the program.
func (t *terminal) stop() {
	_, _ = t.tty.WriteString("\x03")
	done := make(chan struct{})
	go func() {
		_ = t.cmd.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(5 * time.Second):
		_ = t.cmd.Process.Kill()
		<-done
	}
	t.tty.Close()
}

// onCPU returns the processor time that the program's threads have used, to the nanosecond.
func (t *terminal) onCPU() (sum time.Duration) {
	threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", t.cmd.Process.Pid))
	for _, file := range threads {
		data, _ := os.ReadFile(file)
		n, _ := strconv.ParseInt(strings.Fields(string(data) + " 0")[0], 10, 64)
		sum += time.Duration(n)
	}
	return sum
}

// cpu returns the processor time that the program and the processes below it have used.
func (t *terminal) cpu() time.Duration { return t.onCPU() + cpuOf(t.cmd.Process.Pid, false) }

// ticks is the number of clock ticks in a second, which is the same on every Linux.
const ticks = 100

// cpuOf returns the processor time of the processes below a process, and with own its own, in clock ticks.
func cpuOf(pid int, own bool) time.Duration {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	_, after, _ := strings.Cut(string(stat), ") ")
	fields := strings.Fields(after)
	total := 0
	for _, i := range []int{11, 12, 13, 14} { // user and system, own and of children that have ended
		if i < len(fields) && (own || i > 12) {
			n, _ := strconv.Atoi(fields[i])
			total += n
		}
	}
	sum := time.Duration(total) * time.Second / ticks
	children, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, file := range children {
		data, _ := os.ReadFile(file)
		for _, word := range strings.Fields(string(data)) {
			if child, err := strconv.Atoi(word); err == nil {
				sum += cpuOf(child, true)
			}
		}
	}
	return sum
}

// mostMemory returns the most resident memory that the program had, in bytes.
func (t *terminal) mostMemory() int {
	data, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", t.cmd.Process.Pid))
	_, after, _ := strings.Cut(string(data), "VmHWM:")
	line, _, _ := strings.Cut(after, "\n")
	n, _ := strconv.Atoi(strings.Fields(line + " 0")[0])
	return n << 10
}
