package githead

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

	"entire/checkpoint/trailer"
	"entire/id"
	"entire/internal/durable"
	"entire/internal/git"
	"entire/strategy/sessionstate"
	"entire/strategy/step"
)

// LinkChoice is the choice that prepare-commit-msg stores for post-commit. It is kept until the
// commit is linked, so that the next call can complete a post-commit that was killed or never ran.
type LinkChoice struct {
	Checkpoint id.CheckpointID `json:"checkpoint_id"`
	Sessions   []id.SessionID  `json:"sessions"`        // none: the message only names checkpoints of replaced commits
	Reuses     bool            `json:"again,omitempty"` // the checkpoint is that of an amended commit

	// Head is HEAD when the choice was made. That commit is never the one that the choice is for,
	// although it names the same checkpoint if it is being amended.
	Head git.OID `json:"on,omitzero"`

	Diff *TreeDiff `json:"diff,omitempty"` // what was staged; nil if it is not known in this form

	// Auto is the commit that auto-commit is making; nil for a commit of the user.
	Auto *AutoCommit `json:"auto,omitempty"`

	// NoEditor states that the message went to no editor, in which a person could have removed the
	// trailer.
	NoEditor bool `json:"plain,omitempty"`

	// Shared states that the checkpoint was made for an earlier attempt or by another git: the
	// sessions must be chosen again from the commit itself.
	Shared bool `json:"shared,omitempty"`

	// AbandonedAt is when HEAD was seen to have moved, so that the commit could no longer be made. Another
	// git may still find the message, which names the checkpoint.
	AbandonedAt time.Time `json:"gone,omitzero"`

	// Others are the choices for commits that other gits are making on the same HEAD, the newest
	// first. Git lets only one of all these become the next HEAD.
	Others []LinkChoice `json:"others,omitempty"`
}

// TreeDiff is how two trees differ outside our own folder, stored so that a commit's second hook
// need not compare them again.
type TreeDiff struct {
	From    git.OID      `json:"from,omitzero"`
	To      git.OID      `json:"to"`
	Changes []git.Change `json:"changes"`
}

// TreeDiffMax bounds the files of a TreeDiff: reading a longer one saves no time.
const TreeDiffMax = 100

// NewTreeDiff returns nil for a difference that cannot be stored: unknown trees, more than
// TreeDiffMax files, or paths that JSON cannot hold.
func NewTreeDiff(from, to git.OID, changes []git.Change) *TreeDiff {
	odd := func(c git.Change) bool { return !utf8.ValidString(c.Path) }
	if to.IsZero() || len(changes) > TreeDiffMax || slices.ContainsFunc(changes, odd) {
		return nil
	}
	return &TreeDiff{from, to, changes}
}

// CodeDiffOnce compares two trees, unless known is their difference.
func CodeDiffOnce(ctx context.Context, s *sessionstate.Env, from, to git.OID, known *TreeDiff) ([]git.Change, error) {
	if known != nil && known.From == from && known.To == to {
		return known.Changes, nil
	}
	return step.CodeDiff(ctx, s, from, to)
}

// IsFor reports whether the choice was made for commit c.
func (p LinkChoice) IsFor(c git.Commit) bool {
	return c.OID != p.Head && slices.Contains(trailer.ParseCheckpointTrailers(c.Message), p.Checkpoint)
}

// ChoicesPath returns the worktree's commit.json.
func ChoicesPath(s *sessionstate.Env) string {
	return filepath.Join(s.LocalDir(), "commit.json")
}

// HasChoice reports whether a choice is waiting for its commit.
func HasChoice(s *sessionstate.Env) bool { return len(WaitingChoices(s)) > 0 }

// AddChoice adds a choice to the stored ones. It replaces a choice for the same checkpoint.
func AddChoice(s *sessionstate.Env, p LinkChoice) error {
	p.Shared = slices.ContainsFunc(AllChoices(s), func(o LinkChoice) bool { return o.Checkpoint == p.Checkpoint && o.Auto == nil })
	return StoreChoices(s, append([]LinkChoice{p}, choicesExcept(s, p.Checkpoint)...))
}

