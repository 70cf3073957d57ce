package bounded

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"time"
)

// ErrTimeout is returned for a program that took too long, ErrTooMuch for one that printed too much.
var (
	ErrTimeout = errors.New("took too long")
	ErrTooMuch = errors.New("printed too much")
)

// A Program is one run of a program.
type Program struct {
	Path    string
	Args    []string
	Dir     string
	Environ []string
	In      io.Reader
	Timeout time.Duration
	Grace   time.Duration // how long it may take to end after it was asked to
	Out     int           // bytes of standard output at most
	Err     int           // bytes of standard error that are kept; more are dropped
}

// Run runs the program to its end and returns what it printed. If it fails, the error is an
// *exec.ExitError.
func (p Program) Run(ctx context.Context) (stdout, stderr []byte, err error) {
	limited, cancel := context.WithTimeout(ctx, p.Timeout)
	defer cancel()
	out, errs := &limit{bytes: p.Out, full: cancel}, &limit{bytes: p.Err}
	cmd := exec.CommandContext(limited, p.Path, p.Args...)
	cmd.Dir, cmd.Env, cmd.Stdin = p.Dir, p.Environ, p.In
	cmd.SysProcAttr = OwnGroup()
	cmd.Cancel = func() error { return EndGroup(cmd.Process) }
	cmd.WaitDelay = p.Grace
	held, err := copyOutput(cmd, p.Grace, out, errs)
	if cmd.Process != nil && (limited.Err() != nil || held || errors.Is(err, exec.ErrWaitDelay)) {
		KillGroup(cmd.Process)
	}
	switch {
	case out.over:
		err = fmt.Errorf("%w: over %d bytes", ErrTooMuch, p.Out)
	case ctx.Err() != nil:
		err = context.Cause(ctx)
	case limited.Err() != nil:
		err = fmt.Errorf("%w: over %s", ErrTimeout, p.Timeout)
	case errors.Is(err, exec.ErrWaitDelay): // it ended, and a child of it has kept its output open
		err = nil
	}
	return out.buf.Bytes(), errs.buf.Bytes(), err
}

// limit keeps the first bytes and calls full if there are more.
type limit struct {
	buf   bytes.Buffer
	bytes int
	over  bool
	full  func()
}

func (l *limit) Write(p []byte) (int, error) {
	room := l.bytes - l.buf.Len()
	l.buf.Write(p[:min(room, len(p))])
	if len(p) > room && l.full != nil && !l.over {
		l.over = true
		l.full()
	}
	return len(p), nil
}
