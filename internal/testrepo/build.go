package testrepo

import (
	"os/exec"
	"path/filepath"
	"testing"
)

// Build builds programs of this repository, by the names of their folders in cmd, and returns the folder that they are in.
func Build(t *testing.T, names ...string) string {
	t.Helper()
	dir := t.TempDir()
	args := []string{"build", "-buildvcs=false", "-trimpath", "-o", dir + string(filepath.Separator)}
	for _, name := range names {
		args = append(args, "entire/cmd/"+name)
	}
	if out, err := exec.CommandContext(t.Context(), "go", args...).CombinedOutput(); err != nil {
		t.Fatalf("build %v: %v: %s", names, err, out)
	}
	return dir
}
