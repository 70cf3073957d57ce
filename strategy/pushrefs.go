package strategy

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"entire/checkpoint"
)

// pushedRef is one line of what git tells its pre-push hook.
type pushedRef struct {
	remote  string // what it is called there
	deletes bool
}

// Bounds of what is read of a hook's input.
const (
	refsLimit = 4 << 20
	refsWait  = time.Second
)

// readRefs reads what git says it will push; nothing where the input does not end
// soon, as when a hook manager leaves the terminal there.
func readRefs(ctx context.Context, in io.Reader) []pushedRef {
	if in == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, refsWait)
	defer cancel()
	done := make(chan []byte, 1)
	go func() { // ends with the input, or with the process
		data, _ := io.ReadAll(io.LimitReader(in, refsLimit)) // what was read counts
		done <- data
	}()
	select {
	case data := <-done:
		return parseRefs(string(data))
	case <-ctx.Done():
		return nil
	}
}

// parseRefs reads lines of "<local ref> <local object> <remote ref> <remote
// object>" and passes over what is none.
func parseRefs(text string) []pushedRef {
	var list []pushedRef
	for line := range strings.Lines(text) {
		if f := strings.Fields(line); len(f) == 4 {
			list = append(list, pushedRef{remote: f[2], deletes: strings.Trim(f[1], "0") == ""})
		}
	}
	return list
}

// carriesWork reports whether sessions belong with a push: not with one that only
// deletes, nor with one that takes the metadata branch itself along. A push of
// nothing new, of which git says nothing, counts: sessions may be left from an
// earlier one.
func carriesWork(refs []pushedRef) bool {
	only := len(refs) > 0
	for _, r := range refs {
		if r.remote == checkpoint.MetadataRef {
			return false
		}
		only = only && r.deletes
	}
	return !only
}

// warnOfShadows says so when somebody pushes steps that are no commits yet, as
// with --all or --mirror: that is theirs to decide, and easy to miss.
func (s *ManualCommitStrategy) warnOfShadows(refs []pushedRef) {
	n, last, turns := 0, "", 0
	for _, r := range refs {
		branch, ok := strings.CutPrefix(r.remote, "refs/heads/")
		_, worktree, shadow := checkpoint.ParseShadowBranchName(branch)
		if strings.HasPrefix(r.remote, ownRefRoot+turnsFolder+"/") && !r.deletes {
			turns++
		}
		if ok && shadow && len(worktree) == checkpoint.WorktreeIDHashLength && !r.deletes {
			n, last = n+1, branch
		}
	}
	if n > 0 {
		s.tell("entire: warning: this push takes along %s of unfinished sessions (%s), with what was said in them", fmt.Sprintf("%d branch(es)", n), last)
	}
	if turns > 0 {
		s.tell("entire: warning: this push takes along the turns of sessions (%s), with what was said in them", ownRefRoot+turnsFolder)
	}
}
