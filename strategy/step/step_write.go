package step

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"entire/checkpoint/chunk"
	"entire/checkpoint/metadata"
	"entire/checkpoint/shadow"
	"entire/internal/git"
	"entire/strategy/sessionstate"
	"entire/strategy/worktree"
)

// CasTries bounds how often a step is rebuilt because another process moved the branch. With the
// pauses between them, all tries take many seconds.
const CasTries = 200

// NewStep is a step to be written on the commit of a snapshot: the state of the worktree, and the session's files under
// .entire/metadata.
type NewStep struct {
	Step      shadow.Step // but for its base, its branch and what it includes, which are of the snapshot
	Author    git.Signature
	Snap      *worktree.Snapshot
	Overlay   []git.Edit
	ExtraRefs []git.RefUpdate // updated in the same transaction
	PinRef    string          // a ref that is created to name the step; "" for none
}

// WrittenStep is a step at the tip of the shadow branch.
type WrittenStep struct {
	Commit, Tree git.OID
	Parent       git.OID // zero for the first step of the branch
	Skipped      bool    // the tip already had this tree
}

// WriteStep builds the step's tree on the tip of the shadow branch and advances the branch by
// compare-and-swap. If another process has moved the branch, WriteStep rebuilds the step. A step
// equal to the tip is not written, unless it records that HEAD has moved without changing the
// files.
func WriteStep(ctx context.Context, s *sessionstate.Env, n NewStep) (WrittenStep, error) {
	ref := worktree.ShadowRef(s, n.Snap.Head)
	n.Step.Base, n.Step.Branch, n.Step.Includes = n.Snap.Head, n.Snap.Branch, worktree.IncludedDigest(s)
	for try := range CasTries {
		tip, exists, err := s.Repo.Reader(ctx).CommitOf(ref)
		if err != nil {
			return WrittenStep{}, err
		}
		tree, err := stepTree(ctx, s, n, tip, ref)
		if err != nil {
			return WrittenStep{}, fmt.Errorf("build step: %w", err)
		}
		if exists && tree == tip.Tree && n.Step.Kind != shadow.StepRewind && n.Step.Kind != shadow.StepLabel && !n.recordsHeadMove(tip) {
			return WrittenStep{Commit: tip.OID, Tree: tree, Skipped: true}, nil
		}
		w, err := commitStep(ctx, s, n, tree, tip.OID, ref)
		if err == nil {
			w.Parent = tip.OID
			worktree.SaveCache(s, n.Snap.CacheOf(ref, w.Commit))
			return w, nil
		}
		if !errors.Is(err, git.ErrRefMoved) {
			return WrittenStep{}, err
		}
		worktree.ReloadCache(ctx, s)
		if !exists && tipLost(ctx, s, ref, try) { // no other process has moved it
			return WrittenStep{}, fmt.Errorf("read the tip of %s: %w", ref, git.ErrMissing)
		}
		if err := git.PauseTry(ctx, try); err != nil {
			return WrittenStep{}, err
		}
	}
	return WrittenStep{}, fmt.Errorf("advance %s: it kept moving", ref)
}

// recordsHeadMove reports whether the step records that HEAD has moved but the files have not (`git reset
// --mixed`), so that the move is not taken for the turn's work.
func (n NewStep) recordsHeadMove(tip git.Commit) bool {
	if n.Step.Kind != shadow.StepHuman && n.Step.Kind != shadow.StepMixed {
		return false
	}
	base := shadow.ParseStep(tip.Message).Base
	return !base.IsZero() && base != n.Step.Base
}

func commitStep(ctx context.Context, s *sessionstate.Env, n NewStep, tree, tip git.OID, ref string) (WrittenStep, error) {
	if n.Step.Since == tip || tip.IsZero() && n.Step.Since == n.Step.Base { // no step lies between
		n.Step.Since = git.OID{}
	}
	c := git.Commit{Tree: tree, Author: n.Author, Committer: n.Author, Message: shadow.StepMessage(withoutWords(s, n.Step))}
	if !tip.IsZero() {
		c.Parents = []git.OID{tip}
	}
	commit, err := s.Repo.Writer().Commit(c)
	if err != nil {
		return WrittenStep{}, err
	}
	updates := append([]git.RefUpdate{{Name: ref, New: commit, Old: tip}}, n.ExtraRefs...)
	if n.PinRef != "" {
		updates = append(updates, git.RefUpdate{Name: n.PinRef, New: commit})
	}
	return WrittenStep{Commit: commit, Tree: tree}, s.Repo.UpdateRefs(ctx, updates)
}

