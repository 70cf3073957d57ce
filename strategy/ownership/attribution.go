package ownership

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"entire/checkpoint/metadata"
	"entire/checkpoint/records"
	"entire/checkpoint/trailer"
	"entire/id"
	"entire/internal/attribution"
	"entire/internal/git"
	"entire/strategy/githead"
	"entire/strategy/sessionstate"
	"entire/strategy/step"
	"entire/strategy/transcript"
	"entire/strategy/worktree"
)

// attributedMax bounds the number of files in a commit that is attributed. A larger commit gets
// no numbers, because numbers of a part would be read as numbers of the whole.
const attributedMax = 1000

// attributionTime bounds how long a commit waits for its attribution on a busy machine.
const attributionTime = 5 * time.Second

// Attribute fills in who owns the lines of the commit. It never fails: it leaves out what it
// cannot decide, and logs why.
func Attribute(ctx context.Context, s *sessionstate.Env, cm githead.MadeCommit, open []*sessionstate.LockedSession, rec *metadata.Record) {
	defer func() {
		if p := recover(); p != nil {
			s.Log.Error("attribution stopped", "checkpoint_id", rec.ID.String(), "err", fmt.Sprint(p))
		}
	}()
	limited, cancel := context.WithTimeout(ctx, attributionTime)
	defer cancel()
	if err := attributeLines(limited, s, cm, open, rec); err != nil {
		s.Log.Warn("commit without attribution", "checkpoint_id", rec.ID.String(), "err", err)
		if err := markIncomplete(ctx, s, cm, rec); err != nil {
			s.Log.Warn("the record of lines was not marked incomplete", "checkpoint_id", rec.ID.String(), "err", err)
		}
	}
}

// markIncomplete notes that the checkpoint's record of lines leaves out work of this commit.
func markIncomplete(ctx context.Context, s *sessionstate.Env, cm githead.MadeCommit, rec *metadata.Record) error {
	if slices.ContainsFunc(rec.Extra, func(e git.Edit) bool { return e.Path == records.AttributionName }) {
		return nil
	}
	stored, err := storedAttribution(ctx, s, cm, rec, false)
	if err != nil || stored.lines == nil {
		return err
	}
	stored.lines.Incomplete = true
	return writeLineRecord(s, rec, stored.lines)
}

// attributeLines works out the owners of the commit's lines and stores them in the record.
func attributeLines(ctx context.Context, s *sessionstate.Env, cm githead.MadeCommit, open []*sessionstate.LockedSession, rec *metadata.Record) error {
	if len(cm.Changes) > attributedMax {
		return fmt.Errorf("%d files are more than %d", len(cm.Changes), attributedMax)
	}
	stepChains, err := stepChains(ctx, s, cm, open)
	if err != nil {
		return err
	}
	stored, err := storedAttribution(ctx, s, cm, rec, len(stepChains) == 0)
	if err != nil {
		return err
	}
	if len(stepChains) == 0 { // an earlier call for this commit had the steps, and has attributed it
		for i := range rec.Sessions {
			m := &rec.Sessions[i].Metadata
			m.InitialAttribution = stored.numbers[m.SessionID]
		}
		return nil
	}
	if p := replacedChain(ctx, s, cm, stepChains, rec.ID, stored.lines); p != nil {
		stepChains = append(stepChains, p)
	}
	memory := loadLineMemory(s)
	memory.learnRecord(stored.lines)
	files, moved, whole, skipped := attributeFiles(ctx, s, cm, stepChains, memory)
	if files == nil {
		return skipped
	}
	markMoved(files)
	c := newClaims(s, files, len(stepChains) > 1)
	c.addMovedBetween(moved.leftOut, moved.lost)
	if err := c.addOthers(ctx, cm, open); err != nil {
		s.Log.Warn("other sessions' work was not looked at", "checkpoint_id", rec.ID.String(), "err", err)
	}
	if err := c.addUncaptured(ctx, open); err != nil {
		s.Log.Warn("sessions of other worktrees were not looked at", "checkpoint_id", rec.ID.String(), "err", err)
	}
	c.addCalled(ctx, open, cm.Sessions, authorsOf(stepChains))
	c.addConcurrent(ctx, authorsOf(stepChains))
	if err := c.addUndone(ctx); err != nil {
		s.Log.Warn("what resets undid was not looked at", "checkpoint_id", rec.ID.String(), "err", err)
	}
	c.decide()
	markUnknownHooked(ctx, s, cm, files)
	noteWaiting(rec.ID, s.Now(), open, files)
	memory.relearn(cm.Changes, files)
	memory.markMovedToLeft(files, moved.left)
	saveLineMemory(s, memory)
	lines := lineRecord(ctx, s, cm, open, files)
	if skipped == nil {
		fillNumbers(s, rec, lines, stored, whole)
	}
	if lines != nil {
		lines.Incomplete = skipped != nil
	}
	return errors.Join(skipped, storeLineRecord(s, rec, lines, stored.lines, cm))
}

