package strategy

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"entire/checkpoint"
	"entire/id"
	"entire/internal/attribution"
	"entire/internal/git"
)

// attributedMax bounds how many files of a commit are attributed: in a larger
// commit none are, because numbers of a part would be taken for the whole.
const attributedMax = 1000

// attributionTime is after which a commit is not made to wait for numbers any
// longer, on a machine that is busy.
const attributionTime = 5 * time.Second

// attribute fills in whose lines the commit has. It never fails: what cannot be
// told is left out, and the log says why.
func (s *ManualCommitStrategy) attribute(ctx context.Context, cm madeCommit, open []*open, rec *checkpoint.Record) {
	defer func() {
		if p := recover(); p != nil {
			s.Log.Error("attribution stopped", "checkpoint_id", rec.ID.String(), "err", fmt.Sprint(p))
		}
	}()
	limited, cancel := context.WithTimeout(ctx, attributionTime)
	defer cancel()
	if err := s.attributeLines(limited, cm, open, rec); err != nil {
		s.Log.Warn("commit without attribution", "checkpoint_id", rec.ID.String(), "err", err)
	}
}

func (s *ManualCommitStrategy) attributeLines(ctx context.Context, cm madeCommit, open []*open, rec *checkpoint.Record) error {
	if len(cm.changes) > attributedMax {
		return fmt.Errorf("%d files are more than %d", len(cm.changes), attributedMax)
	}
	pasts, err := s.pasts(ctx, cm, open)
	if err != nil {
		return err
	}
	stored, err := s.storedAttribution(ctx, cm, rec, len(pasts) == 0)
	if err != nil {
		return err
	}
	if len(pasts) == 0 { // settled by an earlier call, which had the steps
		for i := range rec.Sessions {
			m := &rec.Sessions[i].Metadata
			m.InitialAttribution = stored.numbers[m.SessionID]
		}
		return nil
	}
	if p := s.earlierAccount(ctx, cm, pasts, rec.ID, stored.lines); p != nil {
		pasts = append(pasts, p)
	}
	memory := s.loadLines()
	memory.learn(stored.lines)
	files, whole, left := s.foldCommit(ctx, cm, pasts, memory)
	if files == nil {
		return left
	}
	markMoved(files)
	if err := s.leaveOthers(ctx, cm, open, files); err != nil {
		s.Log.Warn("other sessions' work was not looked at", "checkpoint_id", rec.ID.String(), "err", err)
	}
	leaveHidden(open, files)
	s.leaveCalled(ctx, open, cm.sums, files)
	s.leaveHooked(ctx, cm, files)
	memory.leave(cm.changes, files)
	s.saveLines(memory)
	lines := s.lineRecord(ctx, cm, open, files)
	if left == nil {
		s.number(rec, lines, stored, whole)
	}
	return errors.Join(left, s.storeLines(rec, lines, stored.lines, cm))
}

// number fills in the documented numbers, which are those of the record.
func (s *ManualCommitStrategy) number(rec *checkpoint.Record, lines *attribution.Record, stored storedLines, whole bool) {
	now := s.Now().UTC()
	for i := range rec.Sessions {
		m := &rec.Sessions[i].Metadata
		a := numbers(lines, m.SessionID, now)
		if !whole {
			a = joinAttribution(stored.numbers[m.SessionID], a, unknownLines(lines))
		}
		m.InitialAttribution = &a
	}
}

// storedLines is what a checkpoint says already.
type storedLines struct {
	numbers map[string]*checkpoint.InitialAttribution // by session
	lines   *attribution.Record                       // nil for none
}

// storedAttribution is what the checkpoint says already, where that can matter.
func (s *ManualCommitStrategy) storedAttribution(ctx context.Context, cm madeCommit, rec *checkpoint.Record, settled bool) (storedLines, error) {
	out := storedLines{numbers: map[string]*checkpoint.InitialAttribution{}}
	if !settled && !cm.again {
		return out, nil
	}
	records := checkpoint.NewRecords(s.repo)
	stored, err := records.Read(ctx, rec.ID)
	if errors.Is(err, checkpoint.ErrCheckpointNotFound) {
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
	docs, err := records.Attributions(ctx, []id.CheckpointID{rec.ID})
	if data := docs[rec.ID]; data != nil {
		if out.lines, err = attribution.DecodeRecord(data); err != nil {
			s.Log.Warn("owners of lines not read", "checkpoint_id", rec.ID.String(), "err", err)
			err = nil
		}
	}
	return out, err
}

// numbers are the documented ones, as docs/format.md defines them.
func numbers(r *attribution.Record, session string, now time.Time) checkpoint.InitialAttribution {
	a := checkpoint.InitialAttribution{CalculatedAt: now}
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
			a.HumanRemoved += t.Gone
		}
	}
	return withPercentage(a)
}

func withPercentage(a checkpoint.InitialAttribution) checkpoint.InitialAttribution {
	a.AgentPercentage = 0
	if a.TotalCommitted > 0 {
		a.AgentPercentage = float64(a.AgentLines) / float64(a.TotalCommitted) * 100
	}
	return a
}

// joinAttribution adds what is known in numbers only of the commit that an amended
// one replaces, up to the lines whose owners are not known.
func joinAttribution(old *checkpoint.InitialAttribution, a checkpoint.InitialAttribution, unknown int) checkpoint.InitialAttribution {
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
	return withPercentage(a)
}

