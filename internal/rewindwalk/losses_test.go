package rewindwalk

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"entire/internal/testrepo"
)

// What the environment says about the walk of losses.
var (
	lossSequences = number("GUARDWALK_SEQUENCES", 4)
	lossLength    = number("GUARDWALK_OPS", 12)
	lossSeed      = number("GUARDWALK_SEED", 1)
	lossReplay    = os.Getenv("GUARDWALK_REPLAY")
)

// A state is what the files were at a turn's edge or before a command that destroys, and the point that holds them.
type state struct {
	what  string
	id    string // of the step, or of HEAD if the files were as it has them
	head  string
	files tree
}

// losses is a history in which people and two agents destroy files, beside the real program.
type losses struct {
	*history
	program string
	states  []state
	active  map[string]bool // sessions in a turn
	watcher *exec.Cmd
}

// lossTemplate makes the repository that every history begins with, once, and returns it and the program.
var lossTemplate = sync.OnceValues(func() (dir string, err error) {
	dir = filepath.Join(template, "losses")
	if err := testrepo.BuildInto(filepath.Join(dir, "bin"), "entire"); err != nil {
		return "", err
	}
	for _, name := range []string{"repo", "home", "outside"} {
		if err := os.CopyFS(filepath.Join(dir, name), os.DirFS(filepath.Join(template, name))); err != nil {
			return "", err
		}
	}
	l := newLosses(dir, dir)
	defer func() {
		if f, failed := recover().(failure); failed {
			err = fmt.Errorf("%s: %s", f.class, f.text)
		}
	}()
	l.must("enable", "--agent", "claude-code")
	l.must("enable", "--agent", "generic")
	l.git("add", "-A", "--", ":!nested")
	l.git("commit", "-q", "-m", "use entire")
	return dir, nil
})

func newLosses(root, programs string) *losses {
	h := &history{root: root, top: filepath.Join(root, "repo"), stats: map[string]int{}, env: testrepo.Environ(filepath.Join(root, "home")), commit: map[string]tree{}}
	path := filepath.Join(programs, "bin")
	h.env = append(h.env, "PATH="+path+string(os.PathListSeparator)+os.Getenv("PATH"), "ENTIRE_TEST_TTY=0")
	return &losses{history: h, program: filepath.Join(path, "entire"), active: map[string]bool{}}
}

// must runs the program to its end.
func (l *losses) must(args ...string) string {
	cmd := l.command(args...)
	var errs strings.Builder
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		l.fail("command", "entire %q: %v: %s%s", args, err, out, errs.String())
	}
	return string(out)
}

func (l *losses) command(args ...string) *exec.Cmd {
	cmd := exec.Command(l.program, args...)
	cmd.Dir, cmd.Env = l.top, l.env
	return cmd
}

// runLosses does the operations and then asks for every state back.
func runLosses(ops []op) (l *losses, failed *failure) {
	from, err := lossTemplate()
	var dir string
	if err == nil {
		dir, err = os.MkdirTemp("", "guardwalk-")
	}
	if err != nil {
		return newLosses("", ""), &failure{"setup", err.Error()}
	}
	defer os.RemoveAll(dir)
	l = newLosses(dir, from)
	at := ""
	defer func() {
		l.endWatch()
		if f := failureIn(recover(), at, dir); f != nil {
			failed = f
		}
	}()
	for _, name := range []string{"repo", "home", "outside"} {
		if err := os.CopyFS(filepath.Join(dir, name), os.DirFS(filepath.Join(from, name))); err != nil {
			return l, &failure{"setup", err.Error()}
		}
	}
	l.git("update-index", "-q", "--refresh")
	l.moved()
	for i, o := range ops {
		at = o.String()
		l.note("-- %d %s", i+1, o)
		lossKind(o.kind).do(l, o.rng())
	}
	at = "at the end"
	l.allBack()
	return l, nil
}

// TestGuardWalk: every state of the files that existed at a turn's edge or before a command that may destroy
// comes back byte for byte, whatever people, two agents and kill -9 did afterwards.
func TestGuardWalk(t *testing.T) {
	t.Parallel()
	walk{
		variable: "GUARDWALK_REPLAY", replay: lossReplay, sequences: lossSequences, seed: lossSeed,
		known: func(name string) bool { return lossKind(name).do != nil },
		ops:   func(seed uint64) []op { return lossOps(lossLength, seed) },
		run: func(ops []op) (*history, *failure) {
			l, failed := runLosses(ops)
			return l.history, failed
		},
	}.test(t)
}
