package lineage

import (
	"context"
	"slices"

	"entire/id"
	"entire/internal/attribution"
)

// knownMax bounds the recorded lines of one file that are searched for lines that came
// back.
const knownMax = 500_000

// knownLine is a line that a checkpoint records.
type knownLine struct {
	cp    id.CheckpointID
	rec   *attribution.Record
	owner *attribution.RecordOwner
}

// linesOf returns all lines of a file that checkpoints record as written by people or
// agents; nil if there are too many.
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

// contradicts reports whether an earlier checkpoint casts doubt on the owner o of a line:
// o may only have brought back what the earlier owner wrote. A recorded tool call of o is
// proof that o wrote it.
func (k knownLine) contradicts(o attribution.RecordOwner) bool {
	switch o.Class {
	case attribution.ClassHuman:
		return k.owner.Class == attribution.ClassAgent
	case attribution.ClassAgent:
		return o.ToolUseID == "" && (k.owner.Class != o.Class || k.owner.SessionID != o.SessionID)
	}
	return false
}

// doubt marks as unknown the lines to which the commit's checkpoint gives another owner
// than an earlier checkpoint of the file does. Nothing shows whether the line was written
// again or brought back (git checkout OLD -- FILE, git cherry-pick -n, a patch). Lines
// that the parent has, too, are no evidence.
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

// doubtful reports whether an earlier checkpoint contradicts the owner that the commit's
// checkpoint gives to a distinctive line, or the line is older than all checkpoints.
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

// doubtNow is doubt for the uncommitted lines of a file.
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

// linesAtHead returns the distinctive lines of the file in HEAD.
func (r *Resolver) linesAtHead(ctx context.Context, path string) (map[attribution.Print]bool, error) {
	head, born, err := r.repo.Reader(ctx).CommitOf("HEAD")
	if err != nil || !born {
		return map[attribution.Print]bool{}, err
	}
	return r.linesIn(ctx, versionKey{head.OID, path})
}
