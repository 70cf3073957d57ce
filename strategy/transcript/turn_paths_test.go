package transcript

import (
	"testing"

	"entire/internal/git"
	"entire/internal/git/store"
	"entire/strategy/sessionstate"
)

func TestRepoPath(t *testing.T) {
	s := &sessionstate.Env{Options: sessionstate.Options{Home: "/home/dana", Repo: &git.Repo{Repo: &store.Repo{}}}}
	s.Repo.Top = "/home/dana/shop"
	for path, want := range map[string]string{"a.go": "a.go", "/home/dana/shop/a.go": "a.go", "~/shop/web/a.go": "web/a.go", "~/other/a.go": "", "../a.go": ""} {
		if got, ok := RepoPath(s, path); ok != (want != "") || ok && got != want {
			t.Errorf("%s is %q, %v", path, got, ok)
		}
	}
}
