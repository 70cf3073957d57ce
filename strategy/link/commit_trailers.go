package link

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"entire/agent"
	"entire/checkpoint/records"
	"entire/checkpoint/trailer"
	"entire/id"
	"entire/internal/durable"
	"entire/internal/git"
	"entire/session"
	"entire/strategy/evidence"
	"entire/strategy/githead"
	"entire/strategy/ownership"
	"entire/strategy/sessionstate"
	"entire/strategy/step"
	"entire/strategy/transcript"
)

// PrepareCommitMsg chooses the sessions of the commit that git is about to make, stores the choice, and
// only then writes the trailers into the message in file. source is git's second argument.
func PrepareCommitMsg(ctx context.Context, s *sessionstate.Env, file, source string) error {
	if err := FinishPending(ctx, s); err != nil {
		s.Log.Error("the last commit is not settled", "err", err)
	}
	sums, err := step.WorktreeSessions(ctx, s)
	if err != nil {
		return err
	}
	on, err := evidence.HeadCommit(ctx, s)
	if err != nil {
		return err
	}
	recordLateOf(ctx, s, sums) // the commit will read the transcripts, and what is read has no time
	if recordUnhookedBefore(ctx, s, sums, on) {
		if sums, err = step.WorktreeSessions(ctx, s); err != nil {
			return err
		}
	}
	if s.MessageBoxAbove != nil && s.MessageBoxAbove() {
		return nil // a person would write on behind our trailer; post-commit links
	}
	msg, form, err := githead.ReadMessage(ctx, s, file)
	if err != nil {
		return err
	}
	if _, err := TakeTemplate(s); err != nil {
		return err // of an earlier commit
	}
	l := githead.MessageEdit{Template: source == "template", File: file, Head: on, Msg: msg, Options: form, Underway: githead.OperationInGit(ctx, s, source, msg)}
	readTrailers(s, &l)
	l.Foreign = trailer.MessageForeign(msg, form.CommentPrefix)
	if err := evidence.AddReplaced(ctx, s, &l); err != nil {
		return err
	}
	if l.Underway.Amend {
		if l.KeepsReplaced, err = takesNewWork(ctx, s, l.Checkpoints); err != nil {
			return err
		}
	}
	if err := matchSessions(ctx, s, sums, &l); err != nil {
		return err
	}
	return writeTrailers(ctx, s, l)
}

// takesNewWork finds the checkpoint of an amended commit that gets the new work of the commit that replaces it, and
// puts it before the others. There is none, and a new one is made beside them, if they were made for other
// commits, which HEAD is a copy of (a cherry-pick, a rebase): they say who owns the lines of those. The ref of
// a checkpoint that is not here may exist elsewhere, and only goes forward there.
func takesNewWork(ctx context.Context, s *sessionstate.Env, cps []id.CheckpointID) (bool, error) {
	head, ok, err := s.Repo.Reader(ctx).CommitOf("HEAD")
	if err != nil || !ok {
		return false, err
	}
	if found := putDescribingFirst(ctx, s, cps, head); !found || !cps[0].IsULID() {
		return found, nil
	}
	here, err := records.NewReader(s.Repo).Exists(ctx, cps[:1])
	return here[cps[0]], err
}

// putDescribingFirst puts the first checkpoint that may be of the commit, or of one that it replaces, before the
// others, and reports whether there is one.
func putDescribingFirst(ctx context.Context, s *sessionstate.Env, cps []id.CheckpointID, c git.Commit) bool {
	i := slices.IndexFunc(cps, func(cp id.CheckpointID) bool { return ownership.MayDescribe(ctx, s, cp, c) })
	if i > 0 {
		cp := cps[i]
		copy(cps[1:i+1], cps[:i])
		cps[0] = cp
	}
	return i >= 0
}

// readTrailers sorts the checkpoints that the message names already. One made for a commit that
// never came to be is reused for this commit, unless another git may be using it; those of existing
// commits are kept.
func readTrailers(s *sessionstate.Env, l *githead.MessageEdit) {
	generated := map[id.CheckpointID]githead.LinkChoice{} // read after the message, which another git's hook may have changed
	for _, p := range githead.AllChoices(s) {
		if !p.Reuses && p.Auto == nil {
			generated[p.Checkpoint] = p
		}
	}
	for _, cp := range trailer.MessageCheckpoints(l.Msg, l.Options.CommentPrefix) {
		switch p, known := generated[cp]; {
		case !known:
			l.Checkpoints = append(l.Checkpoints, cp) // in the body of a squashed message, where git finds no trailers
		case l.NewCheckpoint.IsZero() && (p.Head == l.Head || !p.AbandonedAt.IsZero()):
			l.NewCheckpoint = cp
		default:
			l.NamesOthers = true
		}
	}
}

