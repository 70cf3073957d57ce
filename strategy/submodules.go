package strategy

import (
	"path"
	"path/filepath"
	"strings"

	"entire/internal/durable"
	"entire/internal/git"
)

// maxModules bounds the size of .gitmodules, which every snapshot reads.
const maxModules = 1 << 20

// submodules returns the paths that .gitmodules names, without starting git. It skips quoted
// values with escapes.
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
