//go:build unix

package faults

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"time"
)

// tracedRun runs a command of ours in the lab under the tracer.
func (l *lab) tracedRun(job traced) (outcome, string) {
	l.t.Helper()
	side := filepath.Dir(l.root)
	job.Root, job.Out, job.To = l.root, filepath.Join(side, "said"), filepath.Join(side, "outcome")
	text, err := json.Marshal(job)
	l.ok(err)
	self, err := os.Executable()
	l.ok(err)
	ctx, stop := context.WithTimeout(l.t.Context(), time.Minute)
	defer stop()
	cmd := l.command(self)
	go func() {
		<-ctx.Done()
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			_ = cmd.Process.Kill() // and with it everything that it traces
		}
	}()
	cmd.Env = append(cmd.Env, tracerVar+"="+string(text))
	if out, err := cmd.CombinedOutput(); err != nil {
		said, _ := os.ReadFile(job.Out)
		l.t.Logf("trace: %v\n%s%s", err, out, said)
		hit, _ := os.ReadFile(job.To + ".hit")
		return outcome{Hit: "hangs at " + string(hit), Code: -2}, string(said)
	}
	var o outcome
	data, err := os.ReadFile(job.To)
	l.ok(err)
	l.ok(json.Unmarshal(data, &o))
	said, err := os.ReadFile(job.Out)
	l.ok(err)
	return o, string(said)
}

// operation is what faults are tried on.
type operation struct {
	name     string
	prepare  func(*lab) // from the pristine state
	args     func(*lab) []string
	from, to func(*lab) world
}

var rewind = operation{
	name:    "rewind",
	prepare: func(*lab) {},
	args:    func(l *lab) []string { return []string{binary, "rewind", "--to", l.point, "--yes"} },
	from:    func(l *lab) world { return l.before },
	to:      func(l *lab) world { return l.after },
}
