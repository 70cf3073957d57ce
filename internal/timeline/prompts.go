package timeline

import (
	"context"
	"errors"

	"entire/agent/conversation"
	"entire/checkpoint/metadata"
	"entire/checkpoint/records"
	"entire/id"
)

// transcriptsRead bounds the conversations of a commit that are read to find its own prompts.
const transcriptsRead = 20

// promptsOf returns the prompts of a commit's checkpoints in full: those that its part of each session has.
func (t *Timeline) promptsOf(ctx context.Context, checkpoints []string) ([]string, error) {
	var ids []id.CheckpointID
	for _, text := range checkpoints {
		if cp, err := id.NewCheckpointID(text); err == nil {
			ids = append(ids, cp)
		}
	}
	if len(ids) == 0 {
		return nil, nil
	}
	reader := records.NewReader(t.env.Repo)
	stored, whole, err := reader.ReadManyWithPrompts(ctx, ids)
	read := 0
	var out []string
	for _, s := range stored {
		cp := s.Summary.CheckpointID
		for i, text := range whole[cp] { // a session each
			prompts := metadata.SplitPrompts(text)
			if len(prompts) > 1 && i < len(s.Sessions) && s.Sessions[i].Metadata.GetTranscriptStart() > 0 && read < transcriptsRead {
				read++
				own, other := partPrompts(ctx, reader, cp, i, prompts)
				prompts, err = own, errors.Join(err, other)
			}
			out = append(out, prompts...)
		}
	}
	return out, err
}

// partPrompts returns the prompts of the part of a session that a checkpoint records: a checkpoint has all that the
// session has said so far. A part without a prompt was made in the turn of the last one. If the part cannot be read,
// they are all.
func partPrompts(ctx context.Context, reader *records.Reader, cp id.CheckpointID, slot int, all []string) ([]string, error) {
	c, err := reader.Session(ctx, cp, slot)
	if c == nil || len(c.Transcript) == 0 {
		return all, err
	}
	own := conversation.PromptsFrom(c.Metadata.Agent, c.Transcript, c.Metadata.GetTranscriptStart())
	if len(own) == 0 {
		return all[len(all)-1:], err
	}
	return own, err
}
