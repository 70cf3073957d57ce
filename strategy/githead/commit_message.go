package githead

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"entire/checkpoint/trailer"
	"entire/id"
	"entire/internal/durable"
	"entire/internal/git"
	"entire/session"
	"entire/strategy/sessionstate"
	"entire/strategy/transcript"
	"entire/strategy/worktree"
)

// AutoCommit is a commit that auto-commit is making, as the stored choice for that commit
// describes it.
type AutoCommit struct {
	Parent git.OID    `json:"parent"`          // the commit it is made on
	Files  []AutoFile `json:"files"`           // the files it is to change
	Task   string     `json:"task,omitempty"`  // tool use ID of the subagent whose run it commits
	Step   int        `json:"step,omitempty"`  // number of the step within that run; 0 at its end
	Title  string     `json:"title,omitempty"` // of the task's record

	Edits []git.Edit `json:"-"` // from the user's index to the commit's tree
}

// AutoFile is one file of an AutoCommit.
type AutoFile struct {
	Path   string                   `json:"path"`
	Commit sessionstate.FileVersion `json:"commit,omitzero"`
	Staged sessionstate.FileVersion `json:"staged,omitzero"` // its version in the user's index before
	Index  sessionstate.FileVersion `json:"index,omitzero"`  // its version in the user's index after
}

// IsChildOf reports whether parent is the commit's first parent.
func IsChildOf(c git.Commit, parent git.OID) bool {
	return len(c.Parents) > 0 && c.Parents[0] == parent
}

const (
	MatchAny          transcript.MatchMode = iota
	MatchUnlessMerged                      // the commit brings content of other commits: only work that is seen counts
	MatchReplay                            // as merging; git itself may have merged, so an open shell call proves nothing
)

// VersionComparer compares versions of files and tells how they changed. Its methods return false where
// they cannot tell.
type VersionComparer interface {
	// own returns a session's changes to a path, oldest first. superseded is true if a later step of
	// somebody else changed the path; a person's step counts only if it took the session's change
	// back.
	Own(w transcript.SessionWork, path string) (changes []FileChange, superseded bool)
	// related reports whether two versions of a new file are the same work, or one has a distinctive
	// line of the other.
	Related(path string, session, committed git.OID) bool
	// holds reports whether now has some of the change s that base has not.
	Holds(s FileChange, base, now git.OID) bool
	// IsMoved reports whether a file has what the session wrote in another one.
	IsMoved(w transcript.SessionWork, c git.Change) bool
	// waits reports whether some of the change is uncommitted in the worktree's file or in a stash.
	Waits(s FileChange, committed git.OID) bool
}

// FileChange is one change of a path, by a step or by a commit.
type FileChange struct{ From, To sessionstate.PathVersion }

// IsIn reports whether the change of a commit holds some of this change.
func (s FileChange) IsIn(c git.Change, ver VersionComparer) bool {
	switch {
	case c.NewMode == 0 || s.To.Mode == 0:
		return c.NewMode == s.To.Mode && s.From.Mode != 0 // both removed it
	case s.To.OID == s.From.OID: // the mode alone
		return c.NewMode == s.To.Mode && c.OldMode != s.To.Mode
	case worktree.SameContent(s.To, c.NewMode, c.New):
		return true
	case worktree.SameContent(s.From, c.NewMode, c.New):
		return false // the earlier content and nothing else
	case s.From.Mode == 0 && c.OldMode == 0: // a new file, whose mode or content has changed since
		return s.To.OID == c.New || ver.Related(c.Path, s.To.OID, c.New)
	}
	return s.To.OID == c.New && c.Old != c.New || ver.Holds(s, c.Old, c.New)
}

// ReplaceMessage replaces the message file in one operation, so that a killed hook leaves git the
// old message.
func ReplaceMessage(file string, msg []byte) error {
	perm := fs.FileMode(0o644)
	if fi, err := os.Stat(file); err == nil {
		perm = fi.Mode().Perm()
	}
	return durable.WriteCache(file, msg, perm)
}

// keepsComments reports whether git keeps lines that look like comments in messages, as its command line says
// or, without it, the configured value of commit.cleanup.
func keepsComments(ctx context.Context, s *sessionstate.Env, configured string) bool {
	if in := s.GitInvocation(ctx); in.Command == "commit" {
		configured = cmp.Or(in.Value("--cleanup"), configured)
	}
	return slices.Contains([]string{"verbatim", "whitespace", "scissors"}, configured)
}