// writeChoice stores the choice for the commit that is about to be made. If another git has moved HEAD
// since the choice was made, git will refuse the commit, and nothing waits for it: only a note is kept,
// since a third git may find the message.
func writeChoice(ctx context.Context, s *sessionstate.Env, p githead.LinkChoice) error {
	lock, err := githead.CommitLock(ctx, s)
	if err != nil {
		return err
	}
	defer lock.Release()
	head, err := evidence.HeadCommit(ctx, s)
	if err != nil || head == p.Head || p.Head.IsZero() {
		return errors.Join(err, githead.AddChoice(s, p))
	}
	waits := slices.ContainsFunc(githead.WaitingChoices(s), func(o githead.LinkChoice) bool { return o.Checkpoint == p.Checkpoint })
	if waits {
		return nil // the choice of the git that made HEAD, with the same message
	}
	return githead.AbandonChoice(s, p)
}

// matchSessions finds the sessions whose work is staged: those of this worktree or, if there are none,
// those of other worktrees. It does not ask git if no session has pending work and no reset undid a
// commit.
func matchSessions(ctx context.Context, s *sessionstate.Env, sums []session.Summary, l *githead.MessageEdit) error {
	if l.Underway.WithoutHook {
		return nil // the commit holds no new work
	}
	var lost []transcript.UndoneCommit
	if l.Underway.MayRedo {
		var err error
		if lost, err = evidence.UndoneCommits(ctx, s); err != nil { // pending work is linked in any case
			s.Log.Error("what resets undid is not known", "err", err)
		}
	}
	elsewhere, err := evidence.SessionsElsewhere(ctx, s)
	if err != nil {
		return err
	}
	if !evidence.AnyPendingWork(sums) && len(lost) == 0 && len(elsewhere) == 0 {
		return nil
	}
	if err := githead.ReadStaged(ctx, s, l); err != nil {
		return err
	}
	if l.Chosen, err = evidence.SessionsInCommit(ctx, s, sums, l.Own, l.Underway.MatchMode(), lost); err != nil {
		return err
	}
	if len(l.Chosen) == 0 && l.Underway.MatchMode() == githead.MatchAny {
		if l.Chosen, err = evidence.ChooseElsewhere(ctx, s, elsewhere, l.Own); err != nil {
			return err
		}
	}
	again, err := evidence.RedoneCheckpoints(ctx, s, lost, l.All, l.Chosen)
	l.Checkpoints = append(l.Checkpoints, again...)
	return err
}

// writeTrailers adds the trailers to the message, the new checkpoint's first. An amended commit keeps its
// checkpoint for new work, too. A checkpoint of a commit that a reset undid takes no new work,
// because other commits may hold it again.
func writeTrailers(ctx context.Context, s *sessionstate.Env, l githead.MessageEdit) error {
	isNew := len(l.Chosen) > 0 && !l.KeepsReplaced
	if isNew && !confirmLink(ctx, s, l) {
		isNew, l.Chosen = false, nil
	}
	if isNew {
		if err := addNewCheckpoint(ctx, s, &l); err != nil {
			return err
		}
	}
	if len(l.Checkpoints) > 0 && (len(l.Chosen) > 0 || !l.Underway.Sequence) {
		p := githead.LinkChoice{Checkpoint: l.Checkpoints[0], Sessions: l.Chosen, Reuses: !isNew, Head: l.Head, Diff: l.Diff, NoEditor: !l.Options.Editor}
		if err := writeChoice(ctx, s, p); err != nil {
			return err
		}
	}
	out := l.Msg
	if l.NamesOthers || len(l.Checkpoints) == 0 && !l.NewCheckpoint.IsZero() {
		out = trailer.RemoveCheckpointTrailer(out)
	}
	for _, c := range credits(ctx, s, l) {
		out = trailer.AddCredit(out, c, trailer.MessageOptions{CommentPrefix: l.Options.CommentPrefix, Editor: l.Options.Editor})
	}
	for _, cp := range l.Checkpoints {
		out = trailer.AddCheckpointTrailer(out, cp, l.Options)
		l.Options.Hint = nil
	}
	for _, foreign := range l.Foreign {
		out = trailer.AddForeignCheckpoint(out, foreign, l.Options)
	}
	if bytes.Equal(out, l.Msg) || !l.Options.Editor && len(bytes.TrimSpace(l.Msg)) == 0 {
		return nil // git gives up on an empty message, or another git is writing it
	}
	s.Log.Info("prepare-commit-msg: trailer added", "checkpoints", fmt.Sprint(l.Checkpoints), "sessions", len(l.Chosen))
	if l.Template && len(l.Msg) <= templateMax && trailer.MessageText(l.Msg, l.Options.CommentPrefix) != "" {
		if err := durable.WriteCache(templatePath(s), l.Msg, 0o600); err != nil {
			return err
		}
	}
	return githead.ReplaceMessage(l.File, out)
}

