package store

import (
	"context"
	"os"
	"path/filepath"
	"strings"
)

// Branch returns the short name of the branch that HEAD is on, "" if HEAD is detached.
func (r *Repo) Branch(ctx context.Context) string {
	data, err := os.ReadFile(filepath.Join(r.GitDir, "HEAD"))
	if err != nil {
		return ""
	}
	if strings.TrimSpace(string(data)) == headInTables {
		if data, err = r.Run(ctx, "symbolic-ref", "--quiet", "HEAD"); err != nil {
			return ""
		}
		data = append([]byte("ref: "), data...)
	}
	name, ok := strings.CutPrefix(strings.TrimSpace(string(data)), "ref: refs/heads/")
	if !ok {
		return ""
	}
	return name
}
