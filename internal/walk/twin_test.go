package walk

import (
	"fmt"
	"regexp"
	"strings"
	"sync"

	"entire/internal/histories"
)

var hexadecimal = regexp.MustCompile(`\b[0-9a-f]{7,40}\b`)

// comparable leaves out of a text what must differ between the sides.
func (w *walk) comparable(s *histories.Repo, text string) string {
	return hexadecimal.ReplaceAllString(strings.ReplaceAll(text, s.Root, "ROOT"), "HEX")
}

// inBoth does something on both sides at once.
func (w *walk) inBoth(do func(side int, r *histories.Repo)) {
	var wg sync.WaitGroup
	var failed [2]*histories.Failure
	for i, r := range []*histories.Repo{w.real, w.twin} {
		wg.Go(func() { failed[i] = histories.Guard(func() { do(i, r) }) })
	}
	wg.Wait()
	for _, f := range failed {
		if f != nil {
			panic(*f)
		}
	}
}

// Git runs a command of git's on both sides; they must say the same.
func (w *walk) Git(c histories.Command) histories.Outcome {
	w.clock++
	date := fmt.Sprintf("%d +0000", 1767225600+60*w.clock)
	c.Env = append(c.Env, "GIT_AUTHOR_DATE="+date, "GIT_COMMITTER_DATE="+date)
	if c.By != nil {
		c.Env = append(c.Env, "ENTIRE_TEST_TTY=0")
	}
	var got [2]histories.Outcome
	c.Do(func() {
		w.inBoth(func(side int, r *histories.Repo) {
			o := r.Run(c)
			o.Out = withoutTrailers(w.comparable(r, o.Out))
			got[side] = o
		})
	})
	w.Note("%d$ %s -> %d", c.WT, strings.Join(c.Args, " "), got[0].Code)
	if got[0] != got[1] {
		histories.Fail("output", "%v: with entire %d %q, without %d %q", c.Args, got[0].Code, got[0].Out, got[1].Code, got[1].Out)
	}
	return got[0]
}

func (w *walk) git(wt int, args ...string) histories.Outcome {
	return w.Git(histories.Command{WT: wt, Args: append([]string{"git"}, args...)})
}