// fillNumbers fills in the documented numbers, computed from the record of lines.
func fillNumbers(s *sessionstate.Env, rec *metadata.Record, lines *attribution.Record, stored storedLines, whole bool) {
	now := s.Now().UTC()
	for i := range rec.Sessions {
		m := &rec.Sessions[i].Metadata
		a := documentedNumbers(lines, m.SessionID, now)
		if !whole {
			a = addEarlierNumbers(stored.numbers[m.SessionID], a, unknownLines(lines))
		}
		m.InitialAttribution = &a
	}
}

// storedLines is what a checkpoint already says of the owners of lines.
type storedLines struct {
	numbers map[string]*metadata.InitialAttribution // by session
	lines   *attribution.Record                     // nil for none
}

// storedAttribution reads what the checkpoint already says of owners, if the commit is made again
// or its steps are gone (settled). Otherwise it returns nothing.
func storedAttribution(ctx context.Context, s *sessionstate.Env, cm githead.MadeCommit, rec *metadata.Record, settled bool) (storedLines, error) {
	out := storedLines{numbers: map[string]*metadata.InitialAttribution{}}
	if !settled && !cm.ReusesCheckpoint {
		return out, nil
	}
	stored, err := records.NewReader(s.Repo).Read(ctx, rec.ID)
	if errors.Is(err, metadata.ErrCheckpointNotFound) {
		return out, nil
	}
	if err != nil {
		return out, err
	}
	for _, sess := range stored.Sessions {
		if sess.Err == nil {
			out.numbers[sess.Metadata.SessionID] = sess.Metadata.InitialAttribution
		}
	}
	lines, err := storedRecords(ctx, s, rec.ID)
	out.lines = lines[rec.ID]
	return out, err
}

// documentedNumbers computes a session's documented numbers from a record, as docs/format.md defines them;
// a nil record gives zeros.
func documentedNumbers(r *attribution.Record, session string, now time.Time) metadata.InitialAttribution {
	a := metadata.InitialAttribution{CalculatedAt: now}
	if r == nil {
		return a
	}
	for i, t := range r.Tallies() {
		a.TotalCommitted += t.Added
		switch o := r.Owners[i]; {
		case o.Class == attribution.ClassAgent && o.SessionID == session:
			a.AgentLines += t.Added
		case o.Class == attribution.ClassHuman:
			a.HumanAdded += t.Added - t.Modified
			a.HumanModified += t.Modified
			a.HumanRemoved += t.Deleted
		}
	}
	return a.WithAgentLines(0)
}

// addEarlierNumbers adds the numbers of the commit that an amended commit replaces, for lines of
// which only numbers are stored. Agent and human lines are added only up to the number of lines
// with unknown owners.
func addEarlierNumbers(old *metadata.InitialAttribution, a metadata.InitialAttribution, unknown int) metadata.InitialAttribution {
	if old == nil {
		return a
	}
	take := func(to *int, n int) {
		n = min(n, unknown)
		*to += n
		unknown -= n
	}
	take(&a.AgentLines, old.AgentLines)
	take(&a.HumanAdded, old.HumanAdded)
	take(&a.HumanModified, old.HumanModified)
	a.HumanRemoved += old.HumanRemoved
	return a.WithAgentLines(0)
}

// unknownLines counts the added lines whose owner is unknown.
func unknownLines(r *attribution.Record) (n int) {
	if r == nil {
		return 0
	}
	for i, t := range r.Tallies() {
		if r.Owners[i].Class == attribution.ClassUnknown {
			n += t.Added
		}
	}
	return n
}

func agentOwner(session string) attribution.Owner {
	return attribution.Owner{Class: attribution.Agent, Session: session}
}

// attributeFiles attributes every file of the commit. whole is false if the lines of a commit that
// this one amends are not remembered, so that only the lines that it adds were attributed.
// skipped joins an error for each file that was passed over; files is nil if nothing could be
// read. moved holds the lines that the files lost.
func attributeFiles(ctx context.Context, s *sessionstate.Env, cm githead.MadeCommit, stepChains []*stepChain, memory *lineMemory) (files map[string]attributedFile, moved *attributionBuffers, whole bool, skipped error) {
	chains := make([][]*lineHistory, len(stepChains))
	for i, p := range stepChains {
		var err error
		if chains[i], err = lineHistories(ctx, s, cm, p); err != nil {
			return nil, nil, false, err
		}
	}
	whole = replacedLinesKnown(stepChains, chains, memory)
	files = map[string]attributedFile{}
	moved = &attributionBuffers{}
	for i, p := range stepChains {
		err := attributeAll(ctx, s, chains[i], p, memory, moved, func(c *lineHistory, f attributedFile) {
			addAccount(files, c.path, f, p.replacedFiles != nil)
		})
		skipped = errors.Join(skipped, err)
	}
	return files, moved, whole, skipped
}

