package strategy

import "context"

// toldMax bounds the list of left-out files in a session's state.
const toldMax = 100

// bounded cuts a list for a person or a state file to toldMax, and adds an entry that counts the
// rest.
func bounded(skipped []KeptFile) []KeptFile {
	if len(skipped) <= toldMax {
		return skipped
	}
	rest := len(skipped) - toldMax
	return append(skipped[:toldMax:toldMax], KeptFile{counted(rest, "more file"), "the list has no room for them"})
}

// notCaptured returns what the newest step on HEAD did not hold, and the submodules, whose
// content no step holds.
func (s *ManualCommitStrategy) notCaptured(ctx context.Context) ([]Uncaptured, error) {
	rd := s.repo.Reader(ctx)
	head, _, err := rd.CommitOf("HEAD")
	if err != nil {
		return nil, err
	}
	tip, ok, err := rd.CommitOf(s.shadowRef(head.OID))
	if err != nil {
		return nil, err
	}
	var list []Uncaptured
	if ok {
		if list, _, err = s.gapsIn(ctx, tip.Tree); err != nil {
			s.Log.Warn("what was not captured is not known", "step", tip.OID.Short(), "err", err)
		}
	}
	known := map[string]bool{}
	for _, u := range list {
		known[u.Path] = true
	}
	for _, p := range s.submodules() {
		if !known[p] {
			list = append(list, Uncaptured{Path: p, Gap: GapSubmodule, Why: "submodule"})
		}
	}
	sortGaps(list)
	return list, nil
}
