package strategy

import (
	"bufio"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"slices"

	"entire/agent"
	"entire/checkpoint"
	"entire/id"
	"entire/internal/durable"
	"entire/internal/effects"
	"entire/internal/git"
	"entire/session"
)

// evidenceBytes bounds how much of a transcript's end is read, unredacted and in memory only, to
// see what an agent is doing now.
const evidenceBytes = 8 << 20

// here returns the sessions of this worktree.
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

// pending reports whether a session has uncommitted files or is in the middle of a turn.
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

// choose returns the sessions whose work is in the changes of a commit. lost are linked commits
// that a reset has undone.
func (s *ManualCommitStrategy) choose(ctx context.Context, sums []session.Summary, changes []git.Change, strict strictness, lost []undone) ([]id.SessionID, error) {
	if len(changes) == 0 {
		return nil, nil
	}
	inCommit, newFile := map[string]bool{}, false
	for _, c := range changes {
		inCommit[c.Path] = true
		newFile = newFile || c.OldMode == 0 // a session's file may have been renamed to this name
	}
	var works []work
	for _, sum := range sums {
		if sum.Phase != session.PhaseActive && !sum.Touches(func(p string) bool { return inCommit[textPath(p)] || newFile && s.isGone(textPath(p)) }) {
			continue
		}
		w, err := s.workOf(ctx, sum.ID)
		if errors.Is(err, session.ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		w.strict, w.undone = strict, lost
		if err := s.addBegan(ctx, &w, changes); err != nil {
			return nil, err
		}
		works = append(works, w)
	}
	var chosen []id.SessionID
	for _, name := range chooseSessions(changes, works, s.committer(), s.evidence(ctx)) {
		sid, err := id.ParseSessionID(name)
		if err != nil {
			return nil, err
		}
		chosen = append(chosen, sid)
	}
	return chosen, nil
}

// workOf reads the work of one session; session.ErrNotFound if it has no state.
func (s *ManualCommitStrategy) workOf(ctx context.Context, sid id.SessionID) (work, error) {
	o := &open{id: sid}
	if err := s.readSession(ctx, o); err != nil {
		return work{}, err
	}
	if o.isNew {
		return work{}, session.ErrNotFound
	}
	w := workBy(o)
	w.touched, w.left = map[string]bool{}, map[string]fileState{}
	if len(o.state.FilesTouched) > 0 {
		base, _ := parseOptional([]byte(o.state.BaseCommit))
		files, err := s.stepFiles(ctx, base, git.OID{})
		if err != nil {
			return work{}, err
		}
		for _, p := range textPaths(o.state.FilesTouched) {
			w.touched[p] = true
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
		if !o.side.Turn.Step.IsZero() { // without a step, the worktree was as in HEAD
			var err error
			if w.began, err = s.stepFiles(ctx, o.side.Turn.Head, o.side.Turn.Step); err != nil {
				return work{}, err
			}
		}
		w.beganOn = o.side.Turn.Head
		if began := o.side.Turn.Began; !began.IsZero() {
			w.beganOn = began
		}
		s.witness(o, &w)
	}
	return w, nil
}

// workBy returns a session's work with only its ID, base and last interaction.
func workBy(o *open) work {
	w := work{session: o.id.String(), base: baseOf(o)}
	if t := o.state.LastInteractionTime; t != nil {
		w.lastSeen = t.UnixNano()
	}
	return w
}

// addBegan adds the versions that some paths had when the turn began, if HEAD has moved since.
func (s *ManualCommitStrategy) addBegan(ctx context.Context, w *work, changes []git.Change) error {
	if !w.active || w.beganOn.IsZero() {
		return nil
	}
	head, err := s.headNow(ctx)
	if err != nil || head == w.beganOn {
		return err
	}
	tree, err := s.headTree(ctx, w.beganOn)
	if errors.Is(err, git.ErrMissing) {
		return nil
	}
	if err != nil {
		return err
	}
	began := slices.Clone(w.began)
	for _, c := range changes {
		if _, known := w.began.find(c.Path); known {
			continue
		}
		e, found, err := s.repo.Reader(ctx).Path(tree, c.Path)
		if err != nil {
			return err
		}
		f := fileState{path: c.Path}
		if found {
			f.mode, f.oid = e.Mode, e.OID
		}
		began = append(began, f)
	}
	w.began = sortStates(began)
	return nil
}

// addUnrecorded adds steps of the session above the last one that its state names: a hook that
// was killed has written them.
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
					w.touched[ch.Path], w.left[ch.Path] = true, fileState{ch.Path, ch.NewMode, ch.New}
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

// stepFiles returns what differs between a commit and a step on top of it; a zero step is the tip
// of the commit's shadow branch. It uses the cache if that holds the step.
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
	// Steps that followed HEAD were made on another commit, whose own changes are no session's work.
	if base := checkpoint.ParseStep(tip.Message).Base; !base.IsZero() {
		head = base
	}
	return s.above(ctx, head, tip.Tree)
}

// treeFiles returns the difference between two trees, without our own folder.
func (s *ManualCommitStrategy) treeFiles(ctx context.Context, base, tree git.OID) (fileStates, error) {
	changes, err := s.codeDiff(ctx, base, tree)
	if err != nil {
		return nil, err
	}
	var files []fileState
	for _, c := range changes {
		files = append(files, fileState{path: c.Path, mode: c.NewMode, oid: c.New})
	}
	return sortStates(files), nil
}

// witness reads the newest part of the live transcript as evidence of what the agent is doing.
// Nothing of it is stored.
func (s *ManualCommitStrategy) witness(o *open, w *work) {
	w.edited, w.reach.top = map[string]bool{}, s.repo.Top
	defer s.witnessSubagents(o, w)
	if t := o.side.Capture.Talk; t != nil { // the part that an earlier commit in this turn has read
		w.edited = setOf(s.ownEdits(o))
		w.evidence = len(w.edited) > 0
		w.hears(t, o.side.Turn.talk())
	}
	f, err := durable.Open(o.state.TranscriptPath)
	if err != nil {
		w.heard = errors.Is(err, fs.ErrNotExist) && tellsAll(o.state.AgentType) // the agent has not written anything yet
		return
	}
	defer f.Close()
	fi, err := f.Stat()
	if err != nil {
		return
	}
	var conversation *agent.Conversation
	var since agent.Mark
	if o.state.AgentType == agent.AgentTypeGemini && startsDocument(f) {
		conversation, since = witnessDocument(f), o.side.Turn.talk()
	} else if conversation = s.witnessLines(o, f, fi.Size()); conversation == nil {
		return
	}
	s.hear(w, conversation, since)
	w.heard = tellsAll(o.state.AgentType)
}

// hear adds the evidence of a conversation after a mark.
func (s *ManualCommitStrategy) hear(w *work, conversation *agent.Conversation, since agent.Mark) {
	edits := conversation.EditsSince(since)
	for _, path := range edits {
		rel, ok := s.relative(path)
		if ok {
			w.edited[rel] = true
		}
		w.outside = w.outside || !ok
	}
	w.hears(conversation, since)
	w.evidence = w.evidence || len(edits) > 0 || len(conversation.OpenCalls) > 0
}

// hears adds what the tool calls of a conversation after a mark may have done.
func (w *work) hears(t *agent.Conversation, since agent.Mark) {
	w.reach = w.reach.with(t.TouchedSince(since)...)
	if t.AtLarge() {
		w.reach = w.reach.with(effects.Unknown().Files...)
	}
	w.commits = w.commits || slices.ContainsFunc(t.OpenCalls, func(c agent.ToolCall) bool { return c.Commits })
	w.took, w.told = w.took || t.Took > since.Lines, w.told || t.Told > since.Lines
	w.evidence = w.evidence || len(w.reach.files) > 0
}

// unreadOf says which part of a transcript was not read: size is the length up to which bytes are
// unread, or, for a document, lines is the number of all its lines. Both are 0 if everything was
// read or nothing can be read.
func unreadOf(o *open) (size int64, lines int) {
	fi, err := os.Stat(o.state.TranscriptPath)
	if err != nil || !fi.Mode().IsRegular() || fi.Size() == o.side.Capture.Offset {
		return 0, 0
	}
	if o.state.AgentType != agent.AgentTypeGemini {
		return fi.Size(), 0
	}
	f, err := durable.Open(o.state.TranscriptPath)
	if err != nil {
		return 0, 0
	}
	defer f.Close()
	if startsDocument(f) {
		return 0, witnessDocument(f).Lines
	}
	return fi.Size(), 0
}

// witnessLines returns the conversation in the lines that are not stored yet, nil if they cannot
// be read.
func (s *ManualCommitStrategy) witnessLines(o *open, f *os.File, size int64) *agent.Conversation {
	conversation := agent.NewConversation(o.state.AgentType)
	if !unreadLines(o, f, size, conversation.AddLine) {
		return nil
	}
	return conversation
}

// unreadLines calls each with the lines of a transcript that are not stored yet, or with the
// newest of them if there are many. It reports whether it could read them.
func unreadLines(o *open, f *os.File, size int64, each func(line []byte)) bool {
	from := max(o.side.Capture.Offset, o.side.Turn.Said)
	if from > size {
		from = 0
	}
	if _, err := f.Seek(max(from, size-evidenceBytes), io.SeekStart); err != nil {
		return false
	}
	_, err := agent.Lines(bufio.NewReaderSize(f, 256<<10), func(line []byte) error { each(line); return nil })
	return err == nil
}
