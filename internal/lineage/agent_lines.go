package lineage

import (
	"context"

	"entire/internal/attribution"
)

const (
	// recentMax bounds how many of the newest records are searched for agents' lines under
	// other paths, and namesMax in how many other files.
	recentMax = 300
	namesMax  = 8
)

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
			c := &candidate{cp: cp, rec: rec, file: f, lines: attribution.WrittenLines(f)}
			for k, p := range c.lines.Prints {
				if rec.Owners[c.lines.Ranges[k].Owner].Class == attribution.ClassAgent {
					r.agentByPrint[p] = append(r.agentByPrint[p], c)
				}
			}
		}
	}
	return r.agentByPrint, nil
}
