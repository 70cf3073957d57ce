package timeline

import (
	"context"
	"errors"
	"iter"
	"slices"
	"time"

	"entire/checkpoint/metadata"
	"entire/checkpoint/records"
	"entire/id"
	"entire/internal/git"
	"entire/strategy/condense"
	"entire/strategy/rewind"
	"entire/strategy/sessionstate"
	"entire/strategy/step"
)

// An entry is a point as the list keeps it: everything else is read again when it is shown, so that
// 100,000 points take a few megabytes.
type entry struct {
	oid     git.OID
	takenBy git.OID
	when    int64 // Unix seconds
	session int32 // index in list.sessions; -1 for none
	turn    int32
	more    int32 // index in list.rewinds for a rewind; -1 for none
	kind    uint8 // index in kinds
	lane    uint8
}

var kinds = []Kind{Turn, Task, Auto, Label, Commit, Rewind, Saved, Outside}

func (e entry) Kind() Kind { return kinds[e.kind] }

// A list is the past as far as it was read.
type list struct {
	entries  []entry
	sessions []string
	known    map[string]int32
	rewinds  []condense.RewindEntry
	links    metadata.Links
	takenIn  map[git.OID]id.CheckpointID   // by the commit that took the steps
	naming   map[id.CheckpointID][]git.OID // the commits of the list that name a checkpoint, newest first
	lanes    lanes
	next     func() (entry, error, bool) // nil when everything was read
	failed   bool                        // it cannot be read further, and entries may lack some
	stop     func()
}

// read reads on until the list has n entries, or all.
func (l *list) read(ctx context.Context, n int) error {
	for l.next != nil && len(l.entries) < n {
		if err := ctx.Err(); err != nil {
			return err
		}
		e, err, ok := l.next()
		if err != nil || !ok {
			l.close()
			l.failed = err != nil
			if err != nil {
				return err
			}
			break
		}
		e.lane = l.lanes.of(e.session, len(l.entries))
		l.entries = append(l.entries, e)
	}
	return nil
}

func (l *list) close() {
	if l.stop != nil {
		l.stop()
	}
	l.next, l.stop = nil, nil
}

func (l *list) sessionIndex(name string) int32 {
	if name == "" {
		return -1
	}
	i, ok := l.known[name]
	if !ok {
		i = int32(len(l.sessions))
		l.sessions = append(l.sessions, name)
		l.known[name] = i
	}
	return i
}

// open begins a list. It reads the short sources and nothing yet of the long ones.
func open(ctx context.Context, s *sessionstate.Env) (*list, error) {
	l := &list{known: map[string]int32{}, takenIn: map[git.OID]id.CheckpointID{}, naming: map[id.CheckpointID][]git.OID{}}
	log, err := rewind.Log(ctx, s) // newest first
	if err != nil {
		return nil, err
	}
	l.rewinds = slices.DeleteFunc(log, func(e condense.RewindEntry) bool { return e.Kind == condense.RewindDropped && e.After == "" })
	labels, err := step.LabelSteps(ctx, s)
	if err != nil {
		return nil, err
	}
	if l.links, err = records.NewReader(s.Repo).Links(ctx); err != nil {
		return nil, err
	}
	left, err := step.LeftBranches(ctx, s)
	if err != nil {
		return nil, err
	}
	// The list outlives the call that began it, so its reading must not end with that call.
	ctx = context.WithoutCancel(ctx)
	sources := []iter.Seq2[found, error]{l.steps(step.LiveSteps(ctx, s))}
	for _, tip := range left {
		sources = append(sources, l.steps(step.StepsBelow(ctx, s, tip)))
	}
	sources = append(sources,
		l.commits(ctx, s),
		l.steps(step.KeptSteps(ctx, s, s.Now().Add(-s.KeepTurns))),
		l.labels(labels),
		l.rewound(),
	)
	l.next, l.stop = iter.Pull2(merge(sources...))
	return l, nil
}

// takerOf returns the commit that has the work which a commit took into a checkpoint: that commit or, where it was
// amended, rebased or squashed, the newest of the list that names the checkpoint.
func (l *list) takerOf(takenBy git.OID, cp id.CheckpointID) git.OID {
	now := l.naming[cp]
	if len(now) == 0 || slices.Contains(now, takenBy) {
		return takenBy
	}
	return now[0]
}

// A found entry knows, until it has its place, the commit that a step was made on; zero for others.
type found struct {
	entry
	base git.OID
}

// steps yields the listed steps of a walk.
func (l *list) steps(walk iter.Seq2[step.ListedStep, error]) iter.Seq2[found, error] {
	return func(yield func(found, error) bool) {
		for st, err := range walk {
			if err != nil {
				yield(found{}, err)
				return
			}
			if !st.TakenIn.IsZero() {
				l.takenIn[st.TakenBy] = st.TakenIn
			}
			if step.IsListed(st.Step) && !yield(l.ofStep(st), nil) {
				return
			}
		}
	}
}

