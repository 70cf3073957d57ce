package rescuecmd

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"entire/internal/cli/cliui"
	"entire/internal/git"
	"entire/internal/rescue/gather"
	"entire/internal/rescue/versions"
)

// filesPlan is what is to be written.
type filesPlan struct {
	files    []plannedFile
	nameless []gather.Nameless
	changed  int      // files with a content that nothing else knows, which stay
	newest   []string // files asked for by name that have the newest content that is known, and had others
	unknown  []string // files and folders asked for by name, as typed, that no evidence names
	named    int      // how many were asked for by name
	notes    []string
	now      time.Time
}

// plannedFile is a version that a file is to get.
type plannedFile struct {
	path    string
	why     versions.Why
	version versions.Version
	n       int // its number in --list
	of      int // how many versions are known
	mode    uint32
}

// plan chooses what is lost.
func (f *found) plan(ctx context.Context, env *cliui.Env, o filesOptions) (*filesPlan, error) {
	plan := &filesPlan{notes: f.Notes, now: env.Now()}
	var at time.Time
	if o.at != "" {
		var err error
		if at, err = cliui.Moment(o.at, env.Now(), true); err != nil {
			return nil, err
		}
	} else if len(o.paths) == 0 {
		plan.nameless = f.Nameless
	}
	plan.unknown, plan.named = f.unknown(o.paths), len(o.paths)
	paths := slices.Sorted(maps.Keys(f.files))
	present, moved, ignored := f.present(ctx, paths), f.moved(ctx), f.inIgnoredFolder(ctx, paths)
	for _, p := range paths {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		list := f.files[p]
		i, why := -1, versions.Same
		if o.at != "" {
			i, why = versions.ChooseAt(list, present[p], at)
		} else {
			i, why = versions.Choose(list, present[p], len(o.paths) > 0, moved)
		}
		if why == versions.Superior {
			plan.changed++
		}
		if i < 0 && why == versions.Same && len(o.paths) > 0 && len(list) > 1 {
			plan.newest = append(plan.newest, p)
		}
		if i < 0 || ignored[p] && len(o.paths) == 0 {
			continue
		}
		one := plannedFile{path: p, why: why, version: list[i], n: len(list) - i, of: len(list)}
		if one.mode = list[i].Mode; one.mode == 0 {
			one.mode = f.Listed[p].Mode
		}
		if one.mode == 0 {
			one.mode = git.ModeFile
		}
		if one.version.Size < 0 {
			content, err := f.Pool.Get(one.version.Content)
			if err != nil {
				plan.notes = append(plan.notes, fmt.Sprintf("%s: %v", cliui.ShownName(p), err))
				continue
			}
			one.version.Size = int64(len(content))
		}
		plan.files = append(plan.files, one)
	}
	return plan, nil
}

// unknown returns the paths, as typed, that have no known content.
func (f *found) unknown(typed []string) (none []string) {
	for i, path := range f.Paths {
		known := false
		for name, list := range f.files {
			known = known || len(list) > 0 && (path == "." || path == "" || name == path || strings.HasPrefix(name, path+"/"))
		}
		if !known {
			none = append(none, typed[i])
		}
	}
	return none
}

// whole returns the files that are known whole.
func (p *filesPlan) whole() []plannedFile {
	return slices.DeleteFunc(slices.Clone(p.files), func(f plannedFile) bool { return f.version.Sure == versions.Partial })
}

// bytes returns the size of the files.
func bytesOf(files []plannedFile) (n int64) {
	for _, f := range files {
		n += f.version.Size
	}
	return n
}