// unknownLines counts the added lines of nobody that is known.
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

// foldCommit attributes every file of the commit. whole is false when only what an
// amended commit has more than before could be. left says which files it passed
// over; there are no files at all when nothing could be read.
func (s *ManualCommitStrategy) foldCommit(ctx context.Context, cm madeCommit, pasts []*past, memory *lineMemory) (files map[string]foldedFile, whole bool, left error) {
	chains := make([][]*fileChain, len(pasts))
	for i, p := range pasts {
		var err error
		if chains[i], err = s.fileChains(ctx, cm, p); err != nil {
			return nil, false, err
		}
	}
	whole = allKnown(pasts, chains, memory)
	files = map[string]foldedFile{}
	var at folding
	for i, p := range pasts {
		err := s.foldAll(ctx, chains[i], p, memory, &at, func(c *fileChain, f foldedFile) {
			if told, ok := files[c.path]; ok {
				dropped, lost := attribution.Unite(told.dropped, f.dropped), append(told.lost, f.lost...)
				if p.had != nil {
					told.File = withEarlier(told.File, f.File)
					f = told
				} else {
					f.File = agreed(told.File, f.File)
				}
				f.dropped, f.lost = dropped, lost
			}
			files[c.path] = f
		})
		left = errors.Join(left, err)
	}
	s.leaveMoved(files, at.left, at.lost)
	return files, whole, left
}

// earlierAccount is that of a checkpoint that was made for a commit on the same
// parent, which this one replaces, where none of the sessions' pasts is about that: they
// were at work on another commit, and know nothing of what this one had before. What
// it does not know it calls a person's, so that the others are believed. It comes last.
func (s *ManualCommitStrategy) earlierAccount(ctx context.Context, cm madeCommit, pasts []*past, cp id.CheckpointID, stored *attribution.Record) *past {
	about := func(p *past) bool {
		return p.amended && slices.Contains(checkpoint.ParseCheckpointTrailers(p.origin.Message), cp)
	}
	if stored == nil || stored.Parent != cm.parent.String() || slices.ContainsFunc(pasts, about) {
		return nil
	}
	p := &past{amended: true, had: map[string]git.OID{}, authors: &authors{}}
	changed := setOf(paths(cm.changes))
	var blobs []git.OID
	for _, f := range stored.Files {
		if !changed[textPath(f.Path)] {
			continue
		}
		oid, err := parseOptional([]byte(f.Blob))
		if err != nil {
			return nil
		}
		p.had[textPath(f.Path)] = oid
		blobs = append(blobs, oid)
	}
	if _, err := s.texts(ctx, blobs); err != nil { // of another commit with this checkpoint, which is not here
		s.Log.Debug("what a commit replaces is not known", "checkpoint_id", cp.String(), "err", err)
		return nil
	}
	return p
}

// allKnown reports whether the lines of what an amended commit replaces are
// remembered. Where they are not, those are nobody's that is known.
func allKnown(pasts []*past, chains [][]*fileChain, memory *lineMemory) bool {
	whole := true
	for i, p := range pasts {
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

// agreed is one account of a file out of those of two shadow branches: what one of
// them calls an agent's, the other, which did not see it, calls a person's. A line that
// one of them knows to be older is.
func agreed(f, other attribution.File) attribution.File {
	for i := range f.Lines {
		l, o := &f.Lines[i], other.Lines[i]
		switch {
		case !l.Added || !o.Added || l.Moved && !o.Moved:
		case o.Moved && !l.Moved: // the other, on an older commit, did not see where it was
			*l = o
		default:
			l.Owner = eitherOwner(l.Owner, o.Owner)
		}
	}
	for i := range f.Removed {
		f.Removed[i].Owner = eitherOwner(f.Removed[i].Owner, other.Removed[i].Owner)
	}
	return f
}

// withEarlier is agreed with an earlier account: a line that was an agent's then, and stands
// there unchanged, is that one's.
func withEarlier(f, earlier attribution.File) attribution.File {
	out := agreed(f, earlier)
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

func eitherOwner(a, b attribution.Owner) attribution.Owner {
	b.Settled = a.Settled
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
	return attribution.Owner{Class: attribution.Unknown}
}

// texts reads blobs that are small enough to be compared; the others are missing
// from the answer. The zero ID is the text of no file.
func (s *ManualCommitStrategy) texts(ctx context.Context, oids []git.OID) (map[git.OID][]byte, error) {
	out := map[git.OID][]byte{{}: nil}
	var specs []string
	for _, oid := range oids {
		if _, twice := out[oid]; !twice {
			out[oid] = nil
			specs = append(specs, oid.String())
		}
	}
	objs, err := s.repo.Reader(ctx).Small(attribution.MaxBytes, specs...)
	if err != nil {
		return nil, err
	}
	for i, o := range objs {
		oid, err := git.ParseOID(specs[i])
		if err != nil {
			return nil, err
		}
		if o.Type == "" {
			return nil, fmt.Errorf("read %s: %w", oid, git.ErrMissing)
		}
		if out[oid] = o.Data; o.Large || o.Type != "blob" {
			delete(out, oid)
		}
	}
	return out, nil
}
