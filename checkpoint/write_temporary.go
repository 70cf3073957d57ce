package checkpoint

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/go-git/go-git/v5/plumbing"

	"entire/checkpoint/metadata"
	"entire/checkpoint/shadow"
	"entire/id"
	"entire/internal/git"
	"entire/internal/gogit"
	"entire/internal/redact"
)

// WriteTemporary writes a temporary checkpoint to the shadow branch of opts.BaseCommit: the
// state of the files and the session's metadata, redacted, on top of the previous checkpoint or
// of HEAD's tree. If the tree would be the same as before, it writes nothing, and the result
// says so.
func (s *GitStore) WriteTemporary(ctx context.Context, opts WriteTemporaryOptions) (WriteTemporaryResult, error) {
	session, err := id.ParseSessionID(opts.SessionID)
	if err != nil {
		return WriteTemporaryResult{}, err
	}
	dir := cmp.Or(opts.MetadataDir, shadow.SessionDir(session))
	var result WriteTemporaryResult
	err = s.with(ctx, func(r *git.Repo) error {
		step := shadowStep{
			ref:    shadow.Ref(opts.BaseCommit, opts.WorktreeID),
			author: s.author(ctx, r, opts.AuthorName, opts.AuthorEmail),
			message: shadow.StepMessage(shadow.Step{Kind: shadow.StepAgent, Subject: redact.Text(opts.CommitMessage), Session: session,
				MetadataDir: dir, Base: fullOID(opts.BaseCommit)}),
			dedupe: true,
		}
		oid, skipped, err := step.append(ctx, r, func(base git.OID) ([]git.Edit, error) {
			paths := slices.Concat(opts.ModifiedFiles, opts.NewFiles)
			if opts.IsFirstCheckpoint {
				changed, err := shadow.ChangedPaths(ctx, r)
				if err != nil {
					return nil, err
				}
				paths = changed
			}
			edits, err := shadow.CaptureState(ctx, r, base, paths, opts.DeletedFiles)
			if err != nil {
				return nil, err
			}
			meta, err := shadow.MetadataOverlay(ctx, r, base, dir, opts.MetadataDirAbs)
			return append(edits, meta...), err
		})
		result = WriteTemporaryResult{CommitHash: gogit.Hash(oid), Skipped: skipped}
		return err
	})
	if err != nil {
		return WriteTemporaryResult{}, fmt.Errorf("write step of session %s: %w", session, err)
	}
	return result, nil
}

// WriteTemporaryTask writes a task checkpoint to a shadow branch: the state of
// the files, and the task's own files under tasks/<tool use ID>. It returns the
// commit's hash; every call makes a commit.
func (s *GitStore) WriteTemporaryTask(ctx context.Context, opts WriteTemporaryTaskOptions) (plumbing.Hash, error) {
	session, err := id.ParseSessionID(opts.SessionID)
	if err != nil {
		return plumbing.ZeroHash, err
	}
	files := shadow.TaskFiles{
		SessionID: opts.SessionID, ToolUseID: opts.ToolUseID, AgentID: opts.AgentID, UUID: opts.CheckpointUUID,
		SubagentTranscript: opts.SubagentTranscriptPath,
		Incremental:        opts.IsIncremental, Sequence: opts.IncrementalSequence,
		Kind: opts.IncrementalType, Data: opts.IncrementalData, Now: s.now(),
	}
	if err := files.Valid(); err != nil {
		return plumbing.ZeroHash, err
	}
	var hash plumbing.Hash
	err = s.with(ctx, func(r *git.Repo) error {
		step := shadowStep{
			ref:    shadow.Ref(opts.BaseCommit, opts.WorktreeID),
			author: s.author(ctx, r, opts.AuthorName, opts.AuthorEmail),
			message: shadow.StepMessage(shadow.Step{Kind: shadow.StepTask, Subject: redact.Text(opts.CommitMessage), Session: session,
				ToolUseID: opts.ToolUseID, Base: fullOID(opts.BaseCommit)}),
		}
		oid, _, err := step.append(ctx, r, func(base git.OID) ([]git.Edit, error) {
			edits, err := shadow.CaptureState(ctx, r, base, slices.Concat(opts.ModifiedFiles, opts.NewFiles), opts.DeletedFiles)
			if err != nil {
				return nil, err
			}
			task, err := shadow.TaskOverlay(ctx, r, base, session, &files, opts.TranscriptPath)
			return append(edits, task...), err
		})
		hash = gogit.Hash(oid)
		return err
	})
	if err != nil {
		return plumbing.ZeroHash, fmt.Errorf("write task step of session %s: %w", session, err)
	}
	return hash, nil
}

// shadowStep is one commit to add to a shadow branch.
type shadowStep struct {
	ref     string
	message string
	author  git.Signature
	dedupe  bool
}

// append builds the step on the branch's tip, or without a parent on HEAD's tree, and moves the
// branch. If the branch has moved meanwhile, it builds the step again.
func (p shadowStep) append(ctx context.Context, r *git.Repo, edits func(base git.OID) ([]git.Edit, error)) (oid git.OID, skipped bool, err error) {
	for try := 0; ; try++ {
		tip, exists, err := r.Reader(ctx).CommitOf(p.ref)
		if err != nil {
			return git.OID{}, false, err
		}
		base := tip.Tree
		if !exists {
			head, _, err := r.Reader(ctx).CommitOf("HEAD")
			if err != nil {
				return git.OID{}, false, err
			}
			base = head.Tree
		}
		changes, err := edits(base)
		if err != nil {
			return git.OID{}, false, err
		}
		tree, err := r.EditTree(ctx, base, changes)
		if err != nil {
			return git.OID{}, false, err
		}
		if p.dedupe && exists && tree == tip.Tree {
			return tip.OID, true, nil
		}
		c := git.Commit{Tree: tree, Author: p.author, Committer: p.author, Message: p.message}
		if exists {
			c.Parents = []git.OID{tip.OID}
		}
		if oid, err = r.Writer().Commit(c); err != nil {
			return git.OID{}, false, err
		}
		err = r.UpdateRefs(ctx, []git.RefUpdate{{Name: p.ref, New: oid, Old: tip.OID}})
		if !errors.Is(err, git.ErrRefMoved) || try >= metadata.WriteTries {
			return oid, false, err
		}
	}
}

// fullOID returns the object ID of a base commit, zero unless all its digits are given.
func fullOID(commit string) git.OID {
	oid, err := git.ParseOID(commit)
	if err != nil {
		return git.OID{}
	}
	return oid
}
