package strategy

import (
	"context"
	"errors"
	"fmt"
	"time"

	"entire/checkpoint"
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
			m.InitialAttribution = stored[m.SessionID]
		}
		return nil
	}
	sum, whole, err := s.sumLines(ctx, cm, pasts)
	if err != nil {
		return err
	}
	now := s.Now().UTC()
	for i := range rec.Sessions {
		m := &rec.Sessions[i].Metadata
		a := numbers(sum, m.SessionID, now)
		if !whole {
			a = joinAttribution(stored[m.SessionID], a)
		}
		m.InitialAttribution = &a
	}
	return nil
}

// storedAttribution is what the checkpoint says already, where that can matter.
func (s *ManualCommitStrategy) storedAttribution(ctx context.Context, cm madeCommit, rec *checkpoint.Record, settled bool) (map[string]*checkpoint.InitialAttribution, error) {
	if !settled && !cm.again {
		return nil, nil
	}
	stored, err := checkpoint.NewRecords(s.repo).Read(ctx, rec.ID)
	if errors.Is(err, checkpoint.ErrCheckpointNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	out := map[string]*checkpoint.InitialAttribution{}
	for _, sess := range stored.Sessions {
		if sess.Err == nil {
			out[sess.Metadata.SessionID] = sess.Metadata.InitialAttribution
		}
	}
	return out, nil
}

// numbers are the documented ones, as docs/format.md defines them.
func numbers(sum attribution.Sum, session string, now time.Time) checkpoint.InitialAttribution {
	person := attribution.Owner{Class: attribution.Person}
	a := checkpoint.InitialAttribution{
		CalculatedAt:   now,
		AgentLines:     sum.By[agentOwner(session)],
		HumanAdded:     sum.By[person] - sum.Modified[person],
		HumanModified:  sum.Modified[person],
		HumanRemoved:   sum.Gone[person],
		TotalCommitted: sum.Added,
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

// joinAttribution adds what an amended commit has more than it had.
func joinAttribution(old *checkpoint.InitialAttribution, more checkpoint.InitialAttribution) checkpoint.InitialAttribution {
	if old == nil {
		return more
	}
	more.AgentLines += old.AgentLines
	more.HumanAdded += old.HumanAdded
	more.HumanModified += old.HumanModified
	more.HumanRemoved += old.HumanRemoved
	more.TotalCommitted += old.TotalCommitted
	return withPercentage(more)
}

func agentOwner(session string) attribution.Owner {
	return attribution.Owner{Class: attribution.Agent, Session: session}
}

// sumLines attributes every file of the commit. whole is false when only what an
// amended commit has more than before could be.
func (s *ManualCommitStrategy) sumLines(ctx context.Context, cm madeCommit, pasts []*past) (sum attribution.Sum, whole bool, err error) {
	memory := s.loadLines()
	chains := make([][]*fileChain, len(pasts))
	for i, p := range pasts {
		if chains[i], err = s.fileChains(ctx, cm, p); err != nil {
			return sum, false, err
		}
	}
	whole = allKnown(pasts, chains, memory)
	files := map[string][]attribution.File{}
	for i, p := range pasts {
		err = s.foldAll(ctx, chains[i], p, memory, func(path string, f attribution.File) { files[path] = append(files[path], f) })
		if err != nil {
			return sum, false, err
		}
	}
	for _, c := range cm.changes {
		if told := files[c.Path]; len(told) > 0 {
			sum.Add(agreed(told))
		}
	}
	s.saveLines(memory)
	return sum, whole, nil
}

// allKnown reports whether the lines of what an amended commit replaces are
// remembered. Where they are not, every past counts from the replaced commit on:
// accounts of one file are of the same two versions.
func allKnown(pasts []*past, chains [][]*fileChain, memory *lineMemory) bool {
	replaced := map[string]git.OID{}
	whole := true
	for i, p := range pasts {
		if !p.amended || memory.knowsAll(chains[i]) {
			continue
		}
		whole = false
		for _, c := range chains[i] {
			if _, twice := replaced[c.path]; !twice {
				replaced[c.path] = c.origin
			}
		}
	}
	if whole {
		return true
	}
	for i := range pasts {
		for _, c := range chains[i] {
			if oid, ok := replaced[c.path]; ok {
				c.parents, c.amended = []git.OID{oid}, false
			}
		}
	}
	return false
}

// agreed is one account of a file out of those of several shadow branches: what
// one of them calls an agent's, the others, which did not see it, call a
// person's.
func agreed(told []attribution.File) attribution.File {
	f := told[0]
	for _, other := range told[1:] {
		for i := range f.Lines {
			f.Lines[i].Owner = eitherOwner(f.Lines[i].Owner, other.Lines[i].Owner)
		}
		for i := range f.Removed {
			f.Removed[i].Owner = eitherOwner(f.Removed[i].Owner, other.Removed[i].Owner)
		}
	}
	return f
}

func eitherOwner(a, b attribution.Owner) attribution.Owner {
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
