//go:build !nogogit

package checkpoint

import (
	"context"
	"fmt"
	"strings"

	"entire/agent"
	"entire/id"
	"entire/internal/durable"
	"entire/internal/git"
	"entire/internal/redact"
)

// WriteCommitted writes a session's record to the checkpoint opts.CheckpointID on
// entire/checkpoints/v1, and creates the checkpoint and the branch if they do not exist.
// Writing a session again replaces its record.
//
// A task checkpoint has more files under tasks/<tool-use-id>/:
// checkpoints/NNN-<tool-use-id>.json if it is incremental, otherwise checkpoint.json and
// agent-<agent-id>.jsonl.
func (s *GitStore) WriteCommitted(ctx context.Context, opts WriteCommittedOptions) error {
	return s.with(ctx, func(r *git.Repo) error {
		session, err := committedSession(r, &opts, s.now)
		if err != nil {
			return fmt.Errorf("write checkpoint %s: %w", opts.CheckpointID, err)
		}
		rec := Record{
			ID: opts.CheckpointID, Strategy: opts.Strategy, Branch: opts.Branch, CLIVersion: opts.CLIVersion,
			Sessions: []SessionRecord{session}, EphemeralBranch: opts.EphemeralBranch,
			Subject: redact.Text(opts.CommitSubject), Author: s.author(ctx, r, opts.AuthorName, opts.AuthorEmail),
		}
		return UpdateMetadata(ctx, r, nil, func(tip git.OID) (git.OID, error) {
			if opts.IsTask {
				if err := addTask(ctx, r, tip, &rec, &opts, s); err != nil {
					return git.OID{}, fmt.Errorf("write checkpoint %s: %w", opts.CheckpointID, err)
				}
			}
			return BuildRecord(ctx, r, tip, rec)
		})
	})
}

func committedSession(r *git.Repo, opts *WriteCommittedOptions, now clock) (SessionRecord, error) {
	prompts := make([]string, len(opts.Prompts))
	for i, p := range opts.Prompts {
		prompts[i] = redact.Text(p)
	}
	sr := SessionRecord{
		Metadata: CommittedMetadata{
			SessionID: opts.SessionID, CreatedAt: now(), CheckpointsCount: opts.CheckpointsCount,
			FilesTouched: opts.FilesTouched, Agent: opts.Agent, TurnID: opts.TurnID,
			IsTask: opts.IsTask, ToolUseID: opts.ToolUseID,
			TranscriptIdentifierAtStart: opts.TranscriptIdentifierAtStart,
			CheckpointTranscriptStart:   opts.CheckpointTranscriptStart,
			TokenUsage:                  opts.TokenUsage, Summary: redactSummary(opts.Summary),
			InitialAttribution: opts.InitialAttribution,
		},
		Prompts: JoinPrompts(prompts),
		Context: redact.Text(string(opts.Context)),
	}
	transcript := opts.Transcript
	if len(transcript) == 0 && opts.TranscriptPath != "" {
		var err error
		if transcript, err = durable.Read(opts.TranscriptPath, agent.MaxTranscript); err != nil {
			return sr, fmt.Errorf("read transcript: %w", err)
		}
	}
	if opts.MetadataDir != "" {
		if err := sr.takeDir(r, opts, &transcript); err != nil {
			return sr, fmt.Errorf("copy %s: %w", opts.MetadataDir, err)
		}
	}
	var err error
	sr.Transcript, sr.ContentHash, err = storeTranscript(r.Writer(), opts.Agent, transcript)
	return sr, err
}

// takeDir adds the files of the metadata directory. The files that every session has are used
// only where opts have no value, and never replace the record's own.
func (sr *SessionRecord) takeDir(r *git.Repo, opts *WriteCommittedOptions, transcript *[]byte) error {
	o := &overlay{writer: r.Writer()}
	err := eachFile(opts.MetadataDir, func(name string, mode uint32, data []byte) error {
		_, isChunk := chunkNumber(name)
		switch {
		case name == TranscriptName && len(*transcript) == 0:
			*transcript = data
		case name == promptName && sr.Prompts == "":
			sr.Prompts = redact.Text(string(data))
		case name == contextName && sr.Context == "":
			sr.Context = redact.Text(string(data))
		case isChunk, name == promptName, name == contextName, name == metadataName, name == contentHashName:
		default:
			return o.addFile(name, mode, data)
		}
		return nil
	})
	sr.Extra = o.edits
	return err
}

// addTask adds the files of the record's task, numbered for the tree at tip.
func addTask(ctx context.Context, r *git.Repo, tip git.OID, rec *Record, opts *WriteCommittedOptions, s *GitStore) error {
	files := taskFiles{
		sessionID: opts.SessionID, toolUseID: opts.ToolUseID, agentID: opts.AgentID, uuid: opts.CheckpointUUID,
		subagentTranscript: opts.SubagentTranscriptPath,
		incremental:        opts.IsIncremental, sequence: opts.IncrementalSequence,
		kind: opts.IncrementalType, data: opts.IncrementalData, now: s.now(),
	}
	if err := files.valid(); err != nil {
		return err
	}
	var base git.OID
	if !tip.IsZero() {
		c, err := r.Reader(ctx).Commit(tip)
		if err != nil {
			return err
		}
		base = c.Tree
	}
	document, err := files.committedDocument()
	if err != nil {
		return err
	}
	prefix := rec.ID.Path() + "/"
	edits, at, err := files.store(ctx, r, base, prefix+"tasks/"+opts.ToolUseID, document)
	if err != nil {
		return err
	}
	for i := range edits {
		edits[i].Path = strings.TrimPrefix(edits[i].Path, prefix)
	}
	rec.Extra, rec.MetadataTask = edits, at
	return nil
}

// UpdateSummary updates the summary field in the latest session's metadata. It returns
// ErrCheckpointNotFound if the checkpoint does not exist on the local branch, or on origin's if
// there is no local one.
func (s *GitStore) UpdateSummary(ctx context.Context, checkpointID id.CheckpointID, summary *Summary) error {
	return s.with(ctx, func(r *git.Repo) error {
		return WriteSummary(ctx, r, SummaryUpdate{ID: checkpointID, Summary: summary, Replace: true, Author: s.author(ctx, r, "", "")})
	})
}
