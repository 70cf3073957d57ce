package ownership

import (
	"context"
	"slices"

	"entire/checkpoint/metadata"
	"entire/checkpoint/records"
	"entire/id"
	"entire/internal/attribution"
	"entire/internal/git"
	"entire/strategy/editcalls"
	"entire/strategy/githead"
	"entire/strategy/sessionstate"
	"entire/strategy/step"
	"entire/strategy/transcript"
	"entire/strategy/worktree"
)

// lineRecord returns the checkpoint's record of line owners for the commit's files.
func lineRecord(ctx context.Context, s *sessionstate.Env, cm githead.MadeCommit, sessions []*sessionstate.LockedSession, files map[string]attributedFile) *attribution.Record {
	names := recordOwners(ctx, s, sessions)
	calls := make([]editcalls.Calls, len(sessions))
	for i, o := range sessions {
		calls[i] = transcript.CallsOf(s, o)
	}
	var b attribution.Builder
	var lines []attribution.RecordLine
	for _, c := range cm.Changes {
		f, ok := files[c.Path]
		if !ok {
			continue
		}
		lines = slices.Grow(lines[:0], len(f.Lines))[:len(f.Lines)]
		clear(lines)
		for i, l := range f.Lines {
			if l.Added {
				lines[i] = attribution.RecordLine{Owner: names(l.Owner), Added: true, Moved: l.Moved, Modified: l.Modified}
			}
		}
		addCallsToLines(c.Path, lines, f, calls)
		removed := make([]attribution.RecordRemoval, len(f.Removed))
		for i, r := range f.Removed {
			removed[i] = attribution.RecordRemoval{Line: r.Line, Owner: names(r.Owner), Replaced: r.Replaced}
		}
		file := attribution.RecordFile{Path: sessionstate.EncodePath(c.Path), Dropped: f.dropped}
		if blob := step.BlobOf(c.NewMode, c.New); !blob.IsZero() {
			file.Blob = blob.String()
		}
		b.Add(file, f.prints, lines, removed)
	}
	r := b.Record()
	if r != nil {
		r.Time, r.Parent = max(0, cm.Committer.When.Unix()), cm.Parent.String()
	}
	return r
}

// addCallsToLines finds the calls that wrote the lines of a file.
func addCallsToLines(path string, lines []attribution.RecordLine, f attributedFile, calls []editcalls.Calls) {
	var indexes []editcalls.Index
	for _, c := range calls {
		if ix := c.Index(path); len(ix.ByPrint) > 0 {
			indexes = append(indexes, ix)
		}
	}
	if len(indexes) > 0 {
		editcalls.RefineLines(lines, f.prints, indexes)
	}
}

// recordOwners returns a function that converts an owner for the record, with the session's agent,
// model and prompt as far as they are known.
func recordOwners(ctx context.Context, s *sessionstate.Env, sessions []*sessionstate.LockedSession) func(attribution.Owner) attribution.RecordOwner {
	agents, sides := map[string]attribution.RecordOwner{}, map[string]*sessionstate.EngineState{}
	learn := func(o *sessionstate.LockedSession) {
		sides[o.ID.String()] = &o.Engine
		known := attribution.RecordOwner{Class: attribution.ClassAgent, SessionID: o.ID.String(), Agent: string(o.State.AgentType)}
		if t := o.Engine.Capture.Conversation; t != nil {
			known.Model = t.Model
		}
		agents[o.ID.String()] = known
	}
	for _, o := range sessions {
		learn(o)
	}
	return func(o attribution.Owner) attribution.RecordOwner {
		switch o.Class {
		case attribution.Person:
			return attribution.RecordOwner{Class: attribution.ClassHuman}
		case attribution.Agent:
		default:
			return attribution.RecordOwner{Class: attribution.ClassUnknown}
		}
		known, ok := agents[o.Session]
		if !ok { // a session whose work was carried forward
			known = attribution.RecordOwner{Class: attribution.ClassAgent, SessionID: o.Session}
			agents[o.Session] = known
			if sid, err := id.ParseSessionID(o.Session); err == nil {
				if other := (&sessionstate.LockedSession{ID: sid}); s.ReadSession(ctx, other) == nil && !other.IsNew {
					learn(other)
					known = agents[o.Session]
				}
			}
		}
		known.Turn = o.Turn
		if sd := sides[o.Session]; sd != nil && o.Turn > 0 {
			known.Prompt = transcript.TurnPromptKey(sd, o.Turn)
		}
		return known
	}
}

