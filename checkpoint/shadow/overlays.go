package shadow

import (
	"context"
	"errors"
	"fmt"
	"os"

	"entire/agent"
	"entire/checkpoint/chunk"
	"entire/id"
	"entire/internal/durable"
	"entire/internal/git"
)

// CaptureState removes the deleted paths and then captures the others, so that a path in both
// lists gets its state on disk.
func CaptureState(ctx context.Context, r *git.Repo, base git.OID, paths, deleted []string) ([]git.Edit, error) {
	var edits []git.Edit
	for _, p := range deleted {
		if !inEntireDir(p) {
			edits = append(edits, git.Edit{Path: p})
		}
	}
	captured, err := captureFiles(ctx, r, base, paths)
	return append(edits, captured...), err
}

// MetadataOverlay stores the files of a session's metadata directory, redacted, with the
// transcript in chunks. Files of earlier steps stay.
func MetadataOverlay(ctx context.Context, r *git.Repo, base git.OID, dir, from string) ([]git.Edit, error) {
	if from == "" {
		return nil, nil
	}
	if err := git.ValidPath(dir); err != nil {
		return nil, err
	}
	old, err := EntriesAt(ctx, r, base, dir)
	if err != nil {
		return nil, err
	}
	o := &chunk.Overlay{Writer: r.Sealed(dir), Dir: dir}
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

// TaskOverlay stores a task's files and, if the task has ended, the session's transcript.
func TaskOverlay(ctx context.Context, r *git.Repo, base git.OID, session id.SessionID, files *TaskFiles, transcript string) ([]git.Edit, error) {
	document, err := files.shadowDocument()
	if err != nil {
		return nil, err
	}
	edits, _, err := files.Store(ctx, r, base, TaskDir(session, files.ToolUseID), document)
	if err != nil || files.Incremental || transcript == "" {
		return edits, err
	}
	raw, err := durable.Read(transcript, agent.MaxTranscript)
	if err != nil {
		return nil, fmt.Errorf("read transcript: %w", err)
	}
	old, err := EntriesAt(ctx, r, base, SessionDir(session))
	if err != nil {
		return nil, err
	}
	o := &chunk.Overlay{Writer: r.Sealed(session.String()), Dir: SessionDir(session)}
	err = o.AddTranscript(agent.AgentType(""), raw, old)
	return append(edits, o.Edits...), err
}

// EntriesAt lists a folder of a tree; it returns none if there is no such folder.
func EntriesAt(ctx context.Context, r *git.Repo, tree git.OID, dir string) ([]git.TreeEntry, error) {
	if tree.IsZero() {
		return nil, nil
	}
	e, found, err := r.Reader(ctx).Path(tree, dir)
	if err != nil || !found || e.Mode != git.ModeTree {
		return nil, err
	}
	return r.Reader(ctx).Tree(e.OID)
}
