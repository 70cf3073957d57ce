package condense

import (
	"context"
	"errors"

	"entire/agent"
	"entire/checkpoint/metadata"
	"entire/checkpoint/records"
	"entire/strategy/githead"
	"entire/strategy/sessionstate"
	"entire/strategy/worktree"
)

// mergeStored completes the record of a commit that reuses a checkpoint, because its commit was amended or its message
// was used again. It joins what the stored record says of each session with the new record. A missing checkpoint is no
// error.
func mergeStored(ctx context.Context, s *sessionstate.Env, cm githead.MadeCommit, rec *metadata.Record) error {
	if !cm.ReusesCheckpoint {
		return nil
	}
	stored, err := records.NewReader(s.Repo).Read(ctx, rec.ID)
	if errors.Is(err, metadata.ErrCheckpointNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	for i := range rec.Sessions {
		for _, old := range stored.Sessions {
			if old.Err == nil && old.Metadata.SessionID == rec.Sessions[i].Metadata.SessionID {
				mergeMetadata(&rec.Sessions[i].Metadata, old.Metadata)
			}
		}
	}
	return nil
}

// mergeMetadata adds the stored metadata of a session to the new one. Metadata of the same part of the
// transcript, which a killed call wrote, is replaced except for its files and its attribution.
func mergeMetadata(meta *metadata.CommittedMetadata, old metadata.CommittedMetadata) {
	if meta.InitialAttribution == nil {
		meta.InitialAttribution = old.InitialAttribution
	}
	meta.FilesTouched = worktree.Union(old.FilesTouched, meta.FilesTouched)
	if old.GetTranscriptStart() >= meta.CheckpointTranscriptStart {
		return
	}
	meta.CheckpointsCount += old.CheckpointsCount
	meta.CreatedAt = old.CreatedAt
	meta.CheckpointTranscriptStart, meta.TranscriptLinesAtStart = old.GetTranscriptStart(), old.GetTranscriptStart()
	meta.TranscriptIdentifierAtStart = old.TranscriptIdentifierAtStart
	if old.TokenUsage != nil {
		var usage agent.TokenUsage
		if meta.TokenUsage != nil {
			usage = *meta.TokenUsage
		}
		usage = old.TokenUsage.Add(usage)
		meta.TokenUsage = &usage
	}
}
