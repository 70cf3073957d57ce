package strategy

import (
	"context"
	"errors"

	"entire/agent"
	"entire/checkpoint"
)

// addStored completes a record for a checkpoint that exists already, because a
// commit was amended or its message used again: what the session's slot says of
// the work before stays in it.
func (s *ManualCommitStrategy) addStored(ctx context.Context, rec *checkpoint.Record) error {
	stored, err := checkpoint.NewRecords(s.repo).Read(ctx, rec.ID)
	if errors.Is(err, checkpoint.ErrCheckpointNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	for i := range rec.Sessions {
		for _, old := range stored.Sessions {
			if old.Err == nil && old.Metadata.SessionID == rec.Sessions[i].Metadata.SessionID {
				join(&rec.Sessions[i].Metadata, old.Metadata)
			}
		}
	}
	return nil
}

// join adds the earlier part of a session's work to the later one. A record of
// the same part, made by a call that was killed, is replaced, but for its files.
func join(meta *checkpoint.CommittedMetadata, old checkpoint.CommittedMetadata) {
	if meta.InitialAttribution == nil {
		meta.InitialAttribution = old.InitialAttribution
	}
	meta.FilesTouched = union(old.FilesTouched, meta.FilesTouched)
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
