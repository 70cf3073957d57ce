package git

import (
	"os"
	"path/filepath"
	"strings"
)

// Branch is the short name of the branch HEAD is on, "" when it is detached or
// kept in a form that only git reads.
func (r *Repo) Branch() string {
	data, err := os.ReadFile(filepath.Join(r.GitDir, "HEAD"))
	if err != nil {
		return ""
	}
	name, ok := strings.CutPrefix(strings.TrimSpace(string(data)), "ref: refs/heads/")
	if !ok || name == ".invalid" {
		return ""
	}
	return name
}
