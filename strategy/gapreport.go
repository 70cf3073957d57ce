package strategy

import "context"

// toldMax bounds what a session's state says of what was left out.
const toldMax = 100

// bounded is a list for a person, and for a state file: its end is counted.
func bounded(skipped []KeptFile) []KeptFile {
	if len(skipped) <= toldMax {
		return skipped
	}
	rest := len(skipped) - toldMax
	return append(skipped[:toldMax:toldMax], KeptFile{counted(rest, "more file"), "the list has no room for them"})
}

// notCaptured is what the newest step on HEAD did not hold, and the submodules,
// whose content none does.
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