// InSequence reports whether a rebase, cherry-pick or revert is in progress, whose commits bring
// their own messages.
func InSequence(ctx context.Context, s *sessionstate.Env) bool {
	for _, name := range []string{"rebase-merge", "rebase-apply"} {
		if _, err := os.Lstat(filepath.Join(s.Repo.GitDir, name)); err == nil {
			return true
		}
	}
	return GitFile(ctx, s, "CHERRY_PICK_HEAD") != nil || GitFile(ctx, s, "REVERT_HEAD") != nil
}

// ScissorsMark is the line at which git cuts off a message.
const ScissorsMark = "------------------------ >8 ------------------------"

// ReadMessage reads a commit message and says how git will clean it up.
func ReadMessage(ctx context.Context, s *sessionstate.Env, file string) (msg []byte, form trailer.MessageOptions, err error) {
	if msg, err = os.ReadFile(file); err != nil {
		return nil, form, fmt.Errorf("read commit message: %w", err)
	}
	form, err = MessageForm(ctx, s, msg)
	return msg, form, err
}

// MessageForm says how git will clean up the message: a message that goes to an editor ends in
// comments, which git may be told to keep; another has none.
func MessageForm(ctx context.Context, s *sessionstate.Env, msg []byte) (trailer.MessageOptions, error) {
	// A sequence that goes on after a conflict removes comments without an editor.
	if s.NoEditor && !InSequence(ctx, s) && !bytes.Contains(msg, []byte(ScissorsMark)) {
		return trailer.MessageOptions{CommentPrefix: trailer.NoComments}, nil
	}
	conf, err := s.Repo.Config(ctx, "core.commentchar", "commit.cleanup")
	return trailer.MessageOptions{Editor: true, CommentPrefix: trailer.CommentPrefix(msg, conf["core.commentchar"]),
		KeepsComments: keepsComments(ctx, s, conf["commit.cleanup"])}, err
}

// MadeCommit is the commit that was just made.
type MadeCommit struct {
	git.Commit
	Parent           git.OID // zero for a root commit
	Changes          []git.Change
	Branch           string
	ReusesCheckpoint bool              // the checkpoint was not made for this commit
	Unnamed          bool              // the message does not name the checkpoint, because no hook of ours saw the commit
	Elsewhere        bool              // it holds work of sessions of other worktrees only
	Late             bool              // it is recorded when a transcript tells of it, and HEAD may have gone on
	Steps            git.OID           // of a late commit: the tip of the shadow branch when it was made; zero for none
	Sessions         []session.Summary // the sessions of this worktree at this time
	Auto             *AutoCommit       // nil for a commit of the user
}

// MessageEdit is a commit's message and the checkpoints that it will name.
type MessageEdit struct {
	File          string
	Msg           []byte
	Options       trailer.MessageOptions
	Underway      gitOperation
	Head          git.OID         // HEAD's commit
	NewCheckpoint id.CheckpointID // named in the message already, for new work; zero for none
	NamesOthers   bool            // the message names checkpoints of commits that others are making
	Checkpoints   []id.CheckpointID
	Foreign       []string         // foreign checkpoints in another version's format, which are only kept
	Credits       []trailer.Credit // of agents, in the commits that this one replaces
	Template      bool             // the message is a template that the person is to edit
	KeepsReplaced bool             // add has the checkpoints of the commits that this one replaces
	Chosen        []id.SessionID   // sessions with work of their own in the commit

	All, Own   []git.Change // the staged changes, which readIndexChanges reads
	Diff       *TreeDiff
	stagedRead bool
}

// ReadStaged asks git once for the staged changes.
func ReadStaged(ctx context.Context, s *sessionstate.Env, l *MessageEdit) (err error) {
	if !l.stagedRead {
		l.stagedRead = true
		err = readIndexChanges(ctx, s, l)
	}
	return err
}

func (a AutoCommit) MarshalJSON() ([]byte, error) {
	type plain AutoCommit
	return json.Marshal(plain(a))
}

// AncestorSpecs returns the names of a commit and its n-1 next first-parent ancestors.
func AncestorSpecs(commit string, n int) []string {
	var specs []string
	for i := range n {
		specs = append(specs, fmt.Sprintf("%s~%d", commit, i))
	}
	return specs
}