// storeLineRecord adds the record of line owners to the checkpoint. If the checkpoint was made for
// another commit that this one does not replace, the stored owners of files that this commit does
// not change stay.
func storeLineRecord(s *sessionstate.Env, rec *metadata.Record, lines, stored *attribution.Record, cm githead.MadeCommit) error {
	if lines == nil {
		return nil
	}
	if cm.Late && cm.ReusesCheckpoint {
		if stored == nil { // sealed, or the commit is too large for a record
			return nil
		}
		lines = addLate(stored, lines)
	}
	if cm.Late {
		return writeLineRecord(s, rec, lines)
	}
	return writeLineRecord(s, rec, joinRecords(lines, stored, worktree.SetOf(step.Paths(cm.Changes))))
}

// addLate returns the stored record of a commit with the lines that a later account of the same commit gives to an
// agent, where the stored one names no agent. A line of a person that the later account doubts becomes unknown.
func addLate(stored, late *attribution.Record) *attribution.Record {
	var b attribution.Builder
	for i := range stored.Files {
		f := &stored.Files[i]
		account := late.File(f.Path)
		b.AddRefined(stored, f, func(line int, owner attribution.RecordOwner, _ attribution.Print) attribution.RecordOwner {
			if account == nil || account.Blob != f.Blob || owner.Class == attribution.ClassAgent {
				return owner
			}
			now := account.At(line)
			if now == nil || now.Moved || late.Owners[now.Owner].Class == attribution.ClassHuman {
				return owner
			}
			return late.Owners[now.Owner]
		})
	}
	for i := range late.Files {
		if stored.File(late.Files[i].Path) == nil {
			b.AddFile(late, &late.Files[i])
		}
	}
	r := b.Record()
	if r != nil {
		r.Time, r.Parent, r.Incomplete = stored.Time, stored.Parent, stored.Incomplete || late.Incomplete
	}
	return r
}

// writeLineRecord adds a record of line owners to the checkpoint.
func writeLineRecord(s *sessionstate.Env, rec *metadata.Record, lines *attribution.Record) error {
	edit, err := recordEdit(s, rec.ID, lines)
	if err == nil {
		rec.Extra = append(rec.Extra, edit)
	}
	return err
}

// recordEdit writes a record of line owners, and returns the edit that puts it into a checkpoint.
func recordEdit(s *sessionstate.Env, cp id.CheckpointID, lines *attribution.Record) (git.Edit, error) {
	data, err := lines.Encode()
	if err != nil {
		return git.Edit{}, err
	}
	oid, err := s.Repo.Sealed(cp.String()).Blob(data)
	return git.Edit{Path: records.AttributionName, Mode: git.ModeFile, OID: oid}, err
}

// storedRecords returns the records of line owners that checkpoints have. One that cannot be read is left out.
func storedRecords(ctx context.Context, s *sessionstate.Env, cps ...id.CheckpointID) (map[id.CheckpointID]*attribution.Record, error) {
	docs, err := records.NewReader(s.Repo).Attributions(ctx, cps)
	out := map[id.CheckpointID]*attribution.Record{}
	for cp, doc := range docs {
		if r, err := attribution.DecodeRecord(doc); err == nil {
			out[cp] = r
		} else {
			s.Log.Warn("owners of lines not read", "checkpoint_id", cp.String(), "err", err)
		}
	}
	return out, err
}

// MayDescribe reports whether a checkpoint's record of line owners may be that of the commit, or of one that it
// replaces: it is of a commit on the same parent, or there is no record that can be read.
func MayDescribe(ctx context.Context, s *sessionstate.Env, cp id.CheckpointID, commit git.Commit) bool {
	stored, err := storedRecords(ctx, s, cp)
	if err != nil || stored[cp] == nil || stored[cp].Parent == "" {
		return true
	}
	var parent git.OID
	if len(commit.Parents) > 0 {
		parent = commit.Parents[0]
	}
	return stored[cp].Parent == parent.String()
}

