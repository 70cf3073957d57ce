package evidence

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"slices"

	"entire/agent/agents"
	"entire/agent/conversation"
	"entire/agent/document"
	"entire/checkpoint/shadow"
	"entire/id"
	"entire/internal/durable"
	"entire/internal/effects"
	"entire/internal/git"
	"entire/session"
	"entire/strategy/sessionstate"
	"entire/strategy/step"
	"entire/strategy/transcript"
	"entire/strategy/worktree"
)

// AnyPendingWork reports whether one of the sessions has work that is in no commit.
func AnyPendingWork(sums []session.Summary) bool {
	return slices.ContainsFunc(sums, step.HasPendingWork)
}

// SessionsInCommit returns the sessions whose work is in the changes of a commit. lost are linked commits
// that a reset has undone.
func SessionsInCommit(ctx context.Context, s *sessionstate.Env, sums []session.Summary, changes []git.Change, strict transcript.MatchMode, lost []transcript.UndoneCommit) ([]id.SessionID, error) {
	if len(changes) == 0 {
		return nil, nil
	}
	inCommit := worktree.SetOf(step.Paths(changes))
	var works []transcript.SessionWork
	for _, sum := range sums {
		if sum.Phase != session.PhaseActive && !sum.Touches(func(p string) bool {
			return inCommit[sessionstate.DecodePath(p)] || changedSinceStep(ctx, s, sessionstate.DecodePath(p)) // and perhaps moved
		}) {
			continue
		}
		w, err := ReadWork(ctx, s, sum.ID)
		if errors.Is(err, session.ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		w.Matching, w.Undone = strict, lost
		if err := AddTurnStart(ctx, s, &w, changes); err != nil {
			return nil, err
		}
		works = append(works, w)
	}
	var chosen []id.SessionID
	for _, name := range ChooseSessions(changes, works, WhoCommits(s), Evidence(ctx, s)) {
		sid, err := id.ParseSessionID(name)
		if err != nil {
			return nil, err
		}
		chosen = append(chosen, sid)
	}
	return chosen, nil
}

// ReadWork reads the work of one session; session.ErrNotFound if it has no state.
func ReadWork(ctx context.Context, s *sessionstate.Env, sid id.SessionID) (transcript.SessionWork, error) {
	o := &sessionstate.LockedSession{ID: sid}
	if err := s.ReadSession(ctx, o); err != nil {
		return transcript.SessionWork{}, err
	}
	if o.IsNew {
		return transcript.SessionWork{}, session.ErrNotFound
	}
	w := NewSessionWork(o)
	w.Touched, w.AtLastStep = map[string]bool{}, map[string]sessionstate.PathVersion{}
	if len(o.State.FilesTouched) > 0 {
		base, _ := worktree.ParseOptional([]byte(o.State.BaseCommit))
		files, err := StepFiles(ctx, s, base, git.OID{})
		if err != nil {
			return transcript.SessionWork{}, err
		}
		for _, p := range sessionstate.DecodePaths(o.State.FilesTouched) {
			w.Touched[p] = true
			if f, ok := worktree.Find(files, p); ok {
				w.AtLastStep[p] = f
			}
		}
	}
	if step.InTurn(o) {
		if err := addUnrecorded(ctx, s, o, &w); err != nil {
			return transcript.SessionWork{}, err
		}
		if err := addOpenTurn(ctx, s, o, &w); err != nil {
			return transcript.SessionWork{}, err
		}
	}
	return w, nil
}

// addOpenTurn adds what is known of the turn in which the session is.
func addOpenTurn(ctx context.Context, s *sessionstate.Env, o *sessionstate.LockedSession, w *transcript.SessionWork) (err error) {
	w.Active = true
	start := o.Engine.TurnStart
	if !start.Step.IsZero() { // without a step, the worktree was as in HEAD
		if w.AtTurnStart, err = StepFiles(ctx, s, start.Head, start.Step); err != nil {
			return err
		}
	}
	if w.BeganOn = start.Head; !start.OriginalStart.IsZero() {
		w.BeganOn = start.OriginalStart
	}
	ScanLiveTranscript(s, o, w)
	return nil
}

// NewSessionWork returns a session's work with only its ID, base and last interaction.
func NewSessionWork(o *sessionstate.LockedSession) transcript.SessionWork {
	w := transcript.SessionWork{Session: o.ID.String(), Base: step.BaseOf(o)}
	if t := o.State.LastInteractionTime; t != nil {
		w.LastSeen = t.UnixNano()
	}
	return w
}

// AddTurnStart adds the versions that some paths had when the turn began, if HEAD has moved since.
func AddTurnStart(ctx context.Context, s *sessionstate.Env, w *transcript.SessionWork, changes []git.Change) error {
	if !w.Active || w.BeganOn.IsZero() {
		return nil
	}
	head, err := HeadCommit(ctx, s)
	if err != nil || head == w.BeganOn {
		return err
	}
	tree, err := worktree.HeadTree(ctx, s, w.BeganOn)
	if errors.Is(err, git.ErrMissing) {
		return nil
	}
	if err != nil {
		return err
	}
	began := slices.Clone(w.AtTurnStart)
	for _, c := range changes {
		if _, known := worktree.Find(w.AtTurnStart, c.Path); known {
			continue
		}
		e, found, err := s.Repo.Reader(ctx).Path(tree, c.Path)
		if err != nil {
			return err
		}
		f := sessionstate.PathVersion{Path: c.Path}
		if found {
			f.Mode, f.OID = e.Mode, e.OID
		}
		began = append(began, f)
	}
	w.AtTurnStart = worktree.SortVersions(began)
	return nil
}

// addUnrecorded adds steps of the session above the last one that its state names: a hook that
// was killed has written them.
func addUnrecorded(ctx context.Context, s *sessionstate.Env, o *sessionstate.LockedSession, w *transcript.SessionWork) error {
	c, ok, err := s.Repo.Reader(ctx).CommitOf(worktree.ShadowRef(s, step.BaseOf(o)))
	if err != nil || !ok {
		return err
	}
	for st, err := range step.Walk(ctx, s, c, step.AncestorsMax) {
		if err != nil {
			return err
		}
		if st.OID == o.Engine.LastStep || st.OID == o.Engine.TurnStart.Step {
			break
		}
		if st.Info.Session == o.ID && step.IsListed(st) {
			changes, err := StepChanges(ctx, s, st)
			if err != nil {
				return err
			}
			for _, ch := range changes {
				if _, known := w.AtLastStep[ch.Path]; !known {
					w.Touched[ch.Path], w.AtLastStep[ch.Path] = true, sessionstate.PathVersion{Path: ch.Path, Mode: ch.NewMode, OID: ch.New}
				}
			}
		}
	}
	return nil
}

// StepFiles returns what differs between a commit and a step on top of it; a zero step is the tip
// of the commit's shadow branch. It uses the cache if that holds the step.
func StepFiles(ctx context.Context, s *sessionstate.Env, head, step git.OID) (sessionstate.PathVersions, error) {
	c, ref := worktree.LoadCache(ctx, s), worktree.ShadowRef(s, head)
	if c.Head == head && c.Ref == ref && !c.Tip.IsZero() && (step.IsZero() || step == c.Tip) {
		return c.Files, nil
	}
	spec := step.String()
	if step.IsZero() {
		spec = ref
	}
	tip, ok, err := s.Repo.Reader(ctx).CommitOf(spec)
	if err != nil || !ok {
		return nil, err
	}
	// Steps that followed HEAD were made on another commit, whose own changes are no session's work.
	if base := shadow.ParseStep(tip.Message).Base; !base.IsZero() {
		head = base
	}
	if _, err := worktree.HeadTree(ctx, s, head); errors.Is(err, git.ErrMissing) {
		return touchedFiles(ctx, s, tip.Tree)
	}
	return ChangesOnTop(ctx, s, head, tip.Tree)
}

// touchedFiles returns the versions that a step has of the files that sessions of this worktree touched: of a step on a
// commit that git has removed, nobody can tell what else differs from the commit.
func touchedFiles(ctx context.Context, s *sessionstate.Env, tree git.OID) (sessionstate.PathVersions, error) {
	sums, err := step.WorktreeSessions(ctx, s)
	if err != nil {
		return nil, err
	}
	touched := map[string]bool{}
	for _, sum := range sums {
		sum.Touches(func(p string) bool { touched[sessionstate.DecodePath(p)] = true; return false })
	}
	paths := slices.Sorted(maps.Keys(touched))
	at, err := step.VersionsAt(ctx, s, []git.OID{tree}, paths, map[git.OID][]git.TreeEntry{})
	if err != nil {
		return nil, err
	}
	return worktree.SortVersions(at[0]), nil
}

// TreeFiles returns the difference between two trees, without our own folder.
func TreeFiles(ctx context.Context, s *sessionstate.Env, base, tree git.OID) (sessionstate.PathVersions, error) {
	changes, err := step.CodeDiff(ctx, s, base, tree)
	if err != nil {
		return nil, err
	}
	var files []sessionstate.PathVersion
	for _, c := range changes {
		files = append(files, sessionstate.PathVersion{Path: c.Path, Mode: c.NewMode, OID: c.New})
	}
	return worktree.SortVersions(files), nil
}

// ScanLiveTranscript reads the newest part of the live transcript as evidence of what the agent is doing.
// Nothing of it is stored.
func ScanLiveTranscript(s *sessionstate.Env, o *sessionstate.LockedSession, w *transcript.SessionWork) {
	w.Edited, w.Reach.Top = map[string]bool{}, s.CallsTop(o.State)
	var subagents []string // that ended in the unread part
	defer func() { scanLiveSubagents(s, o, w, subagents) }()
	_, read := s.OpenTurns[o.ID]
	if w.ToldAtEnd = s.KeepsTranscript(o) && !read; w.ToldAtEnd {
		w.Reach, w.HasToolCalls = w.Reach.With(effects.Unknown().Files...), true
	}
	if t := o.Engine.Capture.Conversation; t != nil { // the part that an earlier commit in this turn has read
		w.Edited = worktree.SetOf(OwnEdits(s, o))
		w.HasToolCalls = len(w.Edited) > 0
		addToolCalls(w, t, o.Engine.TurnStart.ConversationStart())
	}
	f, err := durable.Open(o.State.TranscriptPath)
	if err != nil {
		w.TranscriptReadable = errors.Is(err, fs.ErrNotExist) && transcript.ShowsAllCalls(o.State.AgentType, o.Engine.Capture.Conversation) && !w.ToldAtEnd // the agent has not written anything yet
		return
	}
	defer f.Close()
	fi, err := f.Stat()
	if err != nil {
		return
	}
	var summary *conversation.Conversation
	var since conversation.Mark
	if agents.CountsMessages(o.State.AgentType) && document.Begins(f) {
		if !o.AsOf.IsZero() {
			return // a document is not read up to a time
		}
		summary, since = transcript.ScanLiveDocument(o.State.AgentType, o.Engine.Capture.Folder, f), o.Engine.TurnStart.ConversationStart()
		running := conversation.NewConversation(o.State.AgentType).In(o.Engine.Capture.Folder)
		for line := range bytes.Lines(o.Running) {
			running.AddLine(bytes.TrimSpace(line))
		}
		addEvidence(s, w, running, conversation.Mark{})
	} else if summary = scanLiveLines(o, f, fi.Size()); summary == nil {
		return
	}
	addEvidence(s, w, summary, since)
	subagents = summary.AgentIDs[min(since.Agents, len(summary.AgentIDs)):]
	w.TranscriptReadable = transcript.ShowsAllCalls(o.State.AgentType, o.Engine.Capture.Conversation, summary) && !w.ToldAtEnd
}

// addEvidence adds the evidence of a conversation after a mark.
func addEvidence(s *sessionstate.Env, w *transcript.SessionWork, summary *conversation.Conversation, since conversation.Mark) {
	edits := summary.EditsSince(since)
	for _, path := range edits {
		rel, ok := transcript.RepoPath(s, path)
		if ok {
			w.Edited[rel] = true
		}
		w.EditedOutside = w.EditedOutside || !ok
	}
	addToolCalls(w, summary, since)
	w.HasToolCalls = w.HasToolCalls || len(edits) > 0 || len(summary.OpenCalls) > 0
}

// addToolCalls adds what the tool calls of a conversation after a mark may have done.
func addToolCalls(w *transcript.SessionWork, t *conversation.Conversation, since conversation.Mark) {
	w.Reach = w.Reach.With(t.TouchedSince(since)...)
	if t.HasHiddenWork() {
		w.Reach = w.Reach.With(effects.Unknown().Files...)
	}
	w.CallMayCommit = w.CallMayCommit || slices.ContainsFunc(t.OpenCalls, func(c conversation.ToolCall) bool { return c.Commits })
	w.ImportedContent, w.ToolCallsComplete = w.ImportedContent || t.ImportedAt > since.Lines, w.ToolCallsComplete || t.CallsKnownAt > since.Lines
	w.HasToolCalls = w.HasToolCalls || len(w.Reach.Files) > 0
}

// UnreadPart says which part of a transcript was not read: size is the length up to which bytes are
// unread, or, for a document, lines is the number of all its lines. Both are 0 if everything was
// read or nothing can be read.
func UnreadPart(o *sessionstate.LockedSession) (size int64, lines int) {
	fi, err := os.Stat(o.State.TranscriptPath)
	if err != nil || !fi.Mode().IsRegular() || fi.Size() == o.Engine.Capture.Offset {
		return 0, 0
	}
	if !agents.CountsMessages(o.State.AgentType) {
		return fi.Size(), 0
	}
	f, err := durable.Open(o.State.TranscriptPath)
	if err != nil {
		return 0, 0
	}
	defer f.Close()
	if document.Begins(f) {
		return 0, transcript.ScanLiveDocument(o.State.AgentType, o.Engine.Capture.Folder, f).Lines
	}
	return fi.Size(), 0
}

// scanLiveLines returns the conversation in the lines that are not stored yet, nil if they cannot
// be read.
func scanLiveLines(o *sessionstate.LockedSession, f *os.File, size int64) *conversation.Conversation {
	summary := conversation.NewConversation(o.State.AgentType).In(o.Engine.Capture.Folder)
	if !transcript.UnreadLines(o, f, size, summary.AddLine) {
		return nil
	}
	return summary
}
