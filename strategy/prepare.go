package strategy

import (
	"bytes"
	"context"
	"fmt"

	"entire/agent"
	"entire/checkpoint"
	"entire/id"
	"entire/internal/git"
	"entire/session"
)

// PrepareCommitMsg adds a checkpoint trailer to the message in file when the commit holds a
// session's work, and the trailers of the commits that this one replaces: amended, fixed up,
// squashed, or made again after a reset. Otherwise, and on every error, the message stays as it is.
// source is git's second argument.
func (s *ManualCommitStrategy) PrepareCommitMsg(ctx context.Context, file, source string) error {
	if s.Committing {
		return nil
	}
	return s.mending(ctx, func() error { return s.prepareCommitMsg(ctx, file, source) })
}

func (s *ManualCommitStrategy) prepareCommitMsg(ctx context.Context, file, source string) error {
	if err := s.resumeCommit(ctx); err != nil {
		s.Log.Error("the last commit is not settled", "err", err)
	}
	sums, err := s.here(ctx)
	if err != nil {
		return err
	}
	on, err := s.headNow(ctx)
	if err != nil {
		return err
	}
	msg, form, err := s.readMessage(ctx, file)
	if err != nil {
		return err
	}
	l := link{file: file, on: on, msg: msg, form: form, u: s.underway(ctx, source, msg)}
	s.readTrailers(&l)
	l.keep = checkpoint.MessageForeign(msg, form.CommentPrefix)
	if err := s.addTaken(ctx, &l); err != nil {
		return err
	}
	l.keeps = len(l.add) > 0
	if err := s.match(ctx, sums, &l); err != nil {
		return err
	}
	return s.write(ctx, l)
}

// readTrailers sorts the checkpoints that the message names already. One made for a commit that
// never came to be is reused for this commit, unless another git may be using it; those of existing
// commits are kept.
func (s *ManualCommitStrategy) readTrailers(l *link) {
	generated := map[id.CheckpointID]prepared{} // read after the message, which another git's hook may have changed
	for _, p := range s.everyChoice() {
		if !p.Again && p.Auto == nil {
			generated[p.Checkpoint] = p
		}
	}
	for _, cp := range checkpoint.MessageCheckpoints(l.msg, l.form.CommentPrefix) {
		switch p, known := generated[cp]; {
		case !known:
			l.add = append(l.add, cp) // in the body of a squashed message, where git finds no trailers
		case l.mint.IsZero() && (p.On == l.on || !p.Gone.IsZero()):
			l.mint = cp
		default:
			l.strange = true
		}
	}
}

// writeChoice stores the choice for the commit that is about to be made.
func (s *ManualCommitStrategy) writeChoice(ctx context.Context, p prepared) error {
	lock, err := s.commitLock(ctx)
	if err != nil {
		return err
	}
	defer lock.Release()
	return s.writePrepared(p)
}

// link is a commit's message and the checkpoints that it will name.
type link struct {
	file    string
	msg     []byte
	form    checkpoint.MessageOptions
	u       underway
	on      git.OID         // HEAD's commit
	mint    id.CheckpointID // named in the message already, for new work; zero for none
	strange bool            // the message names checkpoints of commits that others are making
	add     []id.CheckpointID
	keep    []string       // foreign checkpoints in another version's format, which are only kept
	keeps   bool           // add has the checkpoints of the commits that this one replaces
	chosen  []id.SessionID // sessions with work of their own in the commit

	all, own []git.Change // the staged changes, see [ManualCommitStrategy.staged]
	diff     *treeDiff
	asked    bool
}

// changes asks git once for the staged changes.
func (s *ManualCommitStrategy) changes(ctx context.Context, l *link) (err error) {
	if !l.asked {
		l.asked = true
		err = s.staged(ctx, l)
	}
	return err
}

// match finds the sessions whose work is staged. It does not ask git if no session has pending work
// and no reset undid a commit.
func (s *ManualCommitStrategy) match(ctx context.Context, sums []session.Summary, l *link) error {
	if l.u.alone {
		return nil // the commit holds no new work
	}
	var lost []undone
	var err error
	if l.u.redoes {
		if lost, err = s.lost(ctx); err != nil { // pending work is linked in any case
			s.Log.Error("what resets undid is not known", "err", err)
		}
	}
	if !anyPending(sums) && len(lost) == 0 {
		return nil
	}
	if err := s.changes(ctx, l); err != nil {
		return err
	}
	if l.chosen, err = s.choose(ctx, sums, l.own, l.u.strict(), lost); err != nil {
		return err
	}
	again, err := s.redone(ctx, lost, l.all, l.chosen)
	l.add = append(l.add, again...)
	return err
}

