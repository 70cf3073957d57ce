package lineage

import (
	"context"
	"slices"

	"entire/id"
	"entire/internal/attribution"
)

// recordedLinesMax bounds the recorded lines of one file that are searched for lines that came
// back.
const recordedLinesMax = 500_000

// recordedLine is a line that a checkpoint records.
type recordedLine struct {
	cp    id.CheckpointID
	rec   *attribution.Record
	owner *attribution.RecordOwner
}

// linesOf returns all lines of a file that checkpoints record, each once for its owner in a checkpoint, and those that an
// agent wrote and the commit did not keep, as of an unknown author; nil if there are too many.
func (r *lineRecords) linesOf(ctx context.Context, path string) (map[attribution.Print][]recordedLine, error) {
	if lines, known := r.linesByPath[path]; known {
		return lines, nil
	}
	if err := r.list(ctx); err != nil {
		return nil, err
	}
	if len(r.byPath[path]) > candidatesMax {
		return nil, nil
	}
	all, err := r.candidatesOf(ctx, path)
	if err != nil {
		return nil, err
	}
	lines, sum := map[attribution.Print][]recordedLine{}, 0
	for _, c := range all {
		if sum += len(c.lines.Prints) + len(c.file.Dropped); sum > recordedLinesMax {
			lines = nil
			break
		}
		add := func(p attribution.Print, owner *attribution.RecordOwner) {
			if k := (recordedLine{c.cp, c.rec, owner}); !slices.Contains(lines[p], k) {
				lines[p] = append(lines[p], k)
			}
		}
		for i, p := range c.lines.Prints {
			add(p, &c.rec.Owners[c.lines.Ranges[i].Owner])
		}
		dropped := &attribution.RecordOwner{Class: attribution.ClassUnknown}
		for _, p := range c.file.Dropped {
			add(p, dropped)
		}
	}
	r.linesByPath[path] = lines
	return lines, nil
}

// mayContradict reports whether any checkpoint records an owner of lines of the file who contradicts o. Most
// files have none, so their lines need not be listed.
func (r *lineRecords) mayContradict(ctx context.Context, path string, o attribution.RecordOwner) (bool, error) {
	owners, known := r.ownersByPath[path]
	if !known {
		if err := r.list(ctx); err != nil {
			return false, err
		}
		owners = map[attribution.RecordOwner]bool{}
		if len(r.byPath[path]) <= candidatesMax { // the lines of more are not listed
			files, err := r.recordsOf(ctx, path)
			if err != nil {
				return false, err
			}
			for _, c := range files {
				for i := range c.file.Ranges {
					by := &c.rec.Owners[c.file.Ranges[i].Owner]
					owners[attribution.RecordOwner{Class: by.Class, SessionID: by.SessionID}] = true
				}
				if len(c.file.Dropped) > 0 {
					owners[attribution.RecordOwner{Class: attribution.ClassUnknown}] = true
				}
			}
		}
		r.ownersByPath[path] = owners
	}
	for by := range owners {
		if (recordedLine{owner: &by}).contradicts(o) {
			return true, nil
		}
	}
	return false, nil
}

// contradicts reports whether an earlier checkpoint contradicts the owner o of a line:
// o may only have brought back what the earlier owner wrote. A recorded tool call of o is
// proof that o wrote it. Where that checkpoint does not know the author, it may have been an agent, and a person may
// have brought the line back.
func (k recordedLine) contradicts(o attribution.RecordOwner) bool {
	switch o.Class {
	case attribution.ClassHuman:
		return k.owner.Class == attribution.ClassAgent || k.owner.Class == attribution.ClassUnknown
	case attribution.ClassAgent:
		return o.ToolUseID == "" && k.owner.Class != attribution.ClassUnknown && (k.owner.Class != o.Class || k.owner.SessionID != o.SessionID)
	}
	return false
}

