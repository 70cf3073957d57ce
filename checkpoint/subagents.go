package checkpoint

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"entire/agent"
	"entire/id"
	"entire/internal/git"
)

// SubagentTranscripts returns the stored transcripts of the subagents of a checkpoint's session
// that have at most limit bytes, in the order of the names of their calls.
func (r *Records) SubagentTranscripts(ctx context.Context, cp id.CheckpointID, sessionID string, limit int64) ([][]byte, error) {
	f, err := r.folder(ctx, cp)
	if err != nil {
		return nil, err
	}
	s, unreadable := f.session(sessionID)
	if s == nil {
		return nil, errors.Join(fmt.Errorf("session %q of checkpoint %s: %w", sessionID, cp, ErrSessionNotFound), unreadable)
	}
	return SubagentTranscriptsIn(r.repo.Reader(ctx), s.files, limit)
}

// SubagentTranscriptsIn is SubagentTranscripts for a folder that has `tasks/`: a slot, or a
// session's folder in a step.
func SubagentTranscriptsIn(rd *git.Reader, folder []git.TreeEntry, limit int64) ([][]byte, error) {
	var specs []string
	for _, e := range folder {
		if e.Name != "tasks" || e.Mode != git.ModeTree {
			continue
		}
		tasks, err := rd.Tree(e.OID)
		if err != nil {
			return nil, err
		}
		var oids []git.OID
		for _, task := range tasks {
			if task.Mode == git.ModeTree {
				oids = append(oids, task.OID)
			}
		}
		trees, err := rd.Trees(oids...)
		if err != nil {
			return nil, err
		}
		for _, files := range trees {
			for _, file := range files {
				if strings.HasPrefix(file.Name, "agent-") && strings.HasSuffix(file.Name, ".jsonl") {
					specs = append(specs, file.OID.String())
				}
			}
		}
	}
	objs, err := rd.Small(limit, specs...)
	var out [][]byte
	for _, o := range objs {
		if o.Type == "blob" && !o.Large && len(o.Data) > 0 && !agent.IsDocument(o.Data) {
			out = append(out, o.Data)
		}
	}
	return out, err
}
