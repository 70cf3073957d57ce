package strategy

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"entire/checkpoint"
	"entire/internal/git"
)

// casTries bounds how often a step is rebuilt because another process moved the branch. With the
// pauses between them, all tries take many seconds.
const casTries = 200

// newStep is a step to be written: the state of the worktree, and the session's files under
// .entire/metadata.
type newStep struct {
	step    checkpoint.Step
	author  git.Signature
	base    git.OID // the commit that names the shadow branch; zero on an unborn branch
	snap    *snapshot
	tree    git.OID // used if snap is nil: the whole tree, without the overlay
	overlay []git.Edit
	also    []git.RefUpdate // updated in the same transaction
	pin     string          // a ref that is created to name the step; "" for none
}

// writtenStep is a step at the tip of the shadow branch.
type writtenStep struct {
	commit, tree git.OID
	parent       git.OID // zero for the first step of the branch
	skipped      bool    // the tip already had this tree
}

// shadowRef returns the full name of the shadow branch for steps on base.
func (s *ManualCommitStrategy) shadowRef(base git.OID) string {
	name := base.String()
	if base.IsZero() { // an unborn branch has no commit to name it
		name = strings.Repeat("0", checkpoint.ShadowBranchHashLength)
	}
	return checkpoint.ShadowRef(name, s.repo.WorktreeID)
}

// writeStep builds the step's tree on the tip of the shadow branch and advances the branch by
// compare-and-swap. If another process has moved the branch, writeStep rebuilds the step. A step
// equal to the tip is not written, unless it records that HEAD has moved without changing the
// files.
func (s *ManualCommitStrategy) writeStep(ctx context.Context, n newStep) (writtenStep, error) {
	ref := s.shadowRef(n.base)
	if n.snap != nil {
		n.step.Branch, n.step.Includes = n.snap.branch, s.includes()
	}
	for try := 0; try < casTries; try++ {
		tip, exists, err := s.repo.Reader(ctx).CommitOf(ref)
		if err != nil {
			return writtenStep{}, err
		}
		tree, err := s.stepTree(ctx, n, tip, ref)
		if err != nil {
			return writtenStep{}, fmt.Errorf("build step: %w", err)
		}
		if exists && tree == tip.Tree && n.step.Kind != checkpoint.StepRewind && n.step.Kind != checkpoint.StepLabel && !n.stays(tip) {
			return writtenStep{commit: tip.OID, tree: tree, skipped: true}, nil
		}
		w, err := s.commitStep(ctx, n, tree, tip.OID, ref)
		if err == nil {
			w.parent = tip.OID
			if n.snap != nil {
				s.saveCache(n.snap.cacheOf(ref, w.commit))
			}
			return w, nil
		}
		if !errors.Is(err, git.ErrRefMoved) {
			return writtenStep{}, err
		}
		s.reloadCache()
		if !exists && s.tipLost(ctx, ref, try) { // no other process has moved it
			return writtenStep{}, fmt.Errorf("read the tip of %s: %w", ref, git.ErrMissing)
		}
		if err := git.Pause(ctx, time.Duration(rand.IntN(10+5*min(try, 20)))*time.Millisecond); err != nil {
			return writtenStep{}, err
		}
	}
	return writtenStep{}, fmt.Errorf("advance %s: it kept moving", ref)
}

// stays reports whether the step records that HEAD has moved but the files have not (`git reset
// --mixed`), so that the move is not taken for the turn's work.
func (n newStep) stays(tip git.Commit) bool {
	if n.step.Kind != checkpoint.StepHuman && n.step.Kind != checkpoint.StepMixed {
		return false
	}
	base := checkpoint.ParseStep(tip.Message).Base
	return !base.IsZero() && base != n.step.Base
}

func (s *ManualCommitStrategy) commitStep(ctx context.Context, n newStep, tree, tip git.OID, ref string) (writtenStep, error) {
	if n.step.Since == tip || tip.IsZero() && n.step.Since == n.base { // no step lies between
		n.step.Since = git.OID{}
	}
	c := git.Commit{Tree: tree, Author: n.author, Committer: n.author, Message: checkpoint.StepMessage(n.step)}
	if !tip.IsZero() {
		c.Parents = []git.OID{tip}
	}
	w := s.repo.Writer()
	commit, err := w.Commit(c)
	if err != nil {
		return writtenStep{}, err
	}
	updates := append([]git.RefUpdate{{Name: ref, New: commit, Old: tip}}, n.also...)
	if n.pin != "" {
		updates = append(updates, git.RefUpdate{Name: n.pin, New: commit})
	}
	return writtenStep{commit: commit, tree: tree}, s.repo.UpdateRefs(ctx, updates)
}