const (
	// choicesMax bounds the number of stored choices.
	choicesMax = 64
	// abandonedKept is how long the choice of an abandoned commit is kept, because its message may still
	// be found.
	abandonedKept = time.Hour
)

// StoreChoices replaces the choices, without those abandoned long ago; it removes the file if none is left.
func StoreChoices(s *sessionstate.Env, list []LinkChoice) error {
	list = slices.DeleteFunc(list, func(p LinkChoice) bool { return !p.AbandonedAt.IsZero() && s.Now().Sub(p.AbandonedAt) > abandonedKept })
	if len(list) == 0 {
		if err := os.Remove(ChoicesPath(s)); !errors.Is(err, fs.ErrNotExist) {
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
	if slices.ContainsFunc(list, func(p LinkChoice) bool { return p.Auto != nil }) { // the user's index depends on an auto-commit's choice
		return durable.WriteFile(ChoicesPath(s), data, 0o600)
	}
	return durable.WriteCache(ChoicesPath(s), data, 0o600)
}

// WaitingChoices returns the choices that are waiting for their commits, the newest first.
func WaitingChoices(s *sessionstate.Env) []LinkChoice {
	return slices.DeleteFunc(AllChoices(s), func(p LinkChoice) bool { return !p.AbandonedAt.IsZero() })
}

// AllChoices returns all stored choices, those of abandoned commits, too. An unreadable file
// counts as empty: post-commit then chooses from the commits themselves.
func AllChoices(s *sessionstate.Env) []LinkChoice {
	data, err := durable.ReadOwn(ChoicesPath(s))
	if err != nil {
		return nil
	}
	first, ok := ParseChoices(data)
	if !ok {
		return nil
	}
	list := append([]LinkChoice{first}, first.Others...)
	list[0].Others = nil
	return list
}

// ParseChoices parses commit.json. ok is false if any of its choices is damaged.
func ParseChoices(data []byte) (p LinkChoice, ok bool) {
	if json.Unmarshal(data, &p) != nil || !p.valid() || slices.ContainsFunc(p.Others, func(o LinkChoice) bool { return !o.valid() }) {
		return LinkChoice{}, false
	}
	return p, true
}

func (p LinkChoice) valid() bool {
	return !p.Checkpoint.IsZero() && !slices.ContainsFunc(p.Sessions, id.SessionID.IsZero)
}

func choicesExcept(s *sessionstate.Env, cp id.CheckpointID) []LinkChoice {
	return slices.DeleteFunc(AllChoices(s), func(p LinkChoice) bool { return p.Checkpoint == cp })
}

// ForgetChoice drops the choice for a checkpoint.
func ForgetChoice(s *sessionstate.Env, cp id.CheckpointID) error {
	if !sessionstate.PathExists(ChoicesPath(s)) {
		return nil
	}
	return StoreChoices(s, choicesExcept(s, cp))
}

// AbandonChoice replaces a choice by a note that its commit was abandoned.
func AbandonChoice(s *sessionstate.Env, p LinkChoice) error {
	gone := LinkChoice{Checkpoint: p.Checkpoint, Reuses: p.Reuses, Head: p.Head, NoEditor: p.NoEditor, AbandonedAt: s.Now()}
	return StoreChoices(s, append(choicesExcept(s, p.Checkpoint), gone))
}

// BaseCommit returns the commit that the choice's commit will be based on, or will replace.
func (p LinkChoice) BaseCommit() git.OID {
	if p.Auto != nil {
		return p.Auto.Parent
	}
	return p.Head
}

// CommitLock guards the worktree's stored choices and the linking of its commits.
func CommitLock(ctx context.Context, s *sessionstate.Env) (*durable.Lock, error) {
	return durable.Acquire(ctx, filepath.Join(s.LocalDir(), "commit.lock"))
}
