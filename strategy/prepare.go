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

// PrepareCommitMsg adds a checkpoint trailer to the message in file when a
// session's work is in what is being committed, and those of the commits whose
// place this one takes: amended, fixed up, squashed, or made again after a
// reset. Otherwise, and on every error, the message is untouched. source is
// git's second argument.
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

// readTrailers tells the checkpoints that the message has already from those that were
// made up for commits which were not made: of these one is taken for this commit. One
// that another git may be making a commit with is not for this.
func (s *ManualCommitStrategy) readTrailers(l *link) {
	made := map[id.CheckpointID]prepared{} // read after the message, which another git's hook may have changed
	for _, p := range s.everyChoice() {
		if !p.Again && p.Auto == nil {
			made[p.Checkpoint] = p
		}
	}
	for _, cp := range checkpoint.MessageCheckpoints(l.msg, l.form.CommentPrefix) {
		switch p, up := made[cp]; {
		case !up:
			l.add = append(l.add, cp) // in the body of a squashed message, git does not see them
		case l.mint.IsZero() && (p.On == l.on || !p.Gone.IsZero()):
			l.mint = cp
		default:
			l.strange = true
		}
	}
}

// writeChoice writes down what was chosen for the commit that is about to be made.
func (s *ManualCommitStrategy) writeChoice(ctx context.Context, p prepared) error {
	lock, err := s.commitLock(ctx)
	if err != nil {
		return err
	}
	defer lock.Release()
	return s.writePrepared(p)
}

// link is a commit's message and the checkpoints it is to name.
type link struct {
	file    string
	msg     []byte
	form    checkpoint.MessageOptions
	u       underway
	on      git.OID         // HEAD
	mint    id.CheckpointID // named already, for new work; zero for none
	strange bool            // the message names checkpoints of commits that others are making
	add     []id.CheckpointID
	keep    []string       // and those of another version, which are nothing but kept
	keeps   bool           // add has those of the commits whose place it takes
	chosen  []id.SessionID // those with work of their own in the commit

	all, own []git.Change // what is staged, see [ManualCommitStrategy.staged]
	diff     *treeDiff
	asked    bool
}

// changes asks git once what is staged.
func (s *ManualCommitStrategy) changes(ctx context.Context, l *link) (err error) {
	if !l.asked {
		l.asked = true
		err = s.staged(ctx, l)
	}
	return err
}

// match finds whose work is in what is staged. Where nothing is pending and
// nothing was undone, git is not asked.
func (s *ManualCommitStrategy) match(ctx context.Context, sums []session.Summary, l *link) error {
	if l.u.alone {
		return nil // it holds nothing that anybody wrote for it
	}
	var lost []undone
	var err error
	if l.u.redoes {
		if lost, err = s.lost(ctx); err != nil { // what is pending is linked all the same
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

// write gives the message its trailers: the new checkpoint's first. An amended
// commit keeps its checkpoint for its new work too; that of an undone commit, which
// others may hold again, does not take any.
func (s *ManualCommitStrategy) write(ctx context.Context, l link) error {
	fresh := len(l.chosen) > 0 && !(l.u.amend && l.keeps)
	if fresh && !s.agreed(ctx, l) {
		fresh, l.chosen = false, nil
	}
	if fresh {
		if err := s.addNew(ctx, &l); err != nil {
			return err
		}
	}
	if len(l.add) > 0 && (len(l.chosen) > 0 || !l.u.sequence) {
		p := prepared{Checkpoint: l.add[0], Sessions: l.chosen, Again: !fresh, On: l.on, Diff: l.diff, Plain: !l.form.Editor}
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
		return nil // git gives up on an empty one, or another git is just writing it
	}
	s.Log.Info("prepare-commit-msg: trailer added", "checkpoints", fmt.Sprint(l.add), "sessions", len(l.chosen))
	return replaceMessage(l.file, out)
}

// headNow is HEAD's commit, zero on an unborn branch; git is asked only where
// its files do not tell.
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

// agreed asks the person who commits, where the settings say so and the message
// goes to no editor in which to say no.
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

// about is a session's agent and its newest prompt.
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

// hintFor is the hint where the editor's comments will be removed.
func (s *ManualCommitStrategy) hintFor(ctx context.Context, l link) ([]string, error) {
	if !l.form.Editor {
		return nil, nil
	}
	if keeps, err := s.keepsComments(ctx); err != nil || keeps {
		return nil, err
	}
	return s.hint(ctx, l.chosen[0]), nil
}

// hint tells the person in the editor what the trailer is.
func (s *ManualCommitStrategy) hint(ctx context.Context, sid id.SessionID) []string {
	name, prompt := s.about(ctx, sid)
	lines := []string{"Remove the Entire-Checkpoint trailer above if you don't want to link this commit to " + string(name) + " session context."}
	if prompt != "" {
		lines = append(lines, "Last Prompt: "+agent.ShortPrompt(prompt, 80))
	}
	return append(lines, "The trailer will be added to your next commit based on this branch.")
}

// lastPrompt is the newest prompt known of a session.
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
