package git

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// tidyAt is how many packs a mirror may have before Tidy makes fewer of them: every fetch brings one or two.
const tidyAt = 20

// A packFile is a pack, by its path without the ending.
type packFile struct {
	base string
	size int64
}

// Tidy makes one pack of a mirror's many small ones, and one file of its many refs. Nothing else may use the mirror
// meanwhile. It takes time in proportion to what came since the last time, and does nothing while there are few packs: a
// pack is rewritten only together with others of its size. It reports whether it did something.
func (m *Mirror) Tidy(ctx context.Context) (bool, error) {
	folder := filepath.Join(m.Repo.GitDir, "objects", "pack")
	packs, err := packsIn(folder)
	if err != nil || len(packs) < tidyAt {
		return false, err
	}
	if _, err := m.Repo.Run(ctx, "pack-refs", "--all", "--prune"); err != nil {
		return false, fmt.Errorf("tidy the mirror: %w", err)
	}
	small := alike(packs)
	var names strings.Builder
	for _, p := range small {
		names.WriteString(filepath.Base(p.base) + ".pack\n")
	}
	out, err := m.Repo.RunInput(ctx, []byte(names.String()), "pack-objects", "--stdin-packs", "--quiet", "--delta-base-offset", filepath.Join(folder, "pack"))
	if err != nil {
		return false, fmt.Errorf("tidy the mirror: %w", err)
	}
	whole := filepath.Join(folder, "pack-"+strings.TrimSpace(string(out)))
	// This file tells git that what the pack's objects name, and is not here, is at the server.
	if err := os.WriteFile(whole+".promisor", nil, 0o600); err != nil {
		return false, fmt.Errorf("tidy the mirror: %w", err)
	}
	for _, p := range small {
		if p.base == whole {
			continue
		}
		for _, ending := range []string{".idx", ".rev", ".promisor", ".pack"} {
			if err := os.Remove(p.base + ending); err != nil && !os.IsNotExist(err) {
				return false, fmt.Errorf("tidy the mirror: %w", err)
			}
		}
	}
	return true, nil
}

// packsIn returns the packs of a folder, the smallest first, and removes what a killed git has left half written.
func packsIn(folder string) ([]packFile, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, fmt.Errorf("tidy the mirror: %w", err)
	}
	var packs []packFile
	for _, e := range entries {
		path := filepath.Join(folder, e.Name())
		if strings.HasPrefix(e.Name(), "tmp_") {
			_ = os.Remove(path)
			continue
		}
		base, isIndex := strings.CutSuffix(path, ".idx")
		if !isIndex {
			continue
		}
		info, err := os.Stat(base + ".pack")
		if err != nil {
			continue // an index alone, half removed
		}
		packs = append(packs, packFile{base, info.Size()})
	}
	slices.SortFunc(packs, func(a, b packFile) int {
		return cmp.Or(cmp.Compare(a.size, b.size), strings.Compare(a.base, b.base))
	})
	return packs, nil
}

// alike returns the smaller packs, up to the first that is larger than twice all before it.
func alike(packs []packFile) []packFile {
	last, sum := 2, int64(0) // at least two
	for i, p := range packs {
		if i >= 2 && p.size > 2*sum && i >= len(packs)/2 {
			break
		}
		sum += p.size
		last = i + 1
	}
	return packs[:last]
}
