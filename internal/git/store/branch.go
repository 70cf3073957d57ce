package store

import (
	"os"
	"path/filepath"
	"strings"
)

// Branch returns the short name of the branch that HEAD is on, "" if HEAD is detached or
// stored in a form that only git reads.
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
