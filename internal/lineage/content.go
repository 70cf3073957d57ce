package lineage

import (
	"context"
	"slices"

	"entire/id"
	"entire/internal/attribution"
	"entire/internal/git"
	"entire/internal/pathtext"
)

// candidate is a record of the same path in a checkpoint that the commit does not name.
type candidate struct {
	cp    id.CheckpointID
	rec   *attribution.Record
	file  *attribution.RecordFile
	lines attribution.Written
	score int // how many of the distinctive lines that have no owner yet the record has
}

// byContent looks for the lines without an owner in all checkpoints that record the file.
// A line that the parent has, too, is no evidence, because it is a copy.
func (s *search) byContent(ctx context.Context) error {
	if len(s.pending) == 0 {
		return nil
	}
	list, err := s.candidates(ctx)
	if err != nil {
		return err
	}
	matched, err := s.matchAll(ctx, list)
	if err != nil {
		return err
	}
	if err := s.markReturned(ctx, matched); err != nil {
		return err
	}
	if err := s.fromCopied(ctx); err != nil {
		return err
	}
	return s.assignMovedOut(ctx)
}

// matchAll assigns the owners that the records name. Where the records disagree, the owner
// is unknown. It returns the lines that it matched one by one, although no record has this version.
func (s *search) matchAll(ctx context.Context, list []candidate) (map[int]bool, error) {
	matched := map[int]bool{}
	owners := ownersByPrint(list)
	for _, c := range list {
		if c.file.Blob == s.v.blob.String() {
			for _, i := range s.pending {
				if g := c.file.At(i + 1); g != nil && !g.Moved {
					s.assign(i, source{Origin: s.v.r.records.origin(c.rec, c.cp, g, Content)})
				}
			}
			s.dropAssigned()
		}
	}
	for _, c := range list {
		if c.score == 0 {
			continue
		}
		now, strong := s.lines()
		for k, i := range s.pending {
			strong[k] = strong[k] && !s.inParent[s.prints[i]]
		}
		for k, i := range c.lines.Match(now, strong) {
			switch {
			case i < 0:
			case owners[now[k]].disputed && strong[k]:
				s.assign(s.pending[k], source{Origin: unknown(None)})
				s.matched = true
			default:
				s.assign(s.pending[k], source{Origin: s.v.r.records.origin(c.rec, c.cp, c.lines.Ranges[i], Content)})
				matched[s.pending[k]] = true
			}
		}
		s.dropAssigned()
	}
	held := slices.DeleteFunc(slices.Clone(list), func(c candidate) bool { return c.score == 0 })
	formatted, err := s.inRecordedVersions(ctx, held, Content)
	if err != nil {
		return nil, err
	}
	for _, i := range formatted {
		matched[i] = true
	}
	s.markDropped(list)
	for _, i := range s.pending { // a line that is not distinctive: a record of an agent leaves its owner unknown
		if o, ok := owners[s.prints[i]]; ok && (o.anyAgent && s.matched || !s.inParent[s.prints[i]] && (o.anyAgent || s.matched)) {
			s.assign(i, source{Origin: unknown(None)})
		}
	}
	s.dropAssigned()
	return matched, nil
}

// candidates returns the records of the file that may hold lines of the version, sorted by
// how many of them they hold.
func (s *search) candidates(ctx context.Context) ([]candidate, error) {
	r := s.v.r.records
	if err := r.list(ctx); err != nil {
		return nil, err
	}
	if s.tooMany = len(r.byPath[s.v.key.path]) > candidatesMax; s.tooMany {
		return nil, nil
	}
	all, err := r.candidatesOf(ctx, s.v.key.path)
	if err != nil {
		return nil, err
	}
	wanted := map[attribution.Print]bool{}
	for _, i := range s.pending {
		if s.distinctive[i] && !s.inParent[s.prints[i]] {
			wanted[s.prints[i]] = true
		}
	}
	var list []candidate
	for _, c := range all {
		if slices.Contains(s.v.c.checkpoints, c.cp) || slices.Contains(s.v.r.without, c.cp) {
			continue
		}
		if later, err := s.v.r.recordedAfter(ctx, c.rec, s.v.c); err != nil {
			return nil, err
		} else if later {
			continue
		}
		for _, p := range c.lines.Prints {
			if wanted[p] {
				c.score++
			}
		}
		list = append(list, c)
	}
	slices.SortStableFunc(list, func(a, b candidate) int { return b.score - a.score })
	return list, nil
}

