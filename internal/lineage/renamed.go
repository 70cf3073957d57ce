package lineage

import (
	"context"

	"entire/internal/attribution"
	"entire/internal/git"
	"entire/internal/pathtext"
)

const (
	// recentMax bounds how many of the newest records are searched for agents' lines under
	// other paths, and namesMax how many such files are compared for one version.
	recentMax = 300
	namesMax  = 8
	// similarShare is the share of a version's distinctive lines that a file of another path
	// must have to count as the same file, renamed.
	similarShare = 0.5
)

// renamedCandidates returns records of the file under another path. Git carries a change
// over to the file's present path (in a cherry-pick, or merge --squash), and the message
// may not name the checkpoint.
func (s *search) renamedCandidates(ctx context.Context) ([]candidate, error) {
	v := s.v
	if len(v.c.checkpoints) > 0 {
		return nil, nil
	}
	known, err := v.r.records.agentLines(ctx)
	if err != nil || len(known) == 0 {
		return nil, err
	}
	var list []candidate
	seen := map[*attribution.RecordFile]bool{}
	for _, i := range s.pending {
		if !s.distinctive[i] || s.inParent[s.prints[i]] {
			continue
		}
		for _, c := range known[s.prints[i]] {
			if seen[c.file] || len(seen) == namesMax {
				continue
			}
			seen[c.file] = true
			if is, err := s.isRenamed(ctx, c); err != nil {
				return nil, err
			} else if is {
				list = append(list, *c)
			}
		}
	}
	return list, nil
}

func (s *search) isRenamed(ctx context.Context, c *candidate) (bool, error) {
	v := s.v
	path := pathtext.Decode(c.file.Path)
	if later, err := v.r.recordedAfter(ctx, c.rec, v.c); err != nil || later || path == v.key.path {
		return false, err
	}
	key := versionKey{v.c.OID, path}
	if err := v.r.locate(ctx, []versionKey{key}); err != nil || !v.r.blobs[key].IsZero() {
		return false, err
	}
	oid, err := git.ParseOID(c.file.Blob)
	if err != nil {
		return false, nil
	}
	texts, err := v.r.texts(ctx, oid)
	if err != nil || texts == nil {
		return false, err
	}
	has := map[attribution.Print]bool{}
	for _, p := range attribution.PrintLines(texts[0]) {
		has[p] = true
	}
	shared, of := 0, 0
	for i, p := range s.prints {
		if s.distinctive[i] {
			of++
			if has[p] {
				shared++
			}
		}
	}
	return float64(shared) >= similarShare*float64(of), nil
}

// agentLines returns the agents' lines in the newest records, each with the files that
// contain it.
func (r *lineRecords) agentLines(ctx context.Context) (map[attribution.Print][]*candidate, error) {
	if r.agentByPrint != nil {
		return r.agentByPrint, nil
	}
	if err := r.list(ctx); err != nil {
		return nil, err
	}
	if err := r.load(ctx, r.recent); err != nil {
		return nil, err
	}
	r.agentByPrint = map[attribution.Print][]*candidate{}
	for _, cp := range r.recent {
		rec := r.loaded[cp]
		if rec == nil {
			continue
		}
		for i := range rec.Files {
			f := &rec.Files[i]
			c := &candidate{cp: cp, rec: rec, file: f, lines: attribution.WrittenLines(f), score: 1} // it is found only through a line that it has
			for k, p := range c.lines.Prints {
				if rec.Owners[c.lines.Ranges[k].Owner].Class == attribution.ClassAgent {
					r.agentByPrint[p] = append(r.agentByPrint[p], c)
				}
			}
		}
	}
	return r.agentByPrint, nil
}