func (l *list) ofStep(st step.ListedStep) found {
	return found{base: st.Info.Base, entry: entry{oid: st.OID, takenBy: st.TakenBy, when: st.Author.When.Unix(), session: l.sessionIndex(st.Info.RawSession), turn: int32(st.Info.Turn),
		more: -1, kind: uint8(slices.Index(kinds, KindOf(st.Info.Kind, st.Info.Label, st.Info.Why)))}}
}

func (l *list) labels(steps []step.Step) iter.Seq2[found, error] {
	return func(yield func(found, error) bool) {
		for _, st := range steps {
			if !yield(l.ofStep(step.ListedStep{Step: st}), nil) {
				return
			}
		}
	}
}

// commits yields HEAD and its first parents.
func (l *list) commits(ctx context.Context, s *sessionstate.Env) iter.Seq2[found, error] {
	return func(yield func(found, error) bool) {
		head, ok, err := s.Repo.Reader(ctx).CommitOf("HEAD")
		if err != nil {
			yield(found{}, err)
		}
		if err != nil || !ok {
			return
		}
		kind := uint8(slices.Index(kinds, Commit))
		for c, err := range step.Ancestors(ctx, s, head, 1<<30) {
			if errors.Is(err, git.ErrMissing) { // a shallow clone ends here
				s.Log.Debug("the history ends", "err", err)
				return
			}
			if err != nil {
				yield(found{}, err)
				return
			}
			for _, cp := range l.links.Of(c.OID, c.Message) {
				l.naming[cp] = append(l.naming[cp], c.OID)
			}
			if !yield(found{entry: entry{oid: c.OID, when: c.Committer.When.Unix(), session: -1, more: -1, kind: kind}}, nil) {
				return
			}
		}
	}
}

func (l *list) rewound() iter.Seq2[found, error] {
	return func(yield func(found, error) bool) {
		kind := uint8(slices.Index(kinds, Rewind))
		for i, e := range l.rewinds {
			oid, err := git.ParseOID(e.After)
			if err != nil {
				continue
			}
			if !yield(found{entry: entry{oid: oid, when: e.At.Unix(), session: l.sessionIndex(e.Session), more: int32(i), kind: kind}}, nil) {
				return
			}
		}
	}
}

// merge merges sources whose entries are each in order, the newest first. Of entries of one second
// those of an earlier source come first, but a step comes before the commit that it was made on and
// after all newer commits. A source's order stays, also where its times are wrong. The first of several
// entries with the same kind and object is kept.
func merge(sources ...iter.Seq2[found, error]) iter.Seq2[entry, error] {
	type head struct {
		found
		next func() (found, error, bool)
		ok   bool
	}
	return func(yield func(entry, error) bool) {
		heads := make([]*head, 0, len(sources))
		for _, src := range sources {
			next, stop := iter.Pull2(src)
			defer stop()
			heads = append(heads, &head{next: next, ok: true})
		}
		var failed error
		advance := func(h *head) bool {
			var err error
			if h.found, err, h.ok = h.next(); err != nil {
				failed = err
			}
			return failed == nil
		}
		for _, h := range heads {
			if !advance(h) {
				yield(entry{}, failed)
				return
			}
		}
		type seen struct {
			oid  git.OID
			kind uint8
		}
		given := map[seen]bool{}
		now := commitsOf{}
		for {
			var first *head
			for _, h := range heads {
				if h.ok && (first == nil || h.when > first.when || h.when == first.when && now.isNewer(h.found, first.found)) {
					first = h
				}
			}
			if first == nil {
				return
			}
			if key := (seen{first.oid, first.kind}); first.Kind() == Commit || !given[key] {
				if first.Kind() != Commit { // a commit has one source
					given[key] = true
				}
				now.note(first.entry)
				if !yield(first.entry, nil) {
					return
				}
			}
			if !advance(first) {
				yield(entry{}, failed)
				return
			}
		}
	}
}

// commitsOf are the commits of one second that have their places.
type commitsOf struct {
	when int64
	oids []git.OID
}

func (c *commitsOf) note(e entry) {
	if e.when != c.when {
		c.when, c.oids = e.when, c.oids[:0]
	}
	if e.Kind() == Commit {
		c.oids = append(c.oids, e.oid)
	}
}

// isNewer reports whether a comes before b although both are of one second: one is a step, the other a
// commit, and the step's base tells.
func (c *commitsOf) isNewer(a, b found) bool {
	stepIsNewer := func(st, commit found) bool {
		return st.base == commit.oid || st.when == c.when && slices.Contains(c.oids, st.base)
	}
	switch {
	case b.Kind() == Commit && !a.base.IsZero():
		return stepIsNewer(a, b)
	case a.Kind() == Commit && !b.base.IsZero():
		return !stepIsNewer(b, a)
	}
	return false
}

func (e entry) time() time.Time { return time.Unix(e.when, 0) }