// templatePath is the file with a template that got our trailer: git refuses a template that the person did not
// edit, and must find it as it was. The script of commit-msg looks for it.
func templatePath(s *sessionstate.Env) string { return filepath.Join(s.LocalDir(), "template") }

// templateMax bounds a template, in bytes. A longer one is taken for edited.
const templateMax = 1 << 20

// TakeTemplate returns that template, nil for none, and removes it.
func TakeTemplate(s *sessionstate.Env) ([]byte, error) {
	text, err := durable.ReadPlain(templatePath(s), templateMax)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return text, errors.Join(err, os.Remove(templatePath(s)))
}

// addNewCheckpoint puts a new checkpoint before the others.
func addNewCheckpoint(ctx context.Context, s *sessionstate.Env, l *githead.MessageEdit) (err error) {
	cp := l.NewCheckpoint
	if cp.IsZero() {
		if cp, err = s.NewCheckpointID(); err != nil {
			return err
		}
	}
	l.Checkpoints = append([]id.CheckpointID{cp}, l.Checkpoints...)
	l.Options.Hint = hintFor(ctx, s, *l)
	return nil
}

// confirmLink asks the person who commits, if the settings say so and the message goes to no editor in
// which the person could remove the trailer.
func confirmLink(ctx context.Context, s *sessionstate.Env, l githead.MessageEdit) bool {
	if s.CommitLinking != sessionstate.LinkPrompt || s.Confirm == nil || l.Options.Editor || !s.HumanPresent() {
		return true
	}
	name, prompt := agentAndPrompt(ctx, s, l.Chosen[0])
	detail := ""
	if prompt != "" {
		detail = "Last Prompt: " + agent.ShortPrompt(prompt, 80)
	}
	return s.Confirm(ctx, "Link this commit to "+string(name)+" session context?", detail)
}

// agentAndPrompt returns a session's agent and its newest prompt.
func agentAndPrompt(ctx context.Context, s *sessionstate.Env, sid id.SessionID) (agent.AgentType, string) {
	st, err := s.Store.Load(ctx, sid)
	if err != nil {
		return agent.AgentTypeUnknown, ""
	}
	name := st.AgentType
	if name == "" {
		name = agent.AgentTypeUnknown
	}
	return name, lastPrompt(s, sid, st)
}

// hintFor returns the hint, nil unless the message goes to an editor and git then removes comments.
func hintFor(ctx context.Context, s *sessionstate.Env, l githead.MessageEdit) []string {
	if !l.Options.Editor || l.Options.KeepsComments {
		return nil
	}
	return hint(ctx, s, l.Chosen[0])
}

// hint returns the comment that explains the trailer to the person in the editor.
func hint(ctx context.Context, s *sessionstate.Env, sid id.SessionID) []string {
	name, prompt := agentAndPrompt(ctx, s, sid)
	lines := []string{"Remove the Entire-Checkpoint trailer above if you don't want to link this commit to " + string(name) + " session context."}
	if prompt != "" && !s.Sealing() { // git keeps what the editor showed
		lines = append(lines, "Last Prompt: "+agent.ShortPrompt(prompt, 80))
	}
	return append(lines, "The trailer will be added to your next commit based on this branch.")
}

// lastPrompt returns the newest known prompt of a session.
func lastPrompt(s *sessionstate.Env, sid id.SessionID, st *session.State) string {
	var sd sessionstate.EngineState
	if err := s.Store.LoadSide(sid, sessionstate.EngineStateName, &sd); err == nil {
		if t := sd.Capture.Conversation; t != nil {
			if p := sessionstate.LastString(agent.TypedPrompts(t.Prompts)); p != "" {
				return p
			}
		}
		if p := agent.CleanPrompt(sd.Prompt); p != "" {
			return p
		}
	}
	return agent.CleanPrompt(st.FirstPrompt)
}
