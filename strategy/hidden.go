package strategy

import (
	"context"
	"slices"

	"entire/internal/attribution"
	"entire/internal/git"
)

// noteHidden remembers, at the end of a turn, the lines that its calls wrote and no step shows:
// in a file that the agent has stashed or restored since (git stash, git checkout), that git
// ignores, or that is in another worktree. Nobody can tell who brings these lines into a commit:
// a person's stash pop does not make them the author.
func (s *ManualCommitStrategy) noteHidden(ctx context.Context, o *open, head git.OID) error {
	var uncaptured []editCall
	var paths []string
	for _, call := range o.side.Capture.Calls {
		if call.Turn != max(o.side.Turns, 1) || len(call.Lines) == 0 {
			continue
		}
		rel, here := s.relative(call.Path)
		if here && slices.Contains(o.state.FilesTouched, pathText(rel)) || len(uncaptured) == leftMax {
			continue
		}
		if !here {
			rel = ""
		}
		uncaptured, paths = append(uncaptured, call), append(paths, rel)
	}
	if len(uncaptured) == 0 {
		return nil
	}
	committed, err := s.committedLines(ctx, head, paths)
	if err != nil {
		return err
	}
	var lines attribution.Prints
	for i, call := range uncaptured {
		for _, p := range call.Lines {
			if !committed[paths[i]][p] {
				lines = append(lines, p)
			}
		}
	}
	if len(lines) > 0 {
		known := attribution.Unite(lines, o.side.Borrowed)
		o.side.Borrowed = known[:min(len(known), borrowedMax)]
	}
	return nil
}

// lookForHidden is noteHidden for a turn without a step, whose transcript was not read yet.
func (s *ManualCommitStrategy) lookForHidden(ctx context.Context, o *open, head git.OID) {
	var w work
	if s.witness(o, &w); len(w.edited) == 0 && !w.outside {
		return
	}
	err := s.readTranscript(ctx, o)
	if err == nil {
		err = s.noteHidden(ctx, o, head)
	}
	if err != nil {
		s.Log.Warn("calls whose work is nowhere were not looked at", "session_id", o.id.String(), "err", err)
	}
}

// committedLines returns the lines of files in a commit; the path "" is skipped.
func (s *ManualCommitStrategy) committedLines(ctx context.Context, commit git.OID, paths []string) (map[string]map[attribution.Print]bool, error) {
	out := map[string]map[attribution.Print]bool{}
	tree, err := s.headTree(ctx, commit)
	if err != nil {
		return nil, err
	}
	paths = slices.Compact(slices.Sorted(slices.Values(slices.DeleteFunc(slices.Clone(paths), func(p string) bool { return p == "" }))))
	at, err := s.filesAt(ctx, []git.OID{tree}, paths)
	if err != nil {
		return nil, err
	}
	texts, err := s.texts(ctx, at[0])
	if err != nil {
		return nil, err
	}
	for i, path := range paths {
		out[path] = map[attribution.Print]bool{}
		for _, p := range attribution.PrintLines(texts[at[0][i]]) {
			out[path][p] = true
		}
	}
	return out, nil
}

// leaveHidden marks lines as unknown that would be a person's and that a session remembers as
// written without a step that shows them.
func leaveHidden(open []*open, files map[string]foldedFile) {
	hidden := map[attribution.Print]bool{}
	for _, o := range open {
		for _, p := range o.side.Borrowed {
			hidden[p] = true
		}
	}
	if len(hidden) == 0 {
		return
	}
	for _, f := range files {
		for i := range f.people() {
			if hidden[f.prints[i]] {
				f.Lines[i].Owner = attribution.Owner{Class: attribution.Unknown}
			}
		}
	}
}
