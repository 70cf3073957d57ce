package rescuecmd

import (
	"maps"
	"slices"
	"time"

	"entire/internal/cli/cliui"
	"entire/internal/rescue/versions"
)

// versionView is a version in JSON.
type versionView struct {
	N        int              `json:"n"` // as --show takes it: 1 is the newest
	At       time.Time        `json:"at"`
	Last     time.Time        `json:"last_seen"`
	Source   string           `json:"source"`
	Sureness string           `json:"sureness"`
	Bytes    int64            `json:"bytes"`
	Hash     string           `json:"hash,omitempty"` // of the content, as git names a blob
	Gone     bool             `json:"gone,omitempty"`
	Kept     bool             `json:"kept,omitempty"`  // not lost: in a branch, or replaced there by a later form of its commit
	Lines    []versions.Range `json:"lines,omitempty"` // partial: those that are known
	Total    int              `json:"total_lines,omitempty"`
}

type listedFile struct {
	Path     string        `json:"path"`
	Versions []versionView `json:"versions"`
}

func viewVersion(v versions.Version, n int) versionView {
	return versionView{N: n, At: v.At, Last: v.Last, Source: sourceWords(v), Sureness: v.Sure.String(), Bytes: v.Size, Hash: string(v.Content),
		Gone: v.Gone, Kept: v.Kept, Lines: v.Lines, Total: v.Total}
}

// viewVersions returns the versions, the newest first.
func viewVersions(list []versions.Version) []versionView {
	out := []versionView{}
	for i, v := range slices.Backward(list) {
		out = append(out, viewVersion(v, len(list)-i))
	}
	return out
}

func sortedPaths(files map[string][]versions.Version) []string {
	return slices.Sorted(maps.Keys(files))
}

// planView is a plan in JSON.
type planView struct {
	Files   []fileView    `json:"files"`
	Unnamed []unnamedView `json:"unnamed"` // contents that were staged and never committed
	Changed int           `json:"changed"` // files with a content that nothing else knows
	Notes   []string      `json:"notes"`
	Written []string      `json:"written,omitempty"`
	Kept    []keptView    `json:"kept,omitempty"`
	Saved   string        `json:"saved,omitempty"` // the step with the present from before
	Dir     string        `json:"dir,omitempty"`   // where --out wrote
}

type fileView struct {
	Path    string      `json:"path"`
	Why     string      `json:"why"`
	Version versionView `json:"version"`
	Known   int         `json:"known_versions"`
}

type unnamedView struct {
	Hash  string    `json:"hash"`
	Bytes int64     `json:"bytes"`
	At    time.Time `json:"at"`
}

type keptView struct {
	Path string `json:"path"`
	Why  string `json:"why"`
}

func (p *filesPlan) view() planView {
	v := planView{Files: []fileView{}, Unnamed: []unnamedView{}, Changed: p.changed, Notes: cliui.NotNil(p.notes)}
	for _, f := range p.files {
		v.Files = append(v.Files, fileView{Path: f.path, Why: string(f.why), Version: viewVersion(f.version, f.n), Known: f.of})
	}
	for _, n := range p.nameless {
		v.Unnamed = append(v.Unnamed, unnamedView{Hash: string(n.Content), Bytes: n.Size, At: n.At})
	}
	return v
}
