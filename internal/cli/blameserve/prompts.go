package blameserve

import (
	"context"

	"entire/checkpoint/metadata"
	"entire/checkpoint/records"
	"entire/id"
	"entire/internal/cli/cliui"
	"entire/internal/cli/ownerlib"
)

// promptsNotice tells the first lines of prompts, by the numbers of owners.
type promptsNotice struct {
	Notice  string           `json:"notice"` // prompts
	Prompts map[int32]string `json:"prompts"`
}

// maxUncommitted bounds the owners of uncommitted lines whose prompts are looked for at once: each takes
// the reading of a conversation.
const maxUncommitted = 5

// findPrompts looks for the prompts of owners, and tells the editor those that are stored.
func (s *Server) findPrompts(wanted map[int32]promptOf) {
	s.jobs.add(&job{do: func(ctx context.Context) func() error {
		found := s.prompts(ctx, wanted)
		return func() error {
			for n, text := range found {
				s.owners.list[n].Prompt = text
			}
			if len(found) == 0 {
				return nil
			}
			return s.out.Encode(promptsNotice{"prompts", found})
		}
	}, fail: func(*failure) error { return nil }})
}

func (s *Server) prompts(ctx context.Context, wanted map[int32]promptOf) map[int32]string {
	var ids []id.CheckpointID
	for _, w := range wanted {
		if !w.checkpoint.IsZero() {
			ids = append(ids, w.checkpoint)
		}
	}
	stored, err := records.NewReader(s.place.Repo).Prompts(ctx, ids)
	if err != nil {
		s.place.Log.Warn("prompts not read", "err", err)
	}
	out := map[int32]string{}
	uncommitted := 0
	for n, w := range wanted {
		text := ""
		for _, slot := range stored[w.checkpoint] {
			if prompt, ok := keyedPrompt(metadata.SplitPrompts(slot), w.key); ok && w.key != "" {
				text = prompt
			}
		}
		if uncommitted < maxUncommitted && w.checkpoint.IsZero() {
			uncommitted++
			if v, err := ownerlib.WhyOf(ctx, s.place, w.path, "", w.line); err == nil && v.SessionID == w.session {
				text = v.Prompt
			}
		}
		if text != "" {
			out[n] = cliui.ShortLine(text, cliui.IntentRunes)
		}
	}
	return out
}
