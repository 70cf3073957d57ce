package gather

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"entire/agent"
	"entire/agent/agents"
)

// copies reads the copies that agents' programs made of files, where no transcript names them any more. Their names
// tell the path only to those who know it, so every path that is known is tried.
func (c *Collector) copies(ctx context.Context) error {
	for _, ag := range agents.All() {
		keeper, ok := ag.(agent.CopyKeeper)
		if !ok {
			continue
		}
		var all []copied
		for _, pattern := range keeper.CopyFolders(c.Home) {
			folders, _ := filepath.Glob(pattern)
			for _, folder := range folders {
				files, _ := os.ReadDir(folder)
				for _, f := range files {
					all = append(all, copied{f.Name(), filepath.Join(folder, f.Name())})
				}
			}
		}
		slices.SortFunc(all, func(a, b copied) int { return strings.Compare(a.name, b.name) })
		for _, path := range c.knownPaths() {
			if err := ctx.Err(); err != nil {
				return err
			}
			for _, top := range c.tops {
				begin := keeper.CopyOf(filepath.Join(top, filepath.FromSlash(path)))
				i, _ := slices.BinarySearchFunc(all, begin, func(f copied, begin string) int { return strings.Compare(f.name, begin) })
				for ; i < len(all) && strings.HasPrefix(all[i].name, begin); i++ {
					c.addFile(all[i].file, path, "a copy of "+string(ag.Type()), time.Time{})
				}
			}
		}
	}
	return nil
}

// copied is a copy of a file.
type copied struct{ name, file string }

// knownPaths returns the paths that anything names.
func (c *Collector) knownPaths() []string {
	known := map[string]bool{}
	for path := range c.Evidence {
		known[path] = true
	}
	for path := range c.Listed {
		known[path] = known[path] || c.wanted(path)
	}
	for _, path := range c.Paths {
		known[path] = true
	}
	return slices.Sorted(maps.Keys(known))
}
