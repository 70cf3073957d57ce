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

// prepared is what prepare-commit-msg hands to post-commit: the choice it made.
// It lies there until the commit is settled, so that a post-commit that was
// killed, or never ran, is made up for.
type prepared struct {
	Checkpoint id.CheckpointID `json:"checkpoint_id"`
	Sessions   []id.SessionID  `json:"sessions"`        // none: the message is linked, but by what it says already
	Again      bool            `json:"again,omitempty"` // the checkpoint is an amended commit's

	// On is HEAD when the choice was made: not yet the commit that it is for,
	// though one that is being amended names the checkpoint already.
	On git.OID `json:"on,omitzero"`

	Diff *treeDiff `json:"diff,omitempty"` // what was staged, nil if it is not known in this form

	// Auto is the commit that auto-commit is making; nil for a commit of the
	// user's.
	Auto *autoCommit `json:"auto,omitempty"`

	// Plain says that the message went to no editor, in which somebody could have
	// removed the trailer.
	Plain bool `json:"plain,omitempty"`

	// Shared says that the checkpoint was made up for an earlier try, or by another git:
	// whose work is in the commit is to be seen when it is made.
	Shared bool `json:"shared,omitempty"`

	// Gone is when HEAD was seen to have moved, so that the commit could no longer be
	// made. Its message, which names the checkpoint, may still be found by another git.
	Gone time.Time `json:"gone,omitzero"`

	// Others are the choices for commits that other gits are making on the same HEAD,
	// the newest first: of all these, git lets one become the next HEAD.
	Others []prepared `json:"others,omitempty"`
}

// treeDiff is how two trees differ outside our own folder, found once for both hooks of a
// commit.
type treeDiff struct {
	From    git.OID      `json:"from,omitzero"`
	To      git.OID      `json:"to"`
	Changes []git.Change `json:"changes"`
}

// handedMax bounds the files of a treeDiff: with more of them reading it gains nothing.
const handedMax = 100

// newTreeDiff is nil for what cannot be handed on: trees that are not known, many files,
// and names that JSON does not keep.
func newTreeDiff(from, to git.OID, changes []git.Change) *treeDiff {
	odd := func(c git.Change) bool { return !utf8.ValidString(c.Path) }
	if to.IsZero() || len(changes) > handedMax || slices.ContainsFunc(changes, odd) {
		return nil
	}
	return &treeDiff{from, to, changes}
}

// codeDiffOnce compares two trees, unless that was done already.
func (s *ManualCommitStrategy) codeDiffOnce(ctx context.Context, from, to git.OID, known *treeDiff) ([]git.Change, error) {
	if known != nil && known.From == from && known.To == to {
		return known.Changes, nil
	}
	return s.codeDiff(ctx, from, to)
}

// isFor reports whether the choice was made for a commit.
func (p prepared) isFor(c git.Commit) bool {
	return c.OID != p.On && slices.Contains(checkpoint.ParseCheckpointTrailers(c.Message), p.Checkpoint)
}

func (s *ManualCommitStrategy) preparedPath() string {
	return filepath.Join(s.localDir(), "commit.json")
}

// prepared reports whether a choice waits for its commit.
func (s *ManualCommitStrategy) prepared() bool { return len(s.choices()) > 0 }

// writePrepared adds a choice to the others. One for the same checkpoint is replaced.
func (s *ManualCommitStrategy) writePrepared(p prepared) error {
	p.Shared = slices.ContainsFunc(s.everyChoice(), func(o prepared) bool { return o.Checkpoint == p.Checkpoint && o.Auto == nil })
	return s.storeChoices(append([]prepared{p}, s.choicesBut(p.Checkpoint)...))
}

const (
	// choicesMax bounds the commits that are made at once.
	choicesMax = 64
	// goneKept is how long a message may lie about.
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
	if slices.ContainsFunc(list, func(p prepared) bool { return p.Auto != nil }) { // the user's index depends on it
		return durable.WriteFile(s.preparedPath(), data, 0o600)
	}
	return durable.WriteCache(s.preparedPath(), data, 0o600)
}

// choices are the choices that wait for their commits, the newest first.
func (s *ManualCommitStrategy) choices() []prepared {
	return slices.DeleteFunc(s.everyChoice(), func(p prepared) bool { return !p.Gone.IsZero() })
}

// everyChoice reads the choices, those that came to nothing, too. A file that cannot be
// read has none, and they are made again from the commits themselves.
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

// forgetChoice drops what was chosen for a checkpoint.
func (s *ManualCommitStrategy) forgetChoice(cp id.CheckpointID) error {
	if !exists(s.preparedPath()) {
		return nil
	}
	return s.storeChoices(s.choicesBut(cp))
}

// retire keeps of a choice only that its checkpoint will never be.
func (s *ManualCommitStrategy) retire(p prepared) error {
	gone := prepared{Checkpoint: p.Checkpoint, Again: p.Again, On: p.On, Plain: p.Plain, Gone: s.Now()}
	return s.storeChoices(append(s.choicesBut(p.Checkpoint), gone))
}

// begun is the commit that the choice's own is to stand on, or to replace.
func (p prepared) begun() git.OID {
	if p.Auto != nil {
		return p.Auto.Parent
	}
	return p.On
}

// choiceFor finds what was chosen for a commit, with the other choices for commits on
// its parent, or in its place, also those that came to nothing. known reports that one
// of them all waits still.
func (s *ManualCommitStrategy) choiceFor(c git.Commit) (prep prepared, known bool) {
	list := s.everyChoice()
	for _, p := range list {
		if !p.Gone.IsZero() {
			p.Shared = true // with whatever git has found its message
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

// commitLock guards the worktree's choice and its settling.
func (s *ManualCommitStrategy) commitLock(ctx context.Context) (*durable.Lock, error) {
	return durable.Acquire(ctx, filepath.Join(s.localDir(), "commit.lock"))
}
