package git

import (
	"os"
	"path/filepath"
	"testing"

	"entire/internal/git/process"
	"entire/internal/testrepo"
)

// TestApart keeps a folder's files in a repository elsewhere, without a trace in the
// folder.
func TestApart(t *testing.T) {
	t.Parallel()
	home, top := t.TempDir(), t.TempDir()
	if real, err := filepath.EvalSymlinks(top); err == nil {
		top = real
	}
	dir := filepath.Join(home, "data", "files.git")
	for range 2 { // the second finds it
		if err := process.CreateApart(dir); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(filepath.Join(top, "node_modules"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a.txt", "node_modules/b"} {
		if err := os.WriteFile(filepath.Join(top, name), []byte("x\r\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	environ := process.ApartEnviron(append(testrepo.Environ(home), "GIT_DIR=/elsewhere", "GIT_INDEX_FILE=/elsewhere"), dir, top)
	repo, err := Discover(t.Context(), top, environ)
	if err != nil {
		t.Fatal(err)
	}
	defer repo.Close()
	st, err := repo.Status(t.Context())
	if err != nil || repo.Top != top || repo.GitDir != dir || st.Branch != "" || len(st.Entries) != 1 || st.Entries[0].Path != "a.txt" {
		t.Errorf("%+v, %+v, %v", repo, st, err)
	}
	if of, err := process.ApartOf(dir); err != nil || of != "" {
		t.Errorf("of %q, %v", of, err)
	}
	if err := process.SetApartOf(dir, top); err != nil {
		t.Fatal(err)
	}
	if of, err := process.ApartOf(dir); err != nil || of != top {
		t.Errorf("of %q, %v", of, err)
	}
	if _, err := os.Lstat(filepath.Join(top, ".git")); err == nil {
		t.Error("the folder has a .git")
	}
}
