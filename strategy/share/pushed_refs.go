package share

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"entire/checkpoint/shadow"
	"entire/strategy/sessionstate"
	"entire/strategy/step"
)

// pushedRef is one line of the input of git's pre-push hook.
type pushedRef struct {
	remote  string // the ref's name at the remote
	deletes bool
}

// Bounds for reading a hook's input.
const (
	refsLimit = 4 << 20
	refsWait  = time.Second
)

// readRefs reads which refs git will push. It returns nil if the input does not end within
// refsWait, as when a hook manager passes the terminal on.
func readRefs(ctx context.Context, in io.Reader) []pushedRef {
	if in == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, refsWait)
	defer cancel()
	done := make(chan []byte, 1)
	go func() { // ends with the input, or with the process
		data, _ := io.ReadAll(io.LimitReader(in, refsLimit)) // what was read before an error counts
		done <- data
	}()
	select {
	case data := <-done:
		return ParseRefs(string(data))
	case <-ctx.Done():
		return nil
	}
}

// ParseRefs reads lines of "<local ref> <local object> <remote ref> <remote object>" and skips any
// other line.
func ParseRefs(text string) []pushedRef {
	var list []pushedRef
	for line := range strings.Lines(text) {
		if f := strings.Fields(line); len(f) == 4 {
			list = append(list, pushedRef{remote: f[2], deletes: strings.Trim(f[1], "0") == ""})
		}
	}
	return list
}

// WantsSessions reports whether sessions are sent with a push: not if it only deletes, nor if it
// pushes the metadata branch itself. A push without refs counts: sessions may be left from an
// earlier push.
func WantsSessions(refs []pushedRef) bool {
	only := len(refs) > 0
	for _, r := range refs {
		if r.remote == shadow.MetadataRef {
			return false
		}
		only = only && r.deletes
	}
	return !only
}

// warnOfShadows prints a warning when the user pushes shadow branches or kept turns, as with --all
// or --mirror. The push may be intended, but it is easy to miss.
func warnOfShadows(s *sessionstate.Env, refs []pushedRef) {
	n, last, turns := 0, "", 0
	for _, r := range refs {
		branch, ok := strings.CutPrefix(r.remote, "refs/heads/")
		_, worktree, isShadow := shadow.ParseShadowBranchName(branch)
		if strings.HasPrefix(r.remote, step.OwnRefRoot+sessionstate.KeptTurnsFolder+"/") && !r.deletes {
			turns++
		}
		if ok && isShadow && len(worktree) == shadow.WorktreeIDHashLength && !r.deletes {
			n, last = n+1, branch
		}
	}
	if n > 0 {
		tell(s, "entire: warning: this push takes along %s of unfinished sessions (%s), with what was said in them", fmt.Sprintf("%d branch(es)", n), last)
	}
	if turns > 0 {
		tell(s, "entire: warning: this push takes along the turns of sessions (%s), with what was said in them", step.OwnRefRoot+sessionstate.KeptTurnsFolder)
	}
}
