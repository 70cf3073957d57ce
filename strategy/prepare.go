package strategy

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"entire/agent"
	"entire/checkpoint"
	"entire/id"
	"entire/internal/durable"
	"entire/internal/git"
	"entire/session"
)

// evidenceBytes bounds how much of a transcript's end is read, unredacted and
// in memory only, to see what an agent is doing at this moment.
const evidenceBytes = 8 << 20

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
	msg, err := os.ReadFile(file)
	if err != nil {
		return fmt.Errorf("read commit message: %w", err)
	}
	if len(checkpoint.ParseCheckpointTrailers(string(msg))) > 0 {
		return nil
	}
	staged, err := s.repo.Staged(ctx, s.repo.IndexFile)
	if err != nil {
		return err
	}
	chosen, err := s.choose(ctx, sums, codeChanges(staged))
	if err != nil || len(chosen) == 0 {
		return err
	}
	return s.addTrailer(ctx, file, source, msg, chosen)
}

func (s *ManualCommitStrategy) addTrailer(ctx context.Context, file, source string, msg []byte, chosen []id.SessionID) error {
	cp, err := id.Generate()
	if err != nil {
		return err
	}
	opts := checkpoint.MessageOptions{Editor: source == "" || source == "template"}
	if opts.Editor {
		conf, err := s.repo.Config(ctx, "core.commentchar")
		if err != nil {
			return err
		}
		opts.CommentPrefix = checkpoint.CommentPrefix(msg, conf["core.commentchar"])
		opts.Hint = s.hint(ctx, chosen[0])
	}
	out := checkpoint.AddCheckpointTrailer(msg, cp, opts)
	if err := s.writePrepared(prepared{cp, chosen}); err != nil {
		return err
	}
	if err := replaceMessage(file, out); err != nil {
		return err
	}
	s.Log.Info("prepare-commit-msg: trailer added", "checkpoint_id", cp.String(), "sessions", len(chosen), "source", source)
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
		if st.FirstPrompt != "" {
			lines = append(lines, "Last Prompt: "+agent.ShortPrompt(st.FirstPrompt, 80))
		}
	}
	lines = append([]string{"Remove the Entire-Checkpoint trailer above if you don't want to link this commit to " + string(name) + " session context."}, lines...)
	return append(lines, "The trailer will be added to your next commit based on this branch.")
}

// replaceMessage swaps the message file whole, so that a hook killed half-way
// leaves git the message it had.
func replaceMessage(file string, msg []byte) error {
	perm := fs.FileMode(0o644)
	if fi, err := os.Stat(file); err == nil {
		perm = fi.Mode().Perm()
	}
	return durable.WriteCache(file, msg, perm)
}

// restoreTrailer gives an amended commit back the link it had.
func (s *ManualCommitStrategy) restoreTrailer(ctx context.Context, file string, sums []session.Summary) error {
	msg, err := os.ReadFile(file)
	if err != nil {
		return fmt.Errorf("read commit message: %w", err)
	}
	if len(checkpoint.ParseCheckpointTrailers(string(msg))) > 0 {
		return nil
	}
	head, born, err := s.repo.Reader(ctx).CommitOf("HEAD")
	if err != nil || !born {
		return err
	}
	for _, sum := range sums {
		cp := sum.LastCheckpointID
		if cp.IsZero() || sum.BaseCommit != head.OID.String() {
			continue
		}
		return replaceMessage(file, checkpoint.AddCheckpointTrailer(msg, cp, checkpoint.MessageOptions{}))
	}
	return nil
}

// CommitMsg takes our trailer away from a message that has nothing else, so
// that git still gives up on an empty message.
func (s *ManualCommitStrategy) CommitMsg(ctx context.Context, file string) error {
	msg, err := os.ReadFile(file)
	if err != nil {
		return fmt.Errorf("read commit message: %w", err)
	}
	if len(checkpoint.ParseCheckpointTrailers(string(msg))) == 0 {
		return nil
	}
	conf, err := s.repo.Config(ctx, "core.commentchar")
	if err != nil {
		return err
	}
	if !checkpoint.IsOtherwiseEmpty(msg, checkpoint.CommentPrefix(msg, conf["core.commentchar"])) {
		return nil
	}
	return replaceMessage(file, checkpoint.RemoveCheckpointTrailer(msg))
}

// inSequence reports a rebase, cherry-pick or revert under way: its commits
// bring their messages along.
func (s *ManualCommitStrategy) inSequence() bool {
	for _, name := range []string{"rebase-merge", "rebase-apply", "CHERRY_PICK_HEAD", "REVERT_HEAD"} {
		if _, err := os.Lstat(filepath.Join(s.repo.GitDir, name)); err == nil {
			return true
		}
	}
	return false
}

// here lists the sessions of this worktree.
func (s *ManualCommitStrategy) here(ctx context.Context) ([]session.Summary, error) {
	all, err := s.store.Summaries(ctx)
	if err != nil {
		return nil, err
	}
	var out []session.Summary
	for _, sum := range all {
		if s.mine(sum.WorktreePath, sum.WorktreeID) {
			out = append(out, sum)
		}
	}
	return out, nil
}

func pending(sum session.Summary) bool {
	return sum.FilesTouched > 0 || sum.Phase == session.PhaseActive
}

func anyPending(sums []session.Summary) bool {
	for _, sum := range sums {
		if pending(sum) {
			return true
		}
	}
	return false
}

