//go:build !nogogit

package checkpoint

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/go-git/go-git/v5/plumbing"

	"entire/agent"
	"entire/checkpoint/chunk"
	"entire/checkpoint/metadata"
	"entire/checkpoint/shadow"
	"entire/checkpoint/trailer"
	"entire/id"
	"entire/internal/durable"
	"entire/internal/git"
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
	dir := trailer.OrDefault(opts.MetadataDir, shadow.SessionDir(session))
	var result WriteTemporaryResult
	err = s.with(ctx, func(r *git.Repo) error {
		step := shadowStep{
			ref:    shadow.ShadowRef(opts.BaseCommit, opts.WorktreeID),
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
			edits, err := captureState(ctx, r, base, paths, opts.DeletedFiles)
			if err != nil {
				return nil, err
			}
			meta, err := metadataOverlay(ctx, r, base, dir, opts.MetadataDirAbs)
			return append(edits, meta...), err
		})
		result = WriteTemporaryResult{CommitHash: oid.Hash(), Skipped: skipped}
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
			ref:    shadow.ShadowRef(opts.BaseCommit, opts.WorktreeID),
			author: s.author(ctx, r, opts.AuthorName, opts.AuthorEmail),
			message: shadow.StepMessage(shadow.Step{Kind: shadow.StepTask, Subject: redact.Text(opts.CommitMessage), Session: session,
				ToolUseID: opts.ToolUseID, Base: fullOID(opts.BaseCommit)}),
		}
		oid, _, err := step.append(ctx, r, func(base git.OID) ([]git.Edit, error) {
			edits, err := captureState(ctx, r, base, slices.Concat(opts.ModifiedFiles, opts.NewFiles), opts.DeletedFiles)
			if err != nil {
				return nil, err
			}
			task, err := taskOverlay(ctx, r, base, session, &files, opts.TranscriptPath)
			return append(edits, task...), err
		})
		hash = oid.Hash()
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

// captureState removes the deleted paths and then captures the others, so that a path in both
// lists gets its state on disk.
func captureState(ctx context.Context, r *git.Repo, base git.OID, paths, deleted []string) ([]git.Edit, error) {
	var edits []git.Edit
	for _, p := range deleted {
		if !shadow.InEntireDir(p) {
			edits = append(edits, git.Edit{Path: p})
		}
	}
	captured, err := shadow.Capture(ctx, r, base, paths)
	return append(edits, captured...), err
}

// metadataOverlay stores the files of a session's metadata directory, redacted, with the
// transcript in chunks. Files of earlier steps stay.
func metadataOverlay(ctx context.Context, r *git.Repo, base git.OID, dir, from string) ([]git.Edit, error) {
	if from == "" {
		return nil, nil
	}
	if err := git.ValidPath(dir); err != nil {
		return nil, err
	}
	old, err := entriesAt(ctx, r, base, dir)
	if err != nil {
		return nil, err
	}
	o := &chunk.Overlay{Writer: r.Writer(), Dir: dir}
	err = chunk.EachFile(from, func(name string, mode uint32, data []byte) error {
		if name == chunk.TranscriptName {
			return o.AddTranscript("", data, old)
		}
		return o.AddFile(name, mode, data)
	})
	if errors.Is(err, os.ErrNotExist) {
		err = nil
	}
	return o.Edits, err
}

// taskOverlay stores a task's files and, if the task has ended, the session's transcript.
func taskOverlay(ctx context.Context, r *git.Repo, base git.OID, session id.SessionID, files *shadow.TaskFiles, transcript string) ([]git.Edit, error) {
	document, err := files.ShadowDocument()
	if err != nil {
		return nil, err
	}
	edits, _, err := files.Store(ctx, r, base, shadow.TaskDir(session, files.ToolUseID), document)
	if err != nil || files.Incremental || transcript == "" {
		return edits, err
	}
	raw, err := durable.Read(transcript, agent.MaxTranscript)
	if err != nil {
		return nil, fmt.Errorf("read transcript: %w", err)
	}
	old, err := entriesAt(ctx, r, base, shadow.SessionDir(session))
	if err != nil {
		return nil, err
	}
	o := &chunk.Overlay{Writer: r.Writer(), Dir: shadow.SessionDir(session)}
	err = o.AddTranscript(agent.AgentType(""), raw, old)
	return append(edits, o.Edits...), err
}

// entriesAt lists a folder of a tree; it returns none if there is no such folder.
func entriesAt(ctx context.Context, r *git.Repo, tree git.OID, dir string) ([]git.TreeEntry, error) {
	if tree.IsZero() {
		return nil, nil
	}
	e, found, err := r.Reader(ctx).Path(tree, dir)
	if err != nil || !found || e.Mode != git.ModeTree {
		return nil, err
	}
	return r.Reader(ctx).Tree(e.OID)
}

// fullOID returns the object ID of a base commit, zero unless all its digits are given.
func fullOID(commit string) git.OID {
	oid, err := git.ParseOID(commit)
	if err != nil {
		return git.OID{}
	}
	return oid
}
