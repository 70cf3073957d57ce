package config

import (
	"strings"
	"testing"

	"entire/internal/testrepo"
)

// TestWhoIsWhomGitNames: a name that is given without git is the one that git writes.
func TestWhoIsWhomGitNames(t *testing.T) {
	t.Parallel()
	known := 0
	for name, setUp := range map[string]func(r *testrepo.Repo){
		"configured": func(*testrepo.Repo) {},
		"role": func(r *testrepo.Repo) {
			r.Git("config", "author.name", "Aut Hor")
			r.Git("config", "committer.email", "c@d")
		},
		"environment":            func(r *testrepo.Repo) { r.Setenv("GIT_AUTHOR_NAME", "En V") },
		"empty environment":      func(r *testrepo.Repo) { r.Setenv("GIT_AUTHOR_NAME", "") },
		"empty role":             func(r *testrepo.Repo) { r.Git("config", "author.name", "") },
		"address of the machine": func(r *testrepo.Repo) { r.Git("config", "user.email", ""); r.Setenv("EMAIL", "e@mail") },
		"odd ends":               func(r *testrepo.Repo) { r.Git("config", "user.name", "J. Doe, Jr.") },
		"brackets":               func(r *testrepo.Repo) { r.Git("config", "user.email", "a<b>c") },
		"not UTF-8":              func(r *testrepo.Repo) { r.Git("config", "user.name", "\xc4 B") },
		"blanks inside":          func(r *testrepo.Repo) { r.Git("config", "user.name", "A  \t B") },
		"dated":                  func(r *testrepo.Repo) { r.Setenv("GIT_AUTHOR_DATE", "2001-01-01T00:00:00Z") },
	} {
		r := testrepo.New(t)
		setUp(r)
		c, ok := at(t, r)
		if !ok {
			t.Fatalf("%s: not understood", name)
		}
		for _, role := range []string{"author", "committer"} {
			who, email, sure := c.Who(role)
			if !sure {
				continue
			}
			known++
			if got := r.Git("var", "GIT_"+strings.ToUpper(role)+"_IDENT"); !strings.HasPrefix(got, who+" <"+email+"> ") {
				t.Errorf("%s: %s is %s <%s>, git says %s", name, role, who, email, got)
			}
		}
	}
	if known < 10 {
		t.Errorf("only %d are known", known)
	}
}
