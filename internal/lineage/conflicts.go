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

// linesOf returns all lines of a file that checkpoints record as written by people or
// agents; nil if there are too many.
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
		if sum += len(c.lines.prints); sum > recordedLinesMax {
			lines = nil
			break
		}
		for i, p := range c.lines.prints {
			if owner := &c.rec.Owners[c.lines.ranges[i].Owner]; owner.Class != attribution.ClassUnknown {
				lines[p] = append(lines[p], recordedLine{c.cp, c.rec, owner})
			}
		}
	}
	r.linesByPath[path] = lines
	return lines, nil
}

// contradicts reports whether an earlier checkpoint contradicts the owner o of a line:
// o may only have brought back what the earlier owner wrote. A recorded tool call of o is
// proof that o wrote it.
func (k recordedLine) contradicts(o attribution.RecordOwner) bool {
	switch o.Class {
	case attribution.ClassHuman:
		return k.owner.Class == attribution.ClassAgent
	case attribution.ClassAgent:
		return o.ToolUseID == "" && (k.owner.Class != o.Class || k.owner.SessionID != o.SessionID)
	}
	return false
}

// markContradicted marks as unknown the lines to which the commit's checkpoint gives another owner
// than an earlier checkpoint of the file does. Nothing shows whether the line was written
// again or brought back (git checkout OLD -- FILE, git cherry-pick -n, a patch). Lines
// that the parent has, too, are no evidence.
func (s *search) markContradicted(ctx context.Context) error {
	v := s.v
	for i, f := range v.origins {
		if f == nil || f.line > 0 || f.Evidence != Recorded && f.Evidence != Aligned || !s.distinctive[i] || s.inParent[s.prints[i]] {
			continue
		}
		doubtful, err := v.contradicted(ctx, f.Owner, s.prints[i])
		if err != nil {
			return err
		}
		if doubtful {
			s.assign(i, source{Origin: unknown(None)})
		}
	}
	return nil
}

// contradicted reports whether an earlier checkpoint contradicts the owner that the commit's
// checkpoint gives to a distinctive line, or the line is older than all checkpoints.
func (v *version) contradicted(ctx context.Context, o attribution.RecordOwner, p attribution.Print) (bool, error) {
	if o.Class == attribution.ClassUnknown || o.Class == attribution.ClassAgent && o.ToolUseID != "" {
		return false, nil
	}
	if o.Class == attribution.ClassHuman {
		if old, err := v.inBaseline(ctx, p); err != nil || old {
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
		if later, err := v.r.recordedAfter(ctx, k.rec, v.c); err != nil || !later {
			return err == nil, err
		}
	}
	return false, nil
}

// markUncommittedContradicted is markContradicted for the uncommitted lines of a file.
func (r *Resolver) markUncommittedContradicted(ctx context.Context, path string, lines []Line) error {
	var known map[attribution.Print][]recordedLine
	var head, old map[attribution.Print]bool
	for i := range lines {
		l := &lines[i]
		text := append([]byte(l.Text), '\n')
		if !l.Commit.IsZero() || l.Origin.Owner.Class != attribution.ClassHuman && l.Origin.Owner.Class != attribution.ClassAgent || !attribution.Distinctive(text) {
			continue
		}
		if head == nil {
			var err error
			if known, err = r.records.linesOf(ctx, path); err != nil {
				return err
			}
			if old, err = r.baselineLines(ctx, path); err != nil {
				return err
			}
			if head, err = r.distinctiveAtHead(ctx, path); err != nil {
				return err
			}
		}
		p := attribution.PrintLines(text)[0]
		contradicts := func(k recordedLine) bool { return k.contradicts(l.Origin.Owner) }
		if !head[p] && (old[p] && l.Origin.Owner.Class == attribution.ClassHuman || slices.ContainsFunc(known[p], contradicts)) {
			l.Origin = unknown(Uncommitted)
		}
	}
	return nil
}

// distinctiveAtHead returns the distinctive lines of the file in HEAD.
func (r *Resolver) distinctiveAtHead(ctx context.Context, path string) (map[attribution.Print]bool, error) {
	head, born, err := r.repo.Reader(ctx).CommitOf("HEAD")
	if err != nil || !born {
		return map[attribution.Print]bool{}, err
	}
	return r.distinctiveIn(ctx, versionKey{head.OID, path})
}
