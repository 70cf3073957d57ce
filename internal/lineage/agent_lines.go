package lineage

import (
	"context"

	"entire/internal/attribution"
)

const (
	// recentMax bounds how many of the newest records are searched for lines under
	// other paths, and namesMax in how many other files.
	recentMax = 300
	namesMax  = 8
)

// notPeoples returns the lines of agents and of unknown authors in the newest records, each with the files that
// contain it, once.
func (r *lineRecords) notPeoples(ctx context.Context) (map[attribution.Print][]*candidate, error) {
	if r.notPeoplesByPrint != nil {
		return r.notPeoplesByPrint, nil
	}
	if err := r.list(ctx); err != nil {
		return nil, err
	}
	if err := r.load(ctx, r.recent); err != nil {
		return nil, err
	}
	r.notPeoplesByPrint = map[attribution.Print][]*candidate{}
	for _, cp := range r.recent {
		rec := r.loaded[cp]
		if rec == nil {
			continue
		}
		for i := range rec.Files {
			f := &rec.Files[i]
			c := &candidate{cp: cp, rec: rec, file: f, lines: attribution.WrittenLines(rec, f)}
			for k, p := range c.lines.Prints {
				list := r.notPeoplesByPrint[p]
				if rec.Owners[c.lines.Ranges[k].Owner].Class != attribution.ClassHuman && (len(list) == 0 || list[len(list)-1] != c) {
					r.notPeoplesByPrint[p] = append(list, c)
				}
			}
		}
	}
	return r.notPeoplesByPrint, nil
}
