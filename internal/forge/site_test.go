package forge

import "testing"

// A remote's URL leads to the page of its repository, and never takes a password along.
func TestSiteOf(t *testing.T) {
	t.Parallel()
	for remote, want := range map[string]Site{
		"https://github.com/ann/app.git":                 {GitHub, "https://github.com/ann/app"},
		"https://ann:secret@github.com/ann/app":          {GitHub, "https://github.com/ann/app"},
		"git@github.com:ann/app.git":                     {GitHub, "https://github.com/ann/app"},
		"ssh://git@github.example.com:2222/ann/app.git/": {GitHub, "https://github.example.com/ann/app"},
		"https://gitlab.example.com:8443/team/sub/app":   {GitLab, "https://gitlab.example.com:8443/team/sub/app"},
		"git@GitLab.com:team/sub/app.git":                {GitLab, "https://gitlab.com/team/sub/app"},
		"https://codeberg.org/ann/app":                   {Gitea, "https://codeberg.org/ann/app"},
		"git@forgejo.example:ann/a b.git":                {Gitea, "https://forgejo.example/ann/a%20b"},
		"https://git.example.com/ann/app":                {},
		"/srv/git/github/app.git":                        {},
		"../github.com/app":                              {},
		"file:///srv/github/app":                         {},
		`C:\github\app`:                                  {},
		"https://github.com/app":                         {},
		"https://github.com)](javascript:alert(1))/a/b":  {},
		"git@github.com\u202e:ann/app":                   {},
		"":                                               {},
	} {
		if got := SiteOf(remote); got != want {
			t.Errorf("%s: %v, want %v", remote, got, want)
		}
	}
}

func TestLinks(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		kind         Kind
		path         string
		start, count int
		want         string
	}{
		{GitHub, "a/b.go", 3, 5, "https://x.example/a/b/blob/c0ffee/a/b.go#L3-L7"},
		{GitHub, "b.go", 3, 1, "https://x.example/a/b/blob/c0ffee/b.go#L3"},
		{GitLab, "b.go", 3, 5, "https://x.example/a/b/-/blob/c0ffee/b.go#L3-7"},
		{Gitea, "b.go", 3, 0, "https://x.example/a/b/src/commit/c0ffee/b.go#L3"},
		{GitHub, "a](x)?#%\n<b>@ann é", 1, 1, "https://x.example/a/b/blob/c0ffee/a%5D%28x%29%3F%23%25%0A%3Cb%3E%40ann%20%C3%A9#L1"},
	} {
		site, err := SiteAt("https://x.example/a/b/", c.kind)
		if got := site.Lines("c0ffee", c.path, c.start, c.count); got != c.want || err != nil {
			t.Errorf("%s: %s (%v), want %s", c.kind, got, err, c.want)
		}
	}
	for _, bad := range []string{"", "x", "ftp://x/a/b", "https://ann:secret@x/a/b", "https://x/a?b=c"} {
		if _, err := SiteAt(bad, ""); err == nil {
			t.Errorf("%s is accepted", bad)
		}
	}
	if (Site{}).Lines("c", "p", 1, 1) != "" || (Site{}).Commit("c") != "" {
		t.Error("a link to nowhere")
	}
}