// choose finds the sessions whose work is among the changes of a commit.
func (s *ManualCommitStrategy) choose(ctx context.Context, sums []session.Summary, changes []git.Change) ([]id.SessionID, error) {
	if len(changes) == 0 {
		return nil, nil
	}
	inCommit := map[string]bool{}
	for _, c := range changes {
		inCommit[c.Path] = true
	}
	var works []work
	for _, sum := range sums {
		if sum.Phase != session.PhaseActive && !sum.Touches(func(p string) bool { return inCommit[textPath(p)] }) {
			continue
		}
		w, err := s.workOf(ctx, sum.ID)
		if errors.Is(err, session.ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		works = append(works, w)
	}
	var chosen []id.SessionID
	for _, name := range chooseSessions(changes, works, s.HumanPresent(), relatedBy(s.repo.Reader(ctx).Blob)) {
		sid, err := id.ParseSessionID(name)
		if err != nil {
			return nil, err
		}
		chosen = append(chosen, sid)
	}
	return chosen, nil
}

// workOf reads what one session has in its hands.
func (s *ManualCommitStrategy) workOf(ctx context.Context, sid id.SessionID) (work, error) {
	o := &open{id: sid}
	if err := s.readSession(ctx, o); err != nil {
		return work{}, err
	}
	if o.isNew {
		return work{}, session.ErrNotFound
	}
	w := work{session: sid.String(), left: map[string]fileState{}}
	if t := o.state.LastInteractionTime; t != nil {
		w.lastSeen = t.UnixNano()
	}
	if len(o.state.FilesTouched) > 0 {
		base, _ := parseOptional([]byte(o.state.BaseCommit))
		files, err := s.stepFiles(ctx, base, git.OID{})
		if err != nil {
			return work{}, err
		}
		for _, p := range textPaths(o.state.FilesTouched) {
			if f, ok := files.find(p); ok {
				w.left[p] = f
			}
		}
	}
	if o.state.Phase == session.PhaseActive && o.side.Turn.Seen {
		w.active = true
		if err := s.addUnrecorded(ctx, o, &w); err != nil {
			return work{}, err
		}
		var err error
		if w.began, err = s.stepFiles(ctx, o.side.Turn.Head, o.side.Turn.Step); err != nil {
			return work{}, err
		}
		s.witness(o, &w)
	}
	return w, nil
}

// addUnrecorded finds steps of the session above the last one its state knows:
// a hook that was killed had made them.
func (s *ManualCommitStrategy) addUnrecorded(ctx context.Context, o *open, w *work) error {
	rd := s.repo.Reader(ctx)
	c, ok, err := rd.CommitOf(s.shadowRef(baseOf(o)))
	if err != nil || !ok {
		return err
	}
	for n := 0; n < ancestorsMax && c.OID != o.side.Tip && c.OID != o.side.Turn.Step; n++ {
		st := step{c, checkpoint.ParseStep(c.Message)}
		if st.info.Session == o.id && listed(st) {
			changes, err := s.stepChanges(ctx, st)
			if err != nil {
				return err
			}
			for _, ch := range changes {
				if _, known := w.left[ch.Path]; !known {
					w.left[ch.Path] = fileState{ch.Path, ch.NewMode, ch.New}
				}
			}
		}
		if len(c.Parents) == 0 {
			break
		}
		if c, err = rd.Commit(c.Parents[0]); err != nil {
			return err
		}
	}
	return nil
}

// stepFiles is what differs between a commit and a step on top of it (zero: the
// tip of the commit's shadow branch), from the cache when that is what it holds.
func (s *ManualCommitStrategy) stepFiles(ctx context.Context, head, step git.OID) (fileStates, error) {
	c, ref := s.loadCache(), s.shadowRef(head)
	if c.head == head && c.ref == ref && !c.tip.IsZero() && (step.IsZero() || step == c.tip) {
		return c.files, nil
	}
	spec := step.String()
	if step.IsZero() {
		spec = ref
	}
	tip, ok, err := s.repo.Reader(ctx).CommitOf(spec)
	if err != nil || !ok {
		return nil, err
	}
	base, err := s.headTree(ctx, head)
	if errors.Is(err, git.ErrMissing) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return s.treeFiles(ctx, base, tip.Tree)
}

// treeFiles is the difference between two trees, our own folder left out.
func (s *ManualCommitStrategy) treeFiles(ctx context.Context, base, tree git.OID) (fileStates, error) {
	changes, err := s.repo.DiffTrees(ctx, base, tree)
	if err != nil {
		return nil, err
	}
	var files []fileState
	for _, c := range codeChanges(changes) {
		files = append(files, fileState{path: c.Path, mode: c.NewMode, oid: c.New})
	}
	return sortStates(files), nil
}

// witness reads the newest part of the transcript for what the agent is doing.
// Nothing of it is kept.
func (s *ManualCommitStrategy) witness(o *open, w *work) {
	f, err := os.Open(o.state.TranscriptPath)
	if err != nil {
		return
	}
	defer f.Close()
	fi, err := f.Stat()
	if err != nil {
		return
	}
	from := o.side.Capture.Offset
	if from > fi.Size() {
		from = 0
	}
	from = max(from, fi.Size()-evidenceBytes)
	if _, err := f.Seek(from, io.SeekStart); err != nil {
		return
	}
	talk := agent.NewConversation(o.state.AgentType)
	if _, err := agent.Lines(bufio.NewReaderSize(f, 256<<10), func(line []byte) error { talk.AddLine(line); return nil }); err != nil {
		return
	}
	w.edited = map[string]bool{}
	for _, e := range talk.Edits {
		if rel, ok := s.relative(e.Path); ok {
			w.edited[rel] = true
		}
	}
	for _, c := range talk.OpenCalls {
		w.shell = w.shell || c.Command != ""
	}
	w.evidence = len(talk.Edits) > 0 || len(talk.OpenCalls) > 0
}