// candidatesOf returns the records of a file, sorted by checkpoint ID.
func (r *lineRecords) candidatesOf(ctx context.Context, path string) ([]candidate, error) {
	if list, known := r.candidatesByPath[path]; known {
		return list, nil
	}
	list, err := r.recordsOf(ctx, path)
	if err != nil {
		return nil, err
	}
	for i := range list {
		list[i].lines = attribution.WrittenLines(list[i].rec, list[i].file)
	}
	r.candidatesByPath[path] = list
	return list, nil
}

// recordsOf is candidatesOf without the lines.
func (r *lineRecords) recordsOf(ctx context.Context, path string) (list []candidate, err error) {
	cps := r.byPath[path]
	if err := r.load(ctx, cps); err != nil {
		return nil, err
	}
	for _, cp := range cps {
		if rec := r.loaded[cp]; rec != nil {
			if f := rec.File(pathtext.Encode(path)); f != nil {
				list = append(list, candidate{cp: cp, rec: rec, file: f})
			}
		}
	}
	return list, nil
}

type printOwner struct {
	class, session     string
	disputed, anyAgent bool
}

// ownersByPrint returns the owner of each print in all records of the file, and whether
// they disagree.
func ownersByPrint(list []candidate) map[attribution.Print]printOwner {
	owners := map[attribution.Print]printOwner{}
	for _, c := range list {
		for i, p := range c.lines.Prints {
			o := c.rec.Owners[c.lines.Ranges[i].Owner]
			now := printOwner{class: o.Class, session: o.SessionID, anyAgent: o.Class == attribution.ClassAgent}
			if was, known := owners[p]; known {
				now.disputed = was.disputed || was.class != now.class || was.session != now.session
				now.anyAgent = now.anyAgent || was.anyAgent
			}
			owners[p] = now
		}
	}
	return owners
}

// assignRemaining assigns the lines that no record has. They are a person's if the tool was enabled and the
// commit's checkpoints record all that agents wrote; otherwise they are unknown.
func (s *search) assignRemaining(ctx context.Context) error {
	if len(s.pending) == 0 {
		return nil
	}
	v := s.v
	o := unknown(None)
	if !s.tooMany {
		all, err := v.r.recordsAll(ctx, v.c)
		if err != nil {
			return err
		}
		if all {
			if o, err = v.r.ownerWithoutRecord(ctx, v.c); err != nil {
				return err
			}
		}
	}
	if o.Owner.Class == attribution.ClassHuman {
		if err := s.markUnrecorded(ctx); err != nil {
			return err
		}
	}
	for _, i := range s.pending {
		s.assign(i, source{Origin: o})
	}
	s.dropAssigned()
	return nil
}

// markUnrecorded marks as unknown the lines that an agent may have written without a record, or that are older
// than the tool.
func (s *search) markUnrecorded(ctx context.Context) error {
	v := s.v
	missed, err := v.r.unlinkedWork(ctx)
	if err != nil {
		return err
	}
	s.assignRemembered(missed)
	old := map[int]bool{}
	for _, i := range s.pending {
		if s.distinctive[i] {
			if old[i], err = v.inBaseline(ctx, s.prints[i]); err != nil {
				return err
			}
		}
	}
	s.addBetween(old)
	unfound, texts := s.unfound(), attribution.SplitLines(v.text)
	for _, i := range s.pending {
		switch {
		case old[i]:
			s.assign(i, source{Origin: unknown(NotEnabled)})
		case unfound[s.prints[i]] > 0 && attribution.Letters(texts[i]) > 1, missed.mayHold(v.c.OID, s.prints[i], s.distinctive[i]):
			s.assign(i, source{Origin: unknown(None)})
		}
	}
	s.dropAssigned()
	return nil
}

