package lineage

import (
	"context"
	"path"
	"slices"

	"entire/id"
	"entire/internal/attribution"
	"entire/internal/git"
	"entire/internal/pathtext"
)

const (
	// otherFilesMax bounds the other files of a commit that are searched for lines that it
	// moved, and candidatesMax the number of checkpoints, not named by the commit, that
	// are searched for a line.
	otherFilesMax = 50
	candidatesMax = 1000
)

// search holds the lines that a version wrote, until they have an owner.
type search struct {
	v           *version
	pending     []int // the lines without an owner, from 0, in order
	prints      attribution.Prints
	distinctive []bool                     // for every line: it is distinctive
	inParent    map[attribution.Print]bool // the prints in the parent's version
	matched     bool
	tooMany     bool // more than candidatesMax checkpoints record the file, which are not searched
}

// findOrigins finds the origins of the lines that the commit wrote or moved.
func (v *version) findOrigins(ctx context.Context) error {
	if v.trace != nil {
		return nil
	}
	s, err := v.startSearch(ctx)
	if err != nil || s == nil {
		return err
	}
	if v.exact == nil || v.hasSeveralRecords() {
		s.fromSame()
	}
	if v.hasSeveralRecords() {
		s.fromSeveral()
	}
	if v.exact != nil {
		s.inVersion(v.exactRec, v.exactID, v.exact, "")
	}
	if err := s.inOtherFiles(ctx); err != nil {
		return err
	}
	for cp, rec := range v.c.records() {
		s.inRecord(rec, cp, filesFor(rec, v.key.path), "")
	}
	if _, err := s.inRecordedVersions(ctx, s.named(), Aligned); err != nil {
		return err
	}
	if len(v.c.checkpoints) > 0 {
		if err := s.bySummary(ctx); err != nil {
			return err
		}
	}
	if err := s.byContent(ctx); err != nil {
		return err
	}
	if err := s.assignRemaining(ctx); err != nil {
		return err
	}
	if err := s.assignEarlier(ctx); err != nil {
		return err
	}
	if err := s.recordedMovedOut(ctx); err != nil {
		return err
	}
	return s.fromHistory(ctx)
}

// startSearch reads the version and its parent's version. It returns nil if they cannot be
// compared.
func (v *version) startSearch(ctx context.Context) (*search, error) {
	v.trace, v.origins = []int32{}, nil
	if err := v.r.load(ctx, append([]git.OID{v.parent.commit}, v.c.Parents[:min(1, len(v.c.Parents))]...)); err != nil {
		return nil, err
	}
	if err := v.r.locate(ctx, []versionKey{v.parent}); err != nil {
		return nil, err
	}
	texts, err := v.r.texts(ctx, v.blob, v.r.blobs[v.parent])
	atEdge := len(v.c.Parents) > 0 && v.r.commits[v.c.Parents[0]] == nil // of a shallow clone: nothing shows which lines are new
	if err != nil || texts == nil || v.blob.IsZero() || atEdge {
		return nil, err
	}
	v.text = texts[0]
	v.trace = v.r.compared.Trace(texts[1], texts[0])
	v.origins = make([]*source, len(v.trace))
	s := &search{v: v, prints: attribution.PrintLines(v.text), inParent: attribution.PrintSet(texts[1])}
	for i, line := range attribution.SplitLines(v.text) {
		s.distinctive = append(s.distinctive, attribution.Distinctive(line))
		if v.trace[i] < 0 {
			s.pending = append(s.pending, i)
		}
	}
	return s, nil
}

// texts reads blobs; the text of a zero ID is empty. It returns nil if a blob is missing,
// is binary, or is too large.
func (r *Resolver) texts(ctx context.Context, oids ...git.OID) ([][]byte, error) {
	out := make([][]byte, len(oids))
	var specs []string
	for _, oid := range oids {
		if _, ready := r.ready[oid]; !ready && !oid.IsZero() {
			specs = append(specs, oid.String())
		}
	}
	objs, err := r.repo.Reader(ctx).Small(attribution.MaxBytes, specs...)
	if err != nil {
		return nil, err
	}
	for i, oid := range oids {
		if oid.IsZero() {
			continue
		}
		o, ready := r.ready[oid]
		if !ready {
			o, objs = objs[0], objs[1:]
		}
		if o.Type != "blob" || o.Large || !attribution.Countable(o.Data) {
			return nil, nil
		}
		out[i] = o.Data
	}
	return out, nil
}

