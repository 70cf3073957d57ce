package testrepo

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

const globalConfig = `[user]
	name = ` + UserName + `
	email = ` + UserEmail + `
[init]
	defaultBranch = main
[gc]
	auto = 0
[maintenance]
	auto = false
[protocol "file"]
	allow = always
[uploadpack]
	allowFilter = true
	allowAnySHA1InWant = true
[advice]
	detachedHead = false
`

// NewHome returns a temporary HOME for Environ. Its .gitconfig sets identity, branch name and
// housekeeping.
func NewHome(t testing.TB) string {
	t.Helper()
	home := filepath.Join(tempDir(t), "home")
	if err := os.MkdirAll(home, 0o755); err != nil {
		t.Fatalf("testrepo: %v", err)
	}
	if err := os.WriteFile(filepath.Join(home, ".gitconfig"), []byte(globalConfig), 0o644); err != nil {
		t.Fatalf("testrepo: %v", err)
	}
	return home
}

// Environ returns an environment in which git sees home, PATH and the temporary directory, and nothing
// else of the machine.
func Environ(home string) []string {
	env := []string{
		"HOME=" + home,
		"USERPROFILE=" + home,
		"XDG_CONFIG_HOME=" + filepath.Join(home, ".config"),
		"GIT_CONFIG_GLOBAL=" + filepath.Join(home, ".gitconfig"),
		"GIT_CONFIG_NOSYSTEM=1",
		"GIT_TERMINAL_PROMPT=0",
		"GIT_EDITOR=true",
		"FILTER_BRANCH_SQUELCH_WARNING=1", // otherwise git warns, and waits for ten seconds
		"LC_ALL=C",
		"TZ=UTC",
	}
	for _, key := range []string{"PATH", "TMPDIR", "TMP", "TEMP", "SystemRoot", "GOCOVERDIR", "GIT_DEFAULT_REF_FORMAT"} {
		if value, ok := os.LookupEnv(key); ok {
			env = append(env, key+"="+value)
		}
	}
	return slices.Clip(env) // so that tests at the same time append to copies
}

// Setenv replaces key in the environment of r, or adds it.
func (r *Repo) Setenv(key, value string) {
	r.Unsetenv(key)
	r.Env = slices.Clip(append(r.Env, key+"="+value))
}

// Unsetenv removes key from the environment of r.
func (r *Repo) Unsetenv(key string) {
	var kept []string
	for _, entry := range r.Env {
		if !strings.HasPrefix(entry, key+"=") {
			kept = append(kept, entry)
		}
	}
	r.Env = slices.Clip(kept)
}

// tempDir returns a folder for the test. A process in the background, such as git's own maintenance, may still write
// there when the test ends, so removing the folder is tried for a while.
func tempDir(t testing.TB) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatalf("testrepo: %v", err)
	}
	t.Cleanup(func() {
		for n := 0; n < 100 && os.RemoveAll(dir) != nil; n++ {
			time.Sleep(50 * time.Millisecond)
		}
	})
	return dir
}