// assignEarlier gives lines to the owner that an earlier checkpoint of the file names for the same text, where
// the commit's checkpoint names another one: the line was brought back (git checkout OLD -- FILE, git cherry-pick
// -n, a patch). The line is unknown if earlier checkpoints disagree. Lines that the parent has, too, are no
// evidence.
func (s *search) assignEarlier(ctx context.Context) error {
	v := s.v
	for i, f := range v.origins {
		if f == nil || f.line > 0 || f.Evidence != Recorded && f.Evidence != Aligned || !s.distinctive[i] || s.inParent[s.prints[i]] {
			continue
		}
		o, found, err := v.earlier(ctx, f.Owner, s.prints[i])
		if err != nil {
			return err
		}
		if found {
			s.assign(i, source{Origin: o})
		}
	}
	return nil
}

// earlier returns the origin that an earlier checkpoint names for a distinctive line, if that contradicts the
// owner in the commit's checkpoint, or the line is older than all checkpoints.
func (v *version) earlier(ctx context.Context, o attribution.RecordOwner, p attribution.Print) (Origin, bool, error) {
	if o.Class == attribution.ClassUnknown || o.Class == attribution.ClassAgent && o.ToolUseID != "" {
		return Origin{}, false, nil
	}
	if old, err := v.inBaseline(ctx, p); err != nil || old {
		return unknown(NotEnabled), old, err
	}
	if may, err := v.r.records.mayContradict(ctx, v.key.path, o); err != nil || !may {
		return Origin{}, false, err
	}
	lines, err := v.r.records.linesOf(ctx, v.key.path)
	if err != nil {
		return Origin{}, false, err
	}
	var earlier []recordedLine
	for _, k := range lines[p] {
		if slices.Contains(v.c.checkpoints, k.cp) {
			continue
		}
		later, err := v.r.recordedAfter(ctx, k.rec, v.c)
		if err != nil {
			return Origin{}, false, err
		}
		if !later {
			earlier = append(earlier, k)
		}
	}
	if !slices.ContainsFunc(earlier, func(k recordedLine) bool { return k.contradicts(o) }) {
		return Origin{}, false, nil
	}
	return agreed(earlier), true, nil
}

// agreed returns the origin that recorded lines with one text name, unknown if they disagree. The agent who is
// recorded first wrote the line; a person is recorded where a commit brought it back. A checkpoint that does not know the
// author disagrees with no other.
func agreed(list []recordedLine) Origin {
	list = slices.DeleteFunc(slices.Clone(list), func(k recordedLine) bool { return k.owner.Class == attribution.ClassUnknown })
	if len(list) == 0 {
		return unknown(None)
	}
	first := list[0]
	for _, k := range list[1:] {
		if k.rec.Time < first.rec.Time {
			first = k
		}
	}
	for _, k := range list {
		if k.owner.Class != first.owner.Class || k.owner.SessionID != first.owner.SessionID {
			return unknown(None)
		}
	}
	return Origin{Owner: *first.owner, Checkpoint: first.cp, Evidence: Content}
}

// assignUncommittedEarlier is assignEarlier for the uncommitted lines of a file.
func (r *Resolver) assignUncommittedEarlier(ctx context.Context, path string, lines []Line) error {
	on, _, err := r.repo.Reader(ctx).CommitOf("HEAD")
	if err != nil {
		return err
	}
	var known map[attribution.Print][]recordedLine
	var head map[attribution.Print]bool
	for i := range lines {
		l := &lines[i]
		text := append([]byte(l.Text), '\n')
		if !l.Commit.IsZero() || l.Origin.Owner.Class != attribution.ClassHuman && l.Origin.Owner.Class != attribution.ClassAgent || !attribution.Distinctive(text) {
			continue
		}
		if head == nil {
			if known, err = r.records.linesOf(ctx, path); err != nil {
				return err
			}
			if head, err = r.distinctiveIn(ctx, versionKey{on.OID, path}); err != nil {
				return err
			}
		}
		p := attribution.PrintLine(text)
		if head[p] {
			continue
		}
		old := false
		if l.Origin.Owner.Class == attribution.ClassHuman {
			if old, err = r.olderThanTool(ctx, path, on.OID, p); err != nil {
				return err
			}
		}
		switch {
		case old:
			l.Origin = unknown(Uncommitted)
		case slices.ContainsFunc(known[p], func(k recordedLine) bool { return k.contradicts(l.Origin.Owner) }):
			l.Origin = agreed(known[p])
		}
	}
	return nil
}
