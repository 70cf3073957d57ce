package strategy

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"
	"unicode/utf8"

	"entire/checkpoint"
	"entire/id"
	"entire/internal/durable"
	"entire/internal/git"
)

// prepared is the choice that prepare-commit-msg stores for post-commit. It is kept until the
// commit is linked, so that the next call can complete a post-commit that was killed or never ran.
type prepared struct {
	Checkpoint id.CheckpointID `json:"checkpoint_id"`
	Sessions   []id.SessionID  `json:"sessions"`        // none: the message only names checkpoints of replaced commits
	Again      bool            `json:"again,omitempty"` // the checkpoint is that of an amended commit

	// On is HEAD when the choice was made. That commit is never the one that the choice is for,
	// although it names the same checkpoint if it is being amended.
	On git.OID `json:"on,omitzero"`

	Diff *treeDiff `json:"diff,omitempty"` // what was staged; nil if it is not known in this form

	// Auto is the commit that auto-commit is making; nil for a commit of the user.
	Auto *autoCommit `json:"auto,omitempty"`

	// Plain states that the message went to no editor, in which a person could have removed the
	// trailer.
	Plain bool `json:"plain,omitempty"`

	// Shared states that the checkpoint was made for an earlier attempt or by another git: the
	// sessions must be chosen again from the commit itself.
	Shared bool `json:"shared,omitempty"`

	// Gone is when HEAD was seen to have moved, so that the commit could no longer be made. Another
	// git may still find the message, which names the checkpoint.
	Gone time.Time `json:"gone,omitzero"`

	// Others are the choices for commits that other gits are making on the same HEAD, the newest
	// first. Git lets only one of all these become the next HEAD.
	Others []prepared `json:"others,omitempty"`
}

// treeDiff is how two trees differ outside our own folder, stored so that a commit's second hook
// need not compare them again.
type treeDiff struct {
	From    git.OID      `json:"from,omitzero"`
	To      git.OID      `json:"to"`
	Changes []git.Change `json:"changes"`
}

// handedMax bounds the files of a treeDiff: reading a longer one saves no time.
const handedMax = 100

// newTreeDiff returns nil for a difference that cannot be stored: unknown trees, more than
// handedMax files, or paths that JSON cannot hold.
func newTreeDiff(from, to git.OID, changes []git.Change) *treeDiff {
	odd := func(c git.Change) bool { return !utf8.ValidString(c.Path) }
	if to.IsZero() || len(changes) > handedMax || slices.ContainsFunc(changes, odd) {
		return nil
	}
	return &treeDiff{from, to, changes}
}

// codeDiffOnce compares two trees, unless known is their difference.
func (s *ManualCommitStrategy) codeDiffOnce(ctx context.Context, from, to git.OID, known *treeDiff) ([]git.Change, error) {
	if known != nil && known.From == from && known.To == to {
		return known.Changes, nil
	}
	return s.codeDiff(ctx, from, to)
}

// isFor reports whether the choice was made for commit c.
func (p prepared) isFor(c git.Commit) bool {
	return c.OID != p.On && slices.Contains(checkpoint.ParseCheckpointTrailers(c.Message), p.Checkpoint)
}

func (s *ManualCommitStrategy) preparedPath() string {
	return filepath.Join(s.localDir(), "commit.json")
}

// prepared reports whether a choice is waiting for its commit.
func (s *ManualCommitStrategy) prepared() bool { return len(s.choices()) > 0 }

// writePrepared adds a choice to the stored ones. It replaces a choice for the same checkpoint.
func (s *ManualCommitStrategy) writePrepared(p prepared) error {
	p.Shared = slices.ContainsFunc(s.everyChoice(), func(o prepared) bool { return o.Checkpoint == p.Checkpoint && o.Auto == nil })
	return s.storeChoices(append([]prepared{p}, s.choicesBut(p.Checkpoint)...))
}

const (
	// choicesMax bounds the number of stored choices.
	choicesMax = 64
	// goneKept is how long the choice of an abandoned commit is kept, because its message may still
	// be found.
	goneKept = time.Hour
)