// stepTree returns HEAD's tree with the changes of the worktree and the metadata of every
// session. If the cache matches the tip, it applies only the changes since then to the tip's
// tree.
func stepTree(ctx context.Context, s *sessionstate.Env, n NewStep, tip git.Commit, ref string) (git.OID, error) {
	gaps, err := worktree.StoreGaps(s, n.Snap)
	if err != nil {
		return git.OID{}, err
	}
	var raw, overlay []git.Edit
	for _, e := range n.Overlay {
		if strings.HasPrefix(e.Path, worktree.RawDir+"/") {
			raw = append(raw, e)
		} else {
			overlay = append(overlay, e)
		}
	}
	exact, err := worktree.RawEdit(ctx, s, n.Snap, raw)
	if err != nil {
		return git.OID{}, err
	}
	overlay = append(overlay, exact)
	if c := worktree.LoadCache(ctx, s); !tip.OID.IsZero() && c.Tip == tip.OID && c.Head == n.Snap.Head && c.Ref == ref {
		edits, back := worktree.EditsFrom(n.Snap.Files, c.Files)
		if gaps != c.Gaps {
			edits = append(edits, worktree.GapEdit(gaps))
		}
		if len(back) == 0 {
			return s.Repo.EditTree(ctx, tip.Tree, append(edits, overlay...))
		}
	}
	head, err := worktree.HeadTree(ctx, s, n.Snap.Head)
	if err != nil {
		return git.OID{}, err
	}
	edits := append(worktree.Edits(n.Snap.Files), CarryMetadata(ctx, s, tip)...)
	if !gaps.IsZero() || !tip.OID.IsZero() {
		edits = append(edits, worktree.GapEdit(gaps))
	}
	return s.Repo.EditTree(ctx, head, append(edits, overlay...))
}

// CarryMetadata returns the edit that keeps every session's .entire/metadata of the tip.
func CarryMetadata(ctx context.Context, s *sessionstate.Env, tip git.Commit) []git.Edit {
	if tip.OID.IsZero() {
		return nil
	}
	e, ok, err := s.Repo.Reader(ctx).Path(tip.Tree, shadow.MetadataDir)
	if err != nil || !ok || e.Mode != git.ModeTree {
		return nil
	}
	return []git.Edit{{Path: shadow.MetadataDir, Mode: git.ModeTree, OID: e.OID}}
}

// chunksMax bounds the chunks of a transcript: a damaged state may name any number.
const chunksMax = 1 << 16

// SessionOverlay returns the session's files in a step: the chunks of its transcript, the turn's
// prompts and a summary of the context.
func SessionOverlay(s *sessionstate.Env, o *sessionstate.LockedSession, prompts []string, subject string) ([]git.Edit, error) {
	dir := shadow.SessionDir(o.ID)
	log := &o.Engine.Capture.Log
	var edits []git.Edit
	for _, e := range log.Entries() {
		edits = append(edits, git.Edit{Path: dir + "/" + e.Name, Mode: e.Mode, OID: e.OID})
	}
	// After a rewind the transcript may have fewer chunks than the tip.
	for i := len(log.Entries()); i < min(o.Engine.Chunks, chunksMax); i++ {
		edits = append(edits, git.Edit{Path: dir + "/" + chunk.Name(i)})
	}
	o.Engine.Chunks = len(log.Entries())
	w := s.Repo.Sealed(o.ID.String())
	for name, text := range map[string]string{
		"prompt.txt": metadata.JoinPrompts(prompts),
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

func stepContext(o *sessionstate.LockedSession, prompts []string, subject string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Session Context\n\n**Session ID:** %s\n\n**Commit Message:** %s\n", o.ID, subject)
	if len(prompts) > 0 {
		fmt.Fprintf(&b, "\n## Prompt\n\n%s\n", metadata.JoinPrompts(prompts))
	}
	if t := o.Engine.Capture.Conversation; t != nil && t.LastAssistant != "" {
		fmt.Fprintf(&b, "\n## Summary\n\n%s\n", t.LastAssistant)
	}
	return b.String()
}

// CodeDiff compares two trees without the .entire folder, which has many transcript chunks.
func CodeDiff(ctx context.Context, s *sessionstate.Env, a, b git.OID) ([]git.Change, error) {
	return s.Repo.DiffTrees(ctx, a, b, worktree.OwnFolder)
}

// CodeChanges drops the changes in the .entire folder.
func CodeChanges(changes []git.Change) []git.Change {
	out := changes[:0]
	for _, c := range changes {
		if !worktree.OwnPath(c.Path) {
			out = append(out, c)
		}
	}
	return out
}

// Paths returns the paths of changes.
func Paths(changes []git.Change) []string {
	out := make([]string, len(changes))
	for i, c := range changes {
		out[i] = c.Path
	}
	return out
}
