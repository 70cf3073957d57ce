//go:build unix

package faults

import (
	"bytes"
	"fmt"
	"os"
	"sort"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// faultsOf are what happens to the calls of a class.
var faultsOf = map[string][]string{
	change:  {"EIO", "ENOSPC", "EACCES", "KILL", "KILLALL"},
	read:    {"EIO", "EACCES", "KILLALL"},
	process: {"EIO", "KILL"},
	begin:   {"EAGAIN", "EMFILE"},
}

// sampled is among how many of the first calls a sample takes one for each fault.
var sampled = map[string]int{change: 340, read: 4000, process: 600, begin: 90}

func number(name string, otherwise int) int {
	if n, err := strconv.Atoi(os.Getenv(name)); err == nil {
		return n
	}
	return otherwise
}

// every tries a fault at every step-th call of a class, beginning with the
// first-th. A step of 0 tries that one alone. It also returns how many calls of the class
// the last run made.
func every(t *testing.T, l *lab, op operation, class, fault string, first, step int) (tried, calls int) {
	bad := map[string]int{}
	start := time.Now()
	for at := first; ; at += step {
		o, wrong := l.try(op, traced{Class: class, At: at, Fault: fault})
		if calls = o.Calls; o.Hit == "" {
			break
		}
		tried++
		if os.Getenv("FAULTS_LOG") != "" {
			fmt.Println(time.Since(start).Round(time.Millisecond), fault, at, o.Hit, o.Code, len(wrong))
		}
		if len(wrong) > 0 {
			bad[o.Hit]++
			t.Errorf("%s, %s at call %d (%s), exit status %d:\n  %s", op.name, fault, at, o.Hit, o.Code, strings.Join(wrong, "\n  "))
		}
		if step == 0 {
			break
		}
	}
	t.Logf("%s: %s at %d calls of class %s in %v, %d of them bad", op.name, fault, tried, class, time.Since(start).Round(time.Second), len(bad))
	return tried, calls
}

// TestFaults tries faults at the calls of a rewind, and of an undo: a sample, or
// with FAULTS=all every one. FAULTS_ONLY names a class and a fault, FAULTS_SEED
// where the sample begins.
func TestFaults(t *testing.T) {
	t.Parallel()
	if !canTrace {
		t.Log("no tracer for this system: see TestKillsAtRandom")
		return
	}
	for name, make := range operations() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLab(t, t.TempDir())
			l.faults(make(l))
		})
	}
}

func (l *lab) faults(op operation) {
	t := l.t
	l.reset()
	if said := l.entire(op.args...); len(l.look().differs(op.to, false)) > 0 {
		t.Fatalf("without any fault %v are otherwise\n%s", l.look().differs(op.to, false), said)
	}
	l.reset()
	if o, said := l.tracedRun(traced{Args: op.command(), Class: begin}); o.Calls == 0 {
		t.Logf("nothing can be traced here, see TestKillsAtRandom: %s", said)
		return
	}
	all := os.Getenv("FAULTS") == "all"
	only := os.Getenv("FAULTS_ONLY")
	var names []string
	for class, faults := range faultsOf {
		for _, fault := range faults {
			names = append(names, class+" "+fault)
		}
	}
	sort.Strings(names)
	total := 0
	for i, name := range names {
		if only != "" && !strings.Contains(name, only) {
			continue
		}
		class, fault, _ := strings.Cut(name, " ")
		first, step, sample := number("FAULTS_FROM", 1), number("FAULTS_STEP", 1), false
		if at := number("FAULTS_AT", 0); at > 0 {
			first, step = at, 0
		} else if !all {
			first, step, sample = 1+(sampled[class]/len(names)*i+number("FAULTS_SEED", 5))%sampled[class], 0, true
		}
		tried, calls := every(t, l, op, class, fault, first, step)
		if sample && tried == 0 && calls > 0 { // it makes fewer calls than sampled says
			tried, _ = every(t, l, op, class, fault, 1+first%calls, 0)
		}
		if sample && tried == 0 {
			t.Errorf("%s: no %s was tried", op.name, name)
		}
		total += tried
	}
	fmt.Printf("%s: faults tried: %d\n", op.name, total)
}

// TestKillsAtRandom kills the rewind, or the undo, and every other time git with
// it, at instants spread over the time it takes.
func TestKillsAtRandom(t *testing.T) {
	t.Parallel()
	for name, make := range operations() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLab(t, t.TempDir())
			l.kills(make(l))
		})
	}
}

func (l *lab) kills(op operation) {
	t := l.t
	l.reset()
	start := time.Now()
	l.entire(op.args...)
	usual := time.Since(start)
	kills := number("FAULTS_KILLS", 4)
	for n := range kills {
		l.reset()
		delay := usual * time.Duration(2*n+1) / time.Duration(2*kills)
		var said bytes.Buffer
		cmd := l.command(binary, op.args...)
		cmd.Stdout, cmd.Stderr, cmd.WaitDelay = &said, &said, time.Second
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		l.ok(cmd.Start())
		victim := cmd.Process.Pid
		if n%2 == 1 {
			victim = -victim // its group
		}
		timer := time.AfterFunc(delay, func() { _ = syscall.Kill(victim, syscall.SIGKILL) })
		err := cmd.Wait()
		timer.Stop()
		e := l.experiment(op, said.String(), cmd.ProcessState.ExitCode(), err != nil)
		if e.check(); len(e.wrong) > 0 {
			t.Errorf(op.name+", killed after %v of %v:\n  %s\nstatus said: %s", delay, usual, strings.Join(e.wrong, "\n  "), e.status)
		}
	}
}
