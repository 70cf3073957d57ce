package checkpoint

import (
	"context"
	"fmt"
	"strings"

	"entire/agent"
	"entire/checkpoint/chunk"
	"entire/checkpoint/metadata"
	"entire/checkpoint/shadow"
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
		rec := metadata.Record{
			ID: opts.CheckpointID, Strategy: opts.Strategy, Branch: opts.Branch, CLIVersion: opts.CLIVersion,
			Sessions: []metadata.SessionRecord{session}, EphemeralBranch: opts.EphemeralBranch,
			Subject: redact.Text(opts.CommitSubject), Author: s.author(ctx, r, opts.AuthorName, opts.AuthorEmail),
		}
		if !opts.IsTask {
			return metadata.WriteRecord(ctx, r, rec)
		}
		return metadata.UpdateMetadata(ctx, r, nil, func(tip git.OID) (git.OID, error) {
			if err := addTask(ctx, r, tip, &rec, &opts, s); err != nil {
				return git.OID{}, fmt.Errorf("write checkpoint %s: %w", opts.CheckpointID, err)
			}
			return metadata.BuildRecord(ctx, r, tip, rec)
		})
	})
}

func committedSession(r *git.Repo, opts *WriteCommittedOptions, now clock) (metadata.SessionRecord, error) {
	prompts := make([]string, len(opts.Prompts))
	for i, p := range opts.Prompts {
		prompts[i] = redact.Text(p)
	}
	sr := metadata.SessionRecord{
		Metadata: CommittedMetadata{
			SessionID: opts.SessionID, CreatedAt: now(), CheckpointsCount: opts.CheckpointsCount,
			FilesTouched: opts.FilesTouched, Agent: opts.Agent, TurnID: opts.TurnID,
			IsTask: opts.IsTask, ToolUseID: opts.ToolUseID,
			TranscriptIdentifierAtStart: opts.TranscriptIdentifierAtStart,
			CheckpointTranscriptStart:   opts.CheckpointTranscriptStart,
			TokenUsage:                  opts.TokenUsage, Summary: metadata.RedactSummary(opts.Summary),
			InitialAttribution: opts.InitialAttribution,
		},
		Prompts: metadata.JoinPrompts(prompts),
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
		if err := takeDir(&sr, r, opts, &transcript); err != nil {
			return sr, fmt.Errorf("copy %s: %w", opts.MetadataDir, err)
		}
	}
	var err error
	sr.Transcript, sr.ContentHash, err = chunk.StoreTranscript(r.Conversation(opts.SessionID), opts.Agent, transcript)
	return sr, err
}

// takeDir adds the files of the metadata directory. The files that every session has are used
// only where opts have no value, and never replace the record's own.
func takeDir(sr *metadata.SessionRecord, r *git.Repo, opts *WriteCommittedOptions, transcript *[]byte) error {
	o := &chunk.Overlay{Writer: r.Sealed(opts.SessionID)}
	err := chunk.EachFile(opts.MetadataDir, func(name string, mode uint32, data []byte) error {
		_, isChunk := chunk.Number(name)
		switch {
		case name == chunk.TranscriptName && len(*transcript) == 0:
			*transcript = data
		case name == metadata.PromptName && sr.Prompts == "":
			sr.Prompts = redact.Text(string(data))
		case name == metadata.ContextName && sr.Context == "":
			sr.Context = redact.Text(string(data))
		case isChunk, name == metadata.PromptName, name == metadata.ContextName, name == metadata.FileName, name == metadata.ContentHashName:
		default:
			return o.AddFile(name, mode, data)
		}
		return nil
	})
	sr.Extra = o.Edits
	return err
}

// addTask adds the files of the record's task, numbered for the tree at tip.
func addTask(ctx context.Context, r *git.Repo, tip git.OID, rec *metadata.Record, opts *WriteCommittedOptions, s *GitStore) error {
	files := shadow.TaskFiles{
		SessionID: opts.SessionID, ToolUseID: opts.ToolUseID, AgentID: opts.AgentID, UUID: opts.CheckpointUUID,
		SubagentTranscript: opts.SubagentTranscriptPath,
		Incremental:        opts.IsIncremental, Sequence: opts.IncrementalSequence,
		Kind: opts.IncrementalType, Data: opts.IncrementalData, Now: s.now(),
	}
	if err := files.Valid(); err != nil {
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
	document, err := files.CommittedDocument()
	if err != nil {
		return err
	}
	prefix := rec.ID.Path() + "/"
	edits, at, err := files.Store(ctx, r, base, prefix+"tasks/"+opts.ToolUseID, document)
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
		return metadata.WriteSummary(ctx, r, metadata.SummaryUpdate{ID: checkpointID, Summary: summary, Replace: true, Author: s.author(ctx, r, "", "")})
	})
}