// unfound counts the lines that agents wrote, as the records of the commit say, and that were not found in the version.
func (s *search) unfound() map[attribution.Print]int {
	left := map[attribution.Print]int{}
	for _, rec := range s.v.c.records() {
		for _, f := range filesFor(rec, s.v.key.path) {
			was := attribution.WrittenLines(rec, f)
			for i, p := range was.Prints {
				if rec.Owners[was.Ranges[i].Owner].Class == attribution.ClassAgent {
					left[p]++
				}
			}
		}
	}
	for i, o := range s.v.origins {
		if o != nil {
			left[s.prints[i]]--
		}
	}
	return left
}

// ownerWithoutRecord returns the owner of the lines of a commit that no record has.
func (r *Resolver) ownerWithoutRecord(ctx context.Context, c *commit) (Origin, error) {
	on, err := r.enabled(ctx, c)
	if err != nil || !on {
		return unknown(NotEnabled), err
	}
	// Lines of the commit that added the settings may be older than the settings.
	parent, err := r.parentOf(ctx, c)
	if err != nil || parent == nil {
		return unknown(NotEnabled), err
	}
	key := versionKey{parent.OID, enabledPath}
	if err := r.locate(ctx, []versionKey{key}); err != nil || r.blobs[key].IsZero() {
		return unknown(NotEnabled), err
	}
	if len(c.checkpoints) > 0 {
		return Origin{Owner: attribution.RecordOwner{Class: attribution.ClassHuman}, Evidence: NotRecorded}, nil
	}
	return Origin{Owner: attribution.RecordOwner{Class: attribution.ClassHuman}, Evidence: NoAgentWork}, nil
}

// holdsRecorded reports whether a commit that names no checkpoint has a file with exactly
// the content that some checkpoint, not a later one, recorded. Such a commit contains recorded work.
func (r *Resolver) holdsRecorded(ctx context.Context, c *commit) (bool, error) {
	if c.holdsRecorded != nil {
		return *c.holdsRecorded, nil
	}
	c.holdsRecorded = new(bool)
	if err := r.records.list(ctx); err != nil || len(r.records.byPath) == 0 {
		return false, err
	}
	changes, err := r.changed(ctx, c)
	if err != nil {
		return false, err
	}
	for _, ch := range changes {
		cps := r.records.byBlob[ch.Path+"\x00"+ch.New.String()]
		if err := r.records.load(ctx, cps); err != nil {
			return false, err
		}
		for _, cp := range cps {
			if rec := r.records.loaded[cp]; rec != nil && ch.NewMode != 0 {
				if later, err := r.recordedAfter(ctx, rec, c); err != nil || !later {
					*c.holdsRecorded = err == nil
					return err == nil, err
				}
			}
		}
	}
	return false, nil
}

// walkMax bounds how many commits with the same time are visited.
const walkMax = 200

// recordedAfter reports whether the record was made on top of the commit: then the commit cannot
// contain the recorded work, even if both have equal lines. It compares the times and, for
// equal times, the parents.
func (r *Resolver) recordedAfter(ctx context.Context, rec *attribution.Record, c *commit) (bool, error) {
	at := c.Committer.When.Unix()
	if at != rec.Time {
		return at < rec.Time, nil
	}
	parent, err := git.ParseOID(rec.Parent)
	if err != nil {
		return false, nil
	}
	level := []git.OID{parent}
	for n := 0; len(level) > 0 && n < walkMax; n++ {
		oid := level[0]
		if level = level[1:]; oid == c.OID {
			return true, nil
		}
		if err := r.load(ctx, []git.OID{oid}); err != nil {
			return false, err
		}
		if p := r.commits[oid]; p != nil && p.Committer.When.Unix() >= at {
			level = append(level, p.Parents...)
		}
	}
	return false, nil
}
