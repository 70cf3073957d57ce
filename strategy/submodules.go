package strategy

import (
	"path"
	"path/filepath"
	"strings"

	"entire/internal/durable"
	"entire/internal/git"
)

// maxModules bounds .gitmodules: every look at the worktree reads it.
const maxModules = 1 << 20

// submodules are the paths that .gitmodules names, read without starting git: a
// value that is quoted with escapes is left out.
func (s *ManualCommitStrategy) submodules() []string {
	data, err := durable.ReadPlain(filepath.Join(s.repo.Top, ".gitmodules"), maxModules)
	if err != nil {
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