// write adds the trailers to the message, the new checkpoint's first. An amended commit keeps its
// checkpoint for new work, too. A checkpoint of a commit that a reset undid takes no new work,
// because other commits may hold it again.
func (s *ManualCommitStrategy) write(ctx context.Context, l link) error {
	isNew := len(l.chosen) > 0 && !(l.u.amend && l.keeps)
	if isNew && !s.agreed(ctx, l) {
		isNew, l.chosen = false, nil
	}
	if isNew {
		if err := s.addNew(ctx, &l); err != nil {
			return err
		}
	}
	if len(l.add) > 0 && (len(l.chosen) > 0 || !l.u.sequence) {
		p := prepared{Checkpoint: l.add[0], Sessions: l.chosen, Again: !isNew, On: l.on, Diff: l.diff, Plain: !l.form.Editor}
		if err := s.writeChoice(ctx, p); err != nil {
			return err
		}
	}
	out := l.msg
	if l.strange || len(l.add) == 0 && !l.mint.IsZero() {
		out = checkpoint.RemoveCheckpointTrailer(out)
	}
	for _, cp := range l.add {
		out = checkpoint.AddCheckpointTrailer(out, cp, l.form)
		l.form.Hint = nil
	}
	for _, foreign := range l.keep {
		out = checkpoint.AddForeignCheckpoint(out, foreign, l.form)
	}
	if bytes.Equal(out, l.msg) || !l.form.Editor && len(bytes.TrimSpace(l.msg)) == 0 {
		return nil // git gives up on an empty message, or another git is writing it
	}
	s.Log.Info("prepare-commit-msg: trailer added", "checkpoints", fmt.Sprint(l.add), "sessions", len(l.chosen))
	return replaceMessage(l.file, out)
}

// headNow returns HEAD's commit, zero on an unborn branch. It asks git only if git's files do not
// tell.
func (s *ManualCommitStrategy) headNow(ctx context.Context) (git.OID, error) {
	if oid, ok := s.repo.Head(); ok {
		return oid, nil
	}
	head, _, err := s.repo.Reader(ctx).CommitOf("HEAD")
	return head.OID, err
}

// addNew puts a new checkpoint before the others.
func (s *ManualCommitStrategy) addNew(ctx context.Context, l *link) (err error) {
	cp := l.mint
	if cp.IsZero() {
		if cp, err = id.Generate(); err != nil {
			return err
		}
	}
	l.add = append([]id.CheckpointID{cp}, l.add...)
	l.form.Hint, err = s.hintFor(ctx, *l)
	return err
}

// agreed asks the person who commits, if the settings say so and the message goes to no editor in
// which the person could remove the trailer.
func (s *ManualCommitStrategy) agreed(ctx context.Context, l link) bool {
	if s.CommitLinking != LinkPrompt || s.Confirm == nil || l.form.Editor || !s.HumanPresent() {
		return true
	}
	name, prompt := s.about(ctx, l.chosen[0])
	detail := ""
	if prompt != "" {
		detail = "Last Prompt: " + agent.ShortPrompt(prompt, 80)
	}
	return s.Confirm(ctx, "Link this commit to "+string(name)+" session context?", detail)
}

// about returns a session's agent and its newest prompt.
func (s *ManualCommitStrategy) about(ctx context.Context, sid id.SessionID) (agent.AgentType, string) {
	st, err := s.store.Load(ctx, sid)
	if err != nil {
		return agent.AgentTypeUnknown, ""
	}
	name := st.AgentType
	if name == "" {
		name = agent.AgentTypeUnknown
	}
	return name, s.lastPrompt(sid, st)
}

// hintFor returns the hint, nil unless the message goes to an editor and git then removes comments.
func (s *ManualCommitStrategy) hintFor(ctx context.Context, l link) ([]string, error) {
	if !l.form.Editor {
		return nil, nil
	}
	if keeps, err := s.keepsComments(ctx); err != nil || keeps {
		return nil, err
	}
	return s.hint(ctx, l.chosen[0]), nil
}

// hint returns the comment that explains the trailer to the person in the editor.
func (s *ManualCommitStrategy) hint(ctx context.Context, sid id.SessionID) []string {
	name, prompt := s.about(ctx, sid)
	lines := []string{"Remove the Entire-Checkpoint trailer above if you don't want to link this commit to " + string(name) + " session context."}
	if prompt != "" {
		lines = append(lines, "Last Prompt: "+agent.ShortPrompt(prompt, 80))
	}
	return append(lines, "The trailer will be added to your next commit based on this branch.")
}

// lastPrompt returns the newest known prompt of a session.
func (s *ManualCommitStrategy) lastPrompt(sid id.SessionID, st *session.State) string {
	var sd side
	if err := s.store.LoadSide(sid, sideName, &sd); err == nil {
		if t := sd.Capture.Talk; t != nil {
			if p := lastOf(agent.Typed(t.Prompts)); p != "" {
				return p
			}
		}
		if p := agent.CleanPrompt(sd.Prompt); p != "" {
			return p
		}
	}
	return agent.CleanPrompt(st.FirstPrompt)
}