func (s *ManualCommitStrategy) storeChoices(list []prepared) error {
	list = slices.DeleteFunc(list, func(p prepared) bool { return !p.Gone.IsZero() && s.Now().Sub(p.Gone) > goneKept })
	if len(list) == 0 {
		if err := os.Remove(s.preparedPath()); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	first := list[0]
	first.Others = list[1:min(len(list), choicesMax)]
	data, err := json.Marshal(first)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(list, func(p prepared) bool { return p.Auto != nil }) { // the user's index depends on an auto-commit's choice
		return durable.WriteFile(s.preparedPath(), data, 0o600)
	}
	return durable.WriteCache(s.preparedPath(), data, 0o600)
}

// choices returns the choices that are waiting for their commits, the newest first.
func (s *ManualCommitStrategy) choices() []prepared {
	return slices.DeleteFunc(s.everyChoice(), func(p prepared) bool { return !p.Gone.IsZero() })
}

// everyChoice returns all stored choices, those of abandoned commits, too. An unreadable file
// counts as empty: post-commit then chooses from the commits themselves.
func (s *ManualCommitStrategy) everyChoice() []prepared {
	data, err := os.ReadFile(s.preparedPath())
	if err != nil {
		return nil
	}
	first, ok := parsePrepared(data)
	if !ok {
		return nil
	}
	list := append([]prepared{first}, first.Others...)
	list[0].Others = nil
	return list
}

func parsePrepared(data []byte) (p prepared, ok bool) {
	if json.Unmarshal(data, &p) != nil || !p.valid() || slices.ContainsFunc(p.Others, func(o prepared) bool { return !o.valid() }) {
		return prepared{}, false
	}
	return p, true
}

func (p prepared) valid() bool {
	return !p.Checkpoint.IsZero() && !slices.ContainsFunc(p.Sessions, id.SessionID.IsZero)
}

func (s *ManualCommitStrategy) choicesBut(cp id.CheckpointID) []prepared {
	return slices.DeleteFunc(s.everyChoice(), func(p prepared) bool { return p.Checkpoint == cp })
}

// forgetChoice drops the choice for a checkpoint.
func (s *ManualCommitStrategy) forgetChoice(cp id.CheckpointID) error {
	if !exists(s.preparedPath()) {
		return nil
	}
	return s.storeChoices(s.choicesBut(cp))
}

// retire replaces a choice by a note that its commit was abandoned.
func (s *ManualCommitStrategy) retire(p prepared) error {
	gone := prepared{Checkpoint: p.Checkpoint, Again: p.Again, On: p.On, Plain: p.Plain, Gone: s.Now()}
	return s.storeChoices(append(s.choicesBut(p.Checkpoint), gone))
}

// begun returns the commit that the choice's commit will be based on, or will replace.
func (p prepared) begun() git.OID {
	if p.Auto != nil {
		return p.Auto.Parent
	}
	return p.On
}

// choiceFor returns the choice for a commit; in its Others, the other choices for the same HEAD,
// those of abandoned commits, too. known reports whether the commit has a choice or one of the
// Others is still waiting.
func (s *ManualCommitStrategy) choiceFor(c git.Commit) (prep prepared, known bool) {
	list := s.everyChoice()
	for _, p := range list {
		if !p.Gone.IsZero() {
			p.Shared = true // another git may have found the abandoned commit's message
		}
		if p.isFor(c) || p.Auto != nil && childOf(c, p.Auto.Parent) {
			p.Others = slices.DeleteFunc(slices.Clone(list), func(o prepared) bool { return o.Checkpoint == p.Checkpoint || o.begun() != p.begun() })
			return p, true
		}
	}
	was := s.replaced(madeCommit{Commit: c})
	prep.Others = slices.DeleteFunc(list, func(p prepared) bool {
		if p.On.IsZero() {
			return len(c.Parents) > 0
		}
		return !childOf(c, p.On) && p.On != was
	})
	return prep, slices.ContainsFunc(prep.Others, func(p prepared) bool { return p.Gone.IsZero() })
}

// commitLock guards the worktree's stored choices and the linking of its commits.
func (s *ManualCommitStrategy) commitLock(ctx context.Context) (*durable.Lock, error) {
	return durable.Acquire(ctx, filepath.Join(s.localDir(), "commit.lock"))
}
