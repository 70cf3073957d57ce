package origin_test

import (
	"os"
	"path/filepath"
	"testing"

	"entire/agent"
	"entire/internal/rescue"
	"entire/internal/rescue/origin"
	"entire/internal/rescue/rescuetest"
	"entire/internal/testrepo"
)

func TestRemote(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		"https://github.com/dana/shop.git":         "github.com/dana/shop",
		"https://dana:secret@GitHub.com/dana/Shop": "github.com/dana/shop",
		"git@github.com:dana/shop.git":             "github.com/dana/shop",
		"ssh://git@github.com:22/dana/shop":        "github.com/dana/shop",
		"work:dana/shop":                           "work/dana/shop",
		"dana/shop":                                "github.com/dana/shop",
		"file:///srv/shop.git":                     "",
		"/srv/shop.git":                            "",
		`C:\shop`:                                  "",
		"../shop":                                  "",
		"":                                         "",
		"https://dev.azure.com/dana/shop/_git/shop":  "dev.azure.com/dana/shop/_git/shop",
		"https://gitlab.com/group/sub/shop.git/":     "gitlab.com/group/sub/shop",
		"ssh://git@ssh.github.com:443/dana/shop.git": "ssh.github.com/dana/shop",
		"https://github.com":                         "",
	} {
		if got := origin.Remote(raw); got != want {
			t.Errorf("%q is %q, want %q", raw, got, want)
		}
	}
}

func conversation(facts agent.HistoryFacts) *rescue.Conversation {
	return &rescue.Conversation{HistoryFacts: facts}
}

func TestKnowsAProjectThatMoved(t *testing.T) {
	t.Parallel()
	shop, other := testrepo.New(t, testrepo.Files(map[string]string{"a": "shop"})), testrepo.New(t, testrepo.Files(map[string]string{"a": "other"}))
	shop.Git("remote", "add", "origin", "git@github.com:dana/shop.git")
	gone := filepath.Join(t.TempDir(), "tree")
	shop.Git("worktree", "add", "-q", gone)
	if err := os.RemoveAll(gone); err != nil {
		t.Fatal(err)
	}
	first := shop.Git("rev-list", "--max-parents=0", "HEAD")
	shown := filepath.Join(t.TempDir(), "shown.jsonl")
	rescuetest.Put(t, shown, `{"content":"[main `+shop.Head()[:9]+`] first\n"}`+"\n")

	r := origin.Open(t.Context(), shop.Env, shop.Home, shop.Dir)
	r.Learn(t.Context(), []rescue.Conversation{*conversation(agent.HistoryFacts{Folder: other.Dir})})
	r.Stored = map[string]string{"/recorded": r.Of(t.Context(), conversation(agent.HistoryFacts{Folder: shop.Dir})).Key}
	r.Was = []string{"/former"}
	for name, row := range map[string]struct {
		facts agent.HistoryFacts
		top   string
		how   string
	}{
		"its folder":                      {agent.HistoryFacts{Folder: shop.Dir}, shop.Dir, origin.ByFolder},
		"a folder in it that is gone":     {agent.HistoryFacts{Folder: filepath.Join(shop.Dir, "gone", "deep")}, shop.Dir, origin.ByWorktree},
		"a worktree that is gone":         {agent.HistoryFacts{Folder: filepath.Join(gone, "sub")}, shop.Dir, origin.ByWorktree},
		"the first commit":                {agent.HistoryFacts{Folder: "/old", Root: first}, shop.Dir, origin.ByRoot},
		"the remote":                      {agent.HistoryFacts{Folder: "/old", Remote: "https://github.com/dana/shop"}, shop.Dir, origin.ByRemote},
		"a recorded folder":               {agent.HistoryFacts{Folder: "/recorded"}, shop.Dir, origin.ByStore},
		"a folder that a person named":    {agent.HistoryFacts{Folder: "/former/sub"}, shop.Dir, origin.ByName},
		"another repository":              {agent.HistoryFacts{Folder: other.Dir}, other.Dir, origin.ByFolder},
		"a folder that another has taken": {agent.HistoryFacts{Folder: other.Dir, Remote: "https://github.com/dana/shop"}, shop.Dir, origin.ByRemote},
		"nothing that proves it":          {agent.HistoryFacts{Folder: "/elsewhere", Remote: "https://github.com/dana/blog"}, "", ""},
	} {
		if p := r.Of(t.Context(), conversation(row.facts)); p.Top != row.top || p.How != row.how {
			t.Errorf("%s: %+v, want %s by %s", name, p, row.top, row.how)
		}
	}

	c := conversation(agent.HistoryFacts{Folder: "/old"})
	c.Path = shown
	if p := r.ByCommits(t.Context(), []*rescue.Conversation{c}, func(int64) {})["/old"]; p.Top != shop.Dir || p.How != origin.ByCommits {
		t.Errorf("by the commits that it shows: %+v", p)
	}
}
