package walk

import (
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
)

// side is one of the two repositories: two worktrees, and a bare remote.
type side struct {
	root string
	env  []string
	cat  *catFile
}

// worktrees are the folders of a side; the first is the main one.
var worktrees = [2]string{"main", "wt"}

func (s *side) dir(wt int) string { return filepath.Join(s.root, worktrees[wt]) }

// gitDir is the worktree's own git directory.
func (s *side) gitDir(wt int) string {
	if wt == 0 {
		return filepath.Join(s.dir(0), ".git")
	}
	return filepath.Join(s.dir(0), ".git", "worktrees", worktrees[wt])
}

func (s *side) head(wt int) string {
	if wt == 0 {
		return "HEAD"
	}
	return "worktrees/" + worktrees[wt] + "/HEAD"
}

// outcome is what a command did, as a person sees it.
type outcome struct {
	code int
	out  string
}

// command is one call of a program, the same on both sides.
type command struct {
	wt    int
	sub   string // the folder below the worktree to run it in
	env   []string
	stdin string
	args  []string
}

func (s *side) run(c command) (outcome, error) {
	cmd := exec.Command(c.args[0], c.args[1:]...)
	cmd.Dir = filepath.Join(s.dir(c.wt), c.sub)
	cmd.Env = append(append([]string(nil), s.env...), c.env...)
	cmd.Stdin = strings.NewReader(c.stdin)
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return outcome{}, err
	}
	return outcome{cmd.ProcessState.ExitCode(), string(out)}, nil
}

// git is a read of one side that must succeed.
func (s *side) git(wt int, args ...string) string {
	o, err := s.run(command{wt: wt, args: append([]string{"git", "--no-optional-locks"}, args...)})
	if err != nil || o.code != 0 {
		panic(failure{"git", fmt.Sprintf("git %v: %v %d %s", args, err, o.code, o.out)})
	}
	return o.out
}

var hexadecimal = regexp.MustCompile(`\b[0-9a-f]{7,40}\b`)

// comparable leaves out of a text what must differ between the sides.
func (s *side) comparable(text string) string {
	return hexadecimal.ReplaceAllString(strings.ReplaceAll(text, s.root, "ROOT"), "HEX")
}

// inBoth does something on both sides at once.
func (w *walk) inBoth(do func(*side)) {
	var wg sync.WaitGroup
	var failed [2]any
	for i, s := range []*side{w.real, w.twin} {
		wg.Go(func() {
			defer func() { failed[i] = recover() }()
			do(s)
		})
	}
	wg.Wait()
	for _, f := range failed {
		if f != nil {
			panic(f)
		}
	}
}

// both runs a command of git's on both sides; they must say the same.
func (w *walk) both(c command) outcome {
	w.clock++
	date := fmt.Sprintf("%d +0000", 1767225600+60*w.clock)
	c.env = append(c.env, "GIT_AUTHOR_DATE="+date, "GIT_COMMITTER_DATE="+date)
	var got [2]outcome
	w.inBoth(func(s *side) {
		o, err := s.run(c)
		if err != nil {
			panic(failure{"run", err.Error()})
		}
		o.out = withoutTrailers(s.comparable(o.out))
		if s == w.real {
			got[0] = o
		} else {
			got[1] = o
		}
	})
	w.note("%d$ %s -> %d", c.wt, strings.Join(c.args, " "), got[0].code)
	if got[0] != got[1] {
		w.fail("output", "%v: with entire %d %q, without %d %q", c.args, got[0].code, got[0].out, got[1].code, got[1].out)
	}
	return got[0]
}

func (w *walk) git(wt int, args ...string) outcome {
	return w.both(command{wt: wt, args: append([]string{"git"}, args...)})
}
