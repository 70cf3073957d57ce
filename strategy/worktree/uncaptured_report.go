package worktree

import (
	"context"

	"entire/strategy/sessionstate"
)

// leftOutShown bounds the list of left-out files in a session's state.
const leftOutShown = 100

// BoundedList cuts a list for a person or a state file to leftOutShown, and adds an entry that counts the
// rest.
func BoundedList(skipped []sessionstate.KeptFile) []sessionstate.KeptFile {
	if len(skipped) <= leftOutShown {
		return skipped
	}
	rest := len(skipped) - leftOutShown
	return append(skipped[:leftOutShown:leftOutShown], sessionstate.KeptFile{Path: Counted(rest, "more file"), Why: "the list has no room for them"})
}

// NotCaptured returns what the newest step on HEAD did not hold, and the submodules, whose
// content no step holds.
func NotCaptured(ctx context.Context, s *sessionstate.Env) ([]Uncaptured, error) {
	rd := s.Repo.Reader(ctx)
	head, _, err := rd.CommitOf("HEAD")
	if err != nil {
		return nil, err
	}
	tip, ok, err := rd.CommitOf(ShadowRef(s, head.OID))
	if err != nil {
		return nil, err
	}
	var list []Uncaptured
	if ok {
		if list, _, err = GapsIn(ctx, s, tip.Tree); err != nil {
			s.Log.Warn("what was not captured is not known", "step", tip.OID.Short(), "err", err)
		}
	}
	known := map[string]bool{}
	for _, u := range list {
		known[u.Path] = true
	}
	for _, p := range Submodules(s) {
		if !known[p] {
			list = append(list, Uncaptured{Path: p, Gap: GapSubmodule, Why: "submodule"})
		}
	}
	SortGaps(list)
	return list, nil
}
