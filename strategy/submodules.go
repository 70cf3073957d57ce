package strategy

import (
	"os"
	"path"
	"path/filepath"
	"strings"

	"entire/internal/git"
)

// submodules are the paths that .gitmodules names, read without starting git: a
// value that is quoted with escapes is left out.
func (s *ManualCommitStrategy) submodules() []string {
	data, err := os.ReadFile(filepath.Join(s.repo.Top, ".gitmodules"))
	if err != nil || len(data) > 1<<20 {
		return nil
	}
	var out []string
	for line := range strings.Lines(string(data)) {
		key, value, ok := strings.Cut(line, "=")
		if !ok || strings.TrimSpace(key) != "path" {
			continue
		}
		p := strings.Trim(strings.TrimSpace(value), `"`)
		if path.Clean(p) == p && git.ValidPath(p) == nil && exists(filepath.Join(s.repo.Top, filepath.FromSlash(p))) {
			out = append(out, p)
		}
	}
	return out
}