// joinRecords adds to lines the files of an earlier record that the commit does not change, and the
// lines dropped at that time.
func joinRecords(lines, stored *attribution.Record, changed map[string]bool) *attribution.Record {
	if stored == nil {
		return lines
	}
	var b attribution.Builder
	for _, r := range []*attribution.Record{lines, stored} {
		for i := range r.Files {
			f := r.Files[i]
			if r == stored && changed[sessionstate.DecodePath(f.Path)] {
				continue
			}
			if was := stored.File(f.Path); r == lines && was != nil {
				f.Dropped = attribution.Union(f.Dropped, was.Dropped)
			}
			b.AddFile(r, &f)
		}
	}
	joined := b.Record()
	joined.Time, joined.Parent, joined.Incomplete = lines.Time, lines.Parent, lines.Incomplete || stored.Incomplete
	return joined
}

// learnRecord loads a checkpoint's record of its commit's files into the memory, before what the memory has of another
// commit with the same version.
func (m *lineMemory) learnRecord(r *attribution.Record) {
	if r == nil {
		return
	}
	for i := range r.Files {
		f := &r.Files[i]
		remembered := rememberedFile{Path: f.Path, Blob: f.Blob}
		next := 1
		for _, g := range f.Ranges {
			if g.Start > next {
				remembered.Runs = append(remembered.Runs, lineRun{Lines: g.Start - next})
			}
			o := r.Owners[g.Owner]
			run := lineRun{Lines: g.Count, By: o.Class, Session: o.SessionID, Turn: o.Turn, Modified: g.Modified}
			if o.Class == attribution.ClassHuman {
				run.By = className[attribution.Person]
			}
			remembered.Runs = append(remembered.Runs, run)
			next = g.Start + g.Count
		}
		if next <= f.Lines {
			remembered.Runs = append(remembered.Runs, lineRun{Lines: f.Lines - next + 1})
		}
		m.Files = slices.Insert(m.Files, i, remembered)
	}
}

// CompleteRecord returns the edit that replaces the line record of a checkpoint made in mid-turn, when the
// transcript has the whole turn: it adds the calls that the transcript did not have yet, and gives the
// agent the lines that waited for the end of the turn, whose number it returns, too. It returns no edit if
// there is nothing to add.
func CompleteRecord(ctx context.Context, s *sessionstate.Env, o *sessionstate.LockedSession, cp id.CheckpointID) (edits []git.Edit, gained int) {
	if len(o.Engine.Capture.Calls)+len(o.Engine.WaitingLines) == 0 {
		return nil, 0
	}
	old, err := storedRecords(ctx, s, cp)
	if err != nil || old[cp] == nil {
		return nil, 0
	}
	refined, changed, gained := completeOwners(ctx, s, old[cp], o, cp)
	if !changed {
		return nil, 0
	}
	edit, err := recordEdit(s, cp, refined)
	if err != nil {
		s.Log.Warn("owners of lines not completed", "checkpoint_id", cp.String(), "err", err)
		return nil, 0
	}
	return []git.Edit{edit}, gained
}

// completeOwners gives the session the lines of a record that waited for the end of its turn, and adds
// its calls to the lines that its agent owns. It returns the new record, whether it differs, and the
// number of lines that the session gained.
func completeOwners(ctx context.Context, s *sessionstate.Env, old *attribution.Record, o *sessionstate.LockedSession, cp id.CheckpointID) (r *attribution.Record, changed bool, gained int) {
	var b attribution.Builder
	calls, names := transcript.CallsOf(s, o), recordOwners(ctx, s, []*sessionstate.LockedSession{o})
	for i := range old.Files {
		f := &old.Files[i]
		ix, waits := calls.Index(sessionstate.DecodePath(f.Path)), waitingIn(o, cp, f.Path)
		b.AddRefined(old, f, func(line int, owner attribution.RecordOwner, p attribution.Print) attribution.RecordOwner {
			if w, waited := waits[line]; waited && owner.Class == attribution.ClassUnknown && (!w.IfCalled || ix.Wrote(p, w.Turn)) {
				by := agentOwner(o.ID.String())
				by.Turn = w.Turn
				owner, changed, gained = names(by), true, gained+1
			}
			if owner.Class == attribution.ClassAgent && owner.SessionID == ix.Session && owner.ToolUseID == "" {
				owner = ix.RefineOwner(owner, p)
				changed = changed || owner.ToolUseID != ""
			}
			return owner
		})
	}
	if r = b.Record(); r != nil {
		r.Time, r.Parent, r.Incomplete = old.Time, old.Parent, old.Incomplete
	}
	return r, changed, gained
}