// textOf returns the text of a version, empty for a file that is not there; ok is false if it cannot be read.
func (r *Resolver) textOf(ctx context.Context, key versionKey) (text []byte, ok bool, err error) {
	if err := r.load(ctx, []git.OID{key.commit}); err != nil {
		return nil, false, err
	}
	if err := r.locate(ctx, []versionKey{key}); err != nil {
		return nil, false, err
	}
	texts, err := r.texts(ctx, r.blobs[key])
	if err != nil || texts == nil {
		return nil, false, err
	}
	return texts[0], true, nil
}

func (s *search) assign(line int, f source) {
	s.v.origins[line] = &f
	s.matched = s.matched || f.Checkpoint != id.CheckpointID{} || f.line > 0
}

// dropAssigned removes the lines that have an owner from left.
func (s *search) dropAssigned() {
	s.pending = slices.DeleteFunc(s.pending, func(i int) bool { return s.v.origins[i] != nil })
}

// inVersion assigns the owners in a record of exactly this version; only those of a class, unless it is "".
func (s *search) inVersion(rec *attribution.Record, cp id.CheckpointID, f *attribution.RecordFile, class string) {
	for i := range s.v.origins {
		if g := f.At(i + 1); g != nil && !g.Moved && s.v.origins[i] == nil && (class == "" || rec.Owners[g.Owner].Class == class) {
			s.assign(i, source{Origin: s.v.r.records.origin(rec, cp, g, Recorded)})
		}
	}
	s.dropAssigned()
}

// filesFor returns the files of a record that may be the file at a path: the file with the
// same path, otherwise those with the same name, otherwise any.
func filesFor(rec *attribution.Record, at string) []*attribution.RecordFile {
	if f := rec.File(pathtext.Encode(at)); f != nil {
		return []*attribution.RecordFile{f}
	}
	var same, any []*attribution.RecordFile
	for i := range rec.Files {
		f := &rec.Files[i]
		any = append(any, f)
		if path.Base(pathtext.Decode(f.Path)) == path.Base(at) {
			same = append(same, f)
		}
	}
	if len(same) > 0 {
		return same
	}
	return any[:min(len(any), otherFilesMax)]
}

// inRecord looks for the lines in files of one checkpoint that the commit names; only for those of a class, unless it is "".
func (s *search) inRecord(rec *attribution.Record, cp id.CheckpointID, files []*attribution.RecordFile, class string) {
	for _, f := range files {
		if len(s.pending) == 0 {
			return
		}
		was := attribution.WrittenLines(rec, f)
		now, strong := s.lines()
		for k, i := range was.Match(now, strong) {
			if i >= 0 && (class == "" || rec.Owners[was.Ranges[i].Owner].Class == class) {
				s.assign(s.pending[k], source{Origin: s.v.r.records.origin(rec, cp, was.Ranges[i], Aligned)})
			}
		}
		s.dropAssigned()
	}
}

// lines returns the prints of the lines without an owner, and which of them are
// distinctive.
func (s *search) lines() (attribution.Prints, []bool) {
	now, strong := make(attribution.Prints, len(s.pending)), make([]bool, len(s.pending))
	for k, i := range s.pending {
		now[k], strong[k] = s.prints[i], s.distinctive[i]
	}
	return now, strong
}

// inOtherFiles looks for lines that the commit removed from another file.
func (s *search) inOtherFiles(ctx context.Context) error {
	v := s.v
	if len(v.c.Parents) != 1 || len(s.pending) == 0 && (v.exact == nil || !v.maybeSplit()) {
		return nil
	}
	changes, err := v.r.changed(ctx, v.c)
	if err != nil {
		return err
	}
	n := 0
	for _, ch := range changes {
		if ch.Path == v.key.path || ch.OldMode == 0 {
			continue
		}
		if n++; n > otherFilesMax {
			return nil
		}
		if err := s.inOtherFile(ctx, ch); err != nil {
			return err
		}
	}
	return nil
}

func (s *search) inOtherFile(ctx context.Context, ch git.Change) error {
	v := s.v
	texts, err := v.r.texts(ctx, ch.Old, ch.New)
	if err != nil || texts == nil {
		return err
	}
	// Every line that the commit wrote may come from the other file, even if the record
	// names whoever moved it.
	var all []int
	for i := range v.origins {
		if v.trace[i] < 0 && (v.origins[i] == nil || v.origins[i].line == 0) {
			all = append(all, i)
		}
	}
	t := search{v: v, pending: all, prints: s.prints, distinctive: s.distinctive}
	now, strong := t.lines()
	gone, at := v.r.compared.RemovedLines(texts[0], texts[1], now, strong)
	for k, i := range attribution.Match(gone, now, strong) {
		if i >= 0 {
			s.assign(all[k], source{at: versionKey{v.c.Parents[0], ch.Path}, line: at[i] + 1})
		}
	}
	s.dropAssigned()
	return nil
}
