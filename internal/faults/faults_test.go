//go:build unix

package faults

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
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
	// Less than the two minutes after which Go's runtime closes a forgotten file and so gives its lock back.
	ctx, stop := context.WithTimeout(l.t.Context(), 110*time.Second)
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

// operation is what faults are tried on: it leads from one state of the files to
// another.
type operation struct {
	name     string
	args     []string
	inverse  []string // brings back what was there before it
	from, to world
}

func (op operation) command() []string { return append([]string{binary}, op.args...) }

func (l *lab) rewinds() operation {
	return operation{name: "rewind", args: []string{"rewind", "--to", l.point, "--yes"}, inverse: []string{"undo", "--yes"}, from: l.before, to: l.after}
}

// undoes is the operation that takes the rewind back. It begins where that was
// carried out, and so does every experiment of the lab from now on.
func (l *lab) undoes() operation {
	l.t.Helper()
	l.reset()
	l.entire(l.rewinds().args...)
	l.ok(os.RemoveAll(l.pristine))
	l.copy(l.root, l.pristine)
	return operation{name: "undo", args: []string{"undo", "--yes"}, inverse: []string{"redo", "--yes"}, from: l.look(), to: l.before}
}

// operations are those that faults are tried on; FAULTS_OF names one. Each is to
// be made when its turn has come.
func operations() map[string]func(*lab) operation {
	all := map[string]func(*lab) operation{"rewind": (*lab).rewinds, "undo": (*lab).undoes}
	maps.DeleteFunc(all, func(name string, _ func(*lab) operation) bool {
		one := os.Getenv("FAULTS_OF")
		return one != "" && one != name
	})
	return all
}