// stepTree returns HEAD's tree with the changes of the worktree and the metadata of every
// session. If the cache matches the tip, it applies only the changes since then to the tip's
// tree.
func (s *ManualCommitStrategy) stepTree(ctx context.Context, n newStep, tip git.Commit, ref string) (git.OID, error) {
	if n.snap == nil {
		return s.repo.EditTree(ctx, n.tree, append(keepOverlay(ctx, s, tip), n.overlay...))
	}
	gaps, err := s.storeGaps(n.snap)
	if err != nil {
		return git.OID{}, err
	}
	if c := s.loadCache(); !tip.OID.IsZero() && c.tip == tip.OID && c.head == n.snap.head && c.ref == ref {
		edits, back := n.snap.files.delta(c.files)
		if gaps != c.gaps {
			edits = append(edits, gapEdit(gaps))
		}
		if len(back) == 0 {
			return s.repo.EditTree(ctx, tip.Tree, append(edits, n.overlay...))
		}
	}
	head, err := s.headTree(ctx, n.snap.head)
	if err != nil {
		return git.OID{}, err
	}
	edits := append(n.snap.files.edits(), keepOverlay(ctx, s, tip)...)
	if !gaps.IsZero() || !tip.OID.IsZero() {
		edits = append(edits, gapEdit(gaps))
	}
	return s.repo.EditTree(ctx, head, append(edits, n.overlay...))
}

// keepOverlay returns the edit that keeps every session's .entire/metadata of the tip.
func keepOverlay(ctx context.Context, s *ManualCommitStrategy, tip git.Commit) []git.Edit {
	if tip.OID.IsZero() {
		return nil
	}
	e, ok, err := s.repo.Reader(ctx).Path(tip.Tree, checkpoint.MetadataDir)
	if err != nil || !ok || e.Mode != git.ModeTree {
		return nil
	}
	return []git.Edit{{Path: checkpoint.MetadataDir, Mode: git.ModeTree, OID: e.OID}}
}

// headTree returns the tree of a commit, zero for an unborn branch.
func (s *ManualCommitStrategy) headTree(ctx context.Context, commit git.OID) (git.OID, error) {
	if commit.IsZero() {
		return git.OID{}, nil
	}
	c, err := s.repo.Reader(ctx).Commit(commit)
	return c.Tree, err
}

// sessionOverlay returns the session's files in a step: the chunks of its transcript, the turn's
// prompts and a summary of the context.
func (s *ManualCommitStrategy) sessionOverlay(o *open, prompts []string, subject string) ([]git.Edit, error) {
	dir := checkpoint.SessionDir(o.id)
	log := &o.side.Capture.Log
	var edits []git.Edit
	for _, e := range log.Entries() {
		edits = append(edits, git.Edit{Path: dir + "/" + e.Name, Mode: e.Mode, OID: e.OID})
	}
	// After a rewind the transcript may have fewer chunks than the tip.
	for i := len(log.Entries()); i < o.side.Chunks; i++ {
		edits = append(edits, git.Edit{Path: dir + "/" + checkpoint.ChunkName(i)})
	}
	o.side.Chunks = len(log.Entries())
	w := s.repo.Writer()
	for name, text := range map[string]string{
		"prompt.txt": checkpoint.JoinPrompts(prompts),
		"context.md": stepContext(o, prompts, subject),
	} {
		if text == "" {
			continue
		}
		oid, err := w.Blob([]byte(text))
		if err != nil {
			return nil, err
		}
		edits = append(edits, git.Edit{Path: dir + "/" + name, Mode: git.ModeFile, OID: oid})
	}
	return edits, nil
}

func stepContext(o *open, prompts []string, subject string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Session Context\n\n**Session ID:** %s\n\n**Commit Message:** %s\n", o.id, subject)
	if len(prompts) > 0 {
		fmt.Fprintf(&b, "\n## Prompt\n\n%s\n", checkpoint.JoinPrompts(prompts))
	}
	if t := o.side.Capture.Talk; t != nil && t.LastAssistant != "" {
		fmt.Fprintf(&b, "\n## Summary\n\n%s\n", t.LastAssistant)
	}
	return b.String()
}

// codeDiff compares two trees without the .entire folder, which has many transcript chunks.
func (s *ManualCommitStrategy) codeDiff(ctx context.Context, a, b git.OID) ([]git.Change, error) {
	return s.repo.DiffTrees(ctx, a, b, ownFolder)
}

// codeChanges drops the changes in the .entire folder.
func codeChanges(changes []git.Change) []git.Change {
	out := changes[:0]
	for _, c := range changes {
		if !ownPath(c.Path) {
			out = append(out, c)
		}
	}
	return out
}

func paths(changes []git.Change) []string {
	out := make([]string, len(changes))
	for i, c := range changes {
		out[i] = c.Path
	}
	return out
}
