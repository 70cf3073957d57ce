package pages

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"entire/internal/cli/workplace"
)

// listedMax is how many names a page lists.
const listedMax = 500

// A filesPage lists the files below a folder, or those with a part of a name.
type filesPage struct {
	Folder  string      `json:"folder,omitempty"`
	Query   string      `json:"query,omitempty"`
	Entries []fileEntry `json:"entries"`
	Total   int         `json:"total"`
	Crumbs  []crumb     `json:"-"`
}

type fileEntry struct {
	Name   string `json:"name"`
	Path   string `json:"path"`
	Folder bool   `json:"folder,omitempty"`
	Files  int    `json:"files,omitempty"` // of a folder
	Link   string `json:"-"`
}

// files lists files. Few files are listed whole, many folder by folder.
func (p *Pages) files(ctx context.Context, r *http.Request) (*answer, error) {
	f := filesPage{Folder: strings.Trim(r.FormValue("folder"), "/"), Query: r.FormValue("q")}
	var all []string
	err := p.at(ctx, func(wp *workplace.Workplace) (err error) {
		all, err = present(ctx, wp)
		return err
	})
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(path string) bool {
		return f.Folder != "" && !strings.HasPrefix(path, f.Folder+"/") || f.Query != "" && !strings.Contains(strings.ToLower(path), strings.ToLower(f.Query))
	})
	f.Total, f.Crumbs = len(all), crumbs(f.Folder, true)
	f.list(all, p)
	from := min(intOf(r, "from", 0), len(f.Entries))
	a := &answer{template: "files", title: "Files", section: "files"}
	if from > 0 {
		a.newer = p.o.Links.FilesFrom(f.Folder, f.Query, max(from-listedMax, 0))
	}
	if rest := len(f.Entries) - from; rest > listedMax {
		a.older = p.o.Links.FilesFrom(f.Folder, f.Query, from+listedMax)
	}
	f.Entries = f.Entries[from:min(from+listedMax, len(f.Entries))]
	a.body = f
	return a, nil
}

// list makes the entries of the files.
func (f *filesPage) list(all []string, p *Pages) {
	f.Entries = []fileEntry{}
	whole := f.Query != "" || len(all) <= listedMax
	for _, path := range all {
		rest := strings.TrimPrefix(path, f.Folder+"/")
		dir, _, deep := strings.Cut(rest, "/")
		if whole || !deep {
			f.Entries = append(f.Entries, fileEntry{Name: rest, Path: path, Link: p.o.Links.File(path)})
			continue
		}
		if n := len(f.Entries); n > 0 && f.Entries[n-1].Folder && f.Entries[n-1].Name == dir {
			f.Entries[n-1].Files++
			continue
		}
		at := strings.TrimPrefix(f.Folder+"/"+dir, "/")
		f.Entries = append(f.Entries, fileEntry{Name: dir, Path: at, Folder: true, Files: 1, Link: p.o.Links.Folder(at)})
	}
}

// present returns the paths of the files in the worktree that git does not ignore, in order.
func present(ctx context.Context, wp *workplace.Workplace) ([]string, error) {
	out, err := wp.Repo.Run(ctx, "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate")
	if err != nil {
		return nil, err
	}
	paths := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	slices.Sort(paths)
	return slices.DeleteFunc(paths, func(path string) bool { return path == "" || strings.HasPrefix(path, ".entire/") }), nil
}
