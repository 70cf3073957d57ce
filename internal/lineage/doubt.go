package lineage

import (
	"context"
	"slices"

	"entire/id"
	"entire/internal/attribution"
)

// knownMax bounds the recorded lines of one file that are gone through for those that
// came back.
const knownMax = 500_000

// knownLine is a line as a checkpoint has recorded it.
type knownLine struct {
	cp    id.CheckpointID
	rec   *attribution.Record
	owner *attribution.RecordOwner
}

// linesOf are all lines that checkpoints have recorded as written in a file, of people
// or agents; nil where they are too many.
func (r *records) linesOf(ctx context.Context, path string) (map[attribution.Print][]knownLine, error) {
	if lines, known := r.lines[path]; known {
		return lines, nil
	}
	if err := r.list(ctx); err != nil {
		return nil, err
	}
	if len(r.byPath[path]) > candidatesMax {
		return nil, nil
	}
	all, err := r.ofPath(ctx, path)
	if err != nil {
		return nil, err
	}
	lines, sum := map[attribution.Print][]knownLine{}, 0
	for _, c := range all {
		if sum += len(c.lines.prints); sum > knownMax {
			lines = nil
			break
		}
		for i, p := range c.lines.prints {
			if owner := &c.rec.Owners[c.lines.ranges[i].Owner]; owner.Class != attribution.ClassUnknown {
				lines[p] = append(lines[p], knownLine{c.cp, c.rec, owner})
			}
		}
	}
	r.lines[path] = lines
	return lines, nil
}

// contradicts reports whether an earlier checkpoint's account of a line that an owner
// is said to have written anew leaves that open: the other one's words may only have
// been brought back. A call that wrote them is proof.
func (k knownLine) contradicts(o attribution.RecordOwner) bool {
	switch o.Class {
	case attribution.ClassHuman:
		return k.owner.Class == attribution.ClassAgent
	case attribution.ClassAgent:
		return o.ToolUseID == "" && (k.owner.Class != o.Class || k.owner.SessionID != o.SessionID)
	}
	return false
}

// doubt leaves lines to nobody that the commit's checkpoint gives to one and an earlier
// one of the file to another: whether they were brought back (git checkout OLD -- FILE,
// git cherry-pick -n, a patch) or written again, nothing tells. What the parent has is
// no evidence.
func (s *search) doubt(ctx context.Context) error {
	v := s.v
	for i, f := range v.origins {
		if f == nil || f.line > 0 || f.Evidence != Recorded && f.Evidence != Aligned || !s.strong[i] || s.before[s.prints[i]] {
			continue
		}
		doubtful, err := v.doubtful(ctx, f.Owner, s.prints[i])
		if err != nil {
			return err
		}
		if doubtful {
			s.give(i, found{Origin: unknown(None)})
		}
	}
	return nil
}

// doubtful reports whether an earlier checkpoint contradicts what one of the commit's
// says of a line, or the line is older than all of them, if that says enough.
func (v *version) doubtful(ctx context.Context, o attribution.RecordOwner, p attribution.Print) (bool, error) {
	if o.Class == attribution.ClassUnknown || o.Class == attribution.ClassAgent && o.ToolUseID != "" {
		return false, nil
	}
	if o.Class == attribution.ClassHuman {
		if old, err := v.isOld(ctx, p); err != nil || old {
			return old, err
		}
	}
	lines, err := v.r.records.linesOf(ctx, v.key.path)
	if err != nil {
		return false, err
	}
	for _, k := range lines[p] {
		if !k.contradicts(o) || slices.Contains(v.c.checkpoints, k.cp) {
			continue
		}
		if later, err := v.r.later(ctx, k.rec, v.c); err != nil || !later {
			return err == nil, err
		}
	}
	return false, nil
}

// doubtNow is doubt for lines that are in no commit; texts are the worktree's.
func (r *Resolver) doubtNow(ctx context.Context, path string, lines []Line) error {
	var known map[attribution.Print][]knownLine
	var head, old map[attribution.Print]bool
	for i := range lines {
		l := &lines[i]
		text := append([]byte(l.Text), '\n')
		if !l.Commit.IsZero() || l.Origin.Owner.Class != attribution.ClassHuman && l.Origin.Owner.Class != attribution.ClassAgent || !attribution.Strong(text) {
			continue
		}
		if head == nil {
			var err error
			if known, err = r.records.linesOf(ctx, path); err != nil {
				return err
			}
			if old, err = r.oldLinesOf(ctx, path); err != nil {
				return err
			}
			if head, err = r.linesAtHead(ctx, path); err != nil {
				return err
			}
		}
		p := attribution.PrintLines(text)[0]
		contradicts := func(k knownLine) bool { return k.contradicts(l.Origin.Owner) }
		if !head[p] && (old[p] && l.Origin.Owner.Class == attribution.ClassHuman || slices.ContainsFunc(known[p], contradicts)) {
			l.Origin = unknown(Uncommitted)
		}
	}
	return nil
}

// linesAtHead are the lines of HEAD's version of a file that say enough.
func (r *Resolver) linesAtHead(ctx context.Context, path string) (map[attribution.Print]bool, error) {
	head, born, err := r.repo.Reader(ctx).CommitOf("HEAD")
	if err != nil || !born {
		return map[attribution.Print]bool{}, err
	}
	return r.linesIn(ctx, versionKey{head.OID, path})
}
