package workplace

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"testing"

	"entire/agent"
	"entire/agent/agents"
)

// TestFoldersStay installs and removes the hooks of every agent: a folder that was there before, even an
// empty one, is there afterwards, and no other.
func TestFoldersStay(t *testing.T) {
	t.Parallel()
	for _, ag := range agents.All() {
		p := ag.Profile()
		for i, files := range [][]agent.HookFile{p.HookFiles, p.UserHookFiles} {
			before := []string{""}
			for _, file := range files {
				for dir := path.Dir(file.Path); dir != "." && !slices.Contains(before, dir); dir = path.Dir(dir) {
					before = append(before, dir)
				}
			}
			for _, dir := range before {
				top, data := t.TempDir(), t.TempDir()
				for _, d := range []string{".git", dir} {
					if err := os.MkdirAll(filepath.Join(top, filepath.FromSlash(d)), 0o750); err != nil {
						t.Fatal(err)
					}
				}
				plan := func(remove bool) (AgentEdit, error) {
					switch {
					case i == 0 && remove:
						return PlanAgentRemoval(top, ag)
					case i == 0:
						return PlanAgentHooks(top, ag, agent.InstallOptions{})
					case remove:
						return PlanUserHooksRemoval(top, data, ag)
					}
					return PlanUserHooks(top, data, ag, agent.InstallOptions{})
				}
				want := tree(t, top)
				for _, remove := range []bool{false, false, true, true, false, true} { // twice each, and once more
					edit, err := plan(remove)
					if err == nil {
						err = edit.Apply()
					}
					if err != nil {
						t.Fatalf("%s: %v", ag.Name(), err)
					}
				}
				if got := tree(t, top); !slices.Equal(got, want) {
					t.Errorf("%s, with the folder %q before: %q, want %q", ag.Name(), dir, got, want)
				}
			}
		}
	}
}

// tree returns the names of all files and folders below top, without the git directory's.
func tree(t *testing.T, top string) []string {
	t.Helper()
	var out []string
	err := filepath.WalkDir(top, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.Name() == ".git" {
			return filepath.SkipDir
		}
		out = append(out, name)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}
