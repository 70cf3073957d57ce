package strategy

import (
	"context"

	"entire/agent"
	"entire/checkpoint"
	"entire/id"
	"entire/session"
)

// PrepareCommitMsg adds the checkpoint trailer to the message in file when a
// session's work is in what is being committed. Otherwise, and on every error,
// the message is untouched. source is git's second argument.
func (s *ManualCommitStrategy) PrepareCommitMsg(ctx context.Context, file, source string) error {
	if err := s.resumeCommit(ctx); err != nil {
		s.Log.Error("the last commit is not settled", "err", err)
	} else if err := s.forgetPrepared(); err != nil { // of a commit that was given up
		return err
	}
	if s.inSequence() || source == "merge" || source == "squash" {
		return nil
	}
	sums, err := s.here(ctx)
	if err != nil {
		return err
	}
	if source == "commit" {
		return s.restoreTrailer(ctx, file, sums)
	}
	if !anyPending(sums) {
		return nil
	}
	msg, form, linked, err := s.readMessage(ctx, file)
	if err != nil || linked {
		return err
	}
	staged, err := s.repo.Staged(ctx, s.repo.IndexFile)
	if err != nil {
		return err
	}
	chosen, err := s.choose(ctx, sums, codeChanges(staged))
	if err != nil || len(chosen) == 0 {
		return err
	}
	return s.addTrailer(ctx, file, msg, form, chosen)
}

func (s *ManualCommitStrategy) addTrailer(ctx context.Context, file string, msg []byte, form checkpoint.MessageOptions, chosen []id.SessionID) error {
	cp, err := id.Generate()
	if err != nil {
		return err
	}
	if form.Editor {
		if keeps, err := s.keepsComments(ctx); err != nil {
			return err
		} else if !keeps {
			form.Hint = s.hint(ctx, chosen[0])
		}
	}
	out := checkpoint.AddCheckpointTrailer(msg, cp, form)
	if err := s.writePrepared(prepared{cp, chosen}); err != nil {
		return err
	}
	if err := replaceMessage(file, out); err != nil {
		return err
	}
	s.Log.Info("prepare-commit-msg: trailer added", "checkpoint_id", cp.String(), "sessions", len(chosen))
	return nil
}

// hint tells the person in the editor what the trailer is.
func (s *ManualCommitStrategy) hint(ctx context.Context, sid id.SessionID) []string {
	name := agent.AgentTypeUnknown
	var lines []string
	if st, err := s.store.Load(ctx, sid); err == nil {
		if st.AgentType != "" {
			name = st.AgentType
		}
		if p := s.lastPrompt(sid, st); p != "" {
			lines = append(lines, "Last Prompt: "+agent.ShortPrompt(p, 80))
		}
	}
	lines = append([]string{"Remove the Entire-Checkpoint trailer above if you don't want to link this commit to " + string(name) + " session context."}, lines...)
	return append(lines, "The trailer will be added to your next commit based on this branch.")
}

// lastPrompt is the newest prompt known of a session.
func (s *ManualCommitStrategy) lastPrompt(sid id.SessionID, st *session.State) string {
	var sd side
	if err := s.store.LoadSide(sid, sideName, &sd); err == nil {
		if t := sd.Capture.Talk; t != nil && len(t.Prompts) > 0 {
			return lastOf(t.Prompts)
		}
		if p := agent.CleanPrompt(sd.Prompt); p != "" {
			return p
		}
	}
	return st.FirstPrompt
}