// addAccount adds a chain's account of a file, and merges it into those of earlier chains; replaced says that the
// chain stands for a commit that is replaced.
func addAccount(files map[string]attributedFile, path string, f attributedFile, replaced bool) {
	if account, ok := files[path]; ok {
		dropped, lost := attribution.Union(account.dropped, f.dropped), append(account.lost, f.lost...)
		if replaced {
			account.File = mergeEarlierAccount(account.File, f.File)
			f = account
		} else {
			f.File = mergeAccounts(account.File, f.File)
		}
		f.dropped, f.lost = dropped, lost
	}
	files[path] = f
}

// replacedChain returns a step chain that stands for an earlier commit on the same parent with
// the same checkpoint, which this commit replaces. It is needed where the sessions worked on
// another commit, so that no chain of theirs covers the earlier commit. Lines that it does not
// know count as a person's, so that other accounts win there. It returns nil if it is not needed
// or a blob is missing.
func replacedChain(ctx context.Context, s *sessionstate.Env, cm githead.MadeCommit, stepChains []*stepChain, cp id.CheckpointID, stored *attribution.Record) *stepChain {
	about := func(p *stepChain) bool {
		return p.amended && slices.Contains(trailer.ParseCheckpointTrailers(p.origin.Message), cp)
	}
	if stored == nil || stored.Parent != cm.Parent.String() || slices.ContainsFunc(stepChains, about) {
		return nil
	}
	p := &stepChain{amended: true, replacedFiles: map[string]git.OID{}, authors: &Authors{}}
	changed := worktree.SetOf(step.Paths(cm.Changes))
	var blobs []git.OID
	for _, f := range stored.Files {
		if !changed[sessionstate.DecodePath(f.Path)] {
			continue
		}
		oid, err := worktree.ParseOptional([]byte(f.Blob))
		if err != nil {
			return nil
		}
		p.replacedFiles[sessionstate.DecodePath(f.Path)] = oid
		blobs = append(blobs, oid)
	}
	if _, err := transcript.BlobTexts(ctx, s, blobs); err != nil { // the record is of another commit, whose objects are not here
		s.Log.Debug("what a commit replaces is not known", "checkpoint_id", cp.String(), "err", err)
		return nil
	}
	return p
}

// replacedLinesKnown reports whether the owners of the lines in replaced commits are remembered. In chains
// where they are not, those lines become unknown.
func replacedLinesKnown(stepChains []*stepChain, chains [][]*lineHistory, memory *lineMemory) bool {
	whole := true
	for i, p := range stepChains {
		if !p.amended || memory.knowsAll(chains[i]) {
			continue
		}
		whole = false
		for _, c := range chains[i] {
			c.amended = false
		}
	}
	return whole
}

// mergeAccounts merges two accounts of one file, from two shadow branches. A line that one branch calls
// an agent's and the other, which did not see it, a person's, is the agent's. A line that one
// account knows to be older is older.
func mergeAccounts(f, other attribution.File) attribution.File {
	for i := range f.Lines {
		l, o := &f.Lines[i], other.Lines[i]
		switch {
		case !l.Added || !o.Added || l.Moved && !o.Moved:
		case o.Moved && !l.Moved: // the other branch, on an older commit, did not see where the line came from
			*l = o
		default:
			l.Owner = mergeOwners(l.Owner, o.Owner)
		}
	}
	for i := range f.Removed {
		f.Removed[i].Owner = mergeOwners(f.Removed[i].Owner, other.Removed[i].Owner)
	}
	return f
}

// mergeEarlierAccount merges the account of an earlier commit into f, as agreed does. A line that an
// agent owned then, and that is unchanged, stays with that agent.
func mergeEarlierAccount(f, earlier attribution.File) attribution.File {
	out := mergeAccounts(f, earlier)
	for i, l := range earlier.Lines {
		if l.Added && l.Owner.Class == attribution.Agent {
			out.Lines[i].Owner = l.Owner
		}
	}
	for i, r := range earlier.Removed {
		if r.Owner.Class == attribution.Agent {
			out.Removed[i].Owner = r.Owner
		}
	}
	return out
}

// mergeOwners merges two owners of a line: an agent wins over a person or unknown, a person loses
// to any other owner, and two different agents make the owner unknown.
func mergeOwners(a, b attribution.Owner) attribution.Owner {
	b.Remembered = a.Remembered
	switch {
	case a == b || b.Class == attribution.Person:
		return a
	case a.Class == attribution.Person:
		return b
	case a.Class == attribution.Agent && b.Class == attribution.Unknown:
		return a
	case b.Class == attribution.Agent && a.Class == attribution.Unknown:
		return b
	}
	return unknownOwner
}
