package risk

import "testing"

func TestDenied(t *testing.T) {
	t.Parallel()
	patterns := []string{"git push --force*", "rm -rf /*", "dropdb"}
	for line, want := range map[string]string{
		"git push origin main --force":             "git push --force*",
		"cd a && sudo git push --force-with-lease": "git push --force*",
		"git push origin main":                     "",
		"git log --force push":                     "",
		"echo git push --force":                    "",
		"bash -c 'rm -rf /home/me'":                "rm -rf /*",
		"rm -rf build":                             "",
		"/usr/bin/dropdb shop":                     "dropdb",
		"":                                         "",
	} {
		if got := Denied(line, patterns); got != want {
			t.Errorf("%q: %q, want %q", line, got, want)
		}
	}
	if Denied("a[b] c", []string{"a[b] c"}) == "" || Denied("ab c", []string{"a[b] c"}) != "" || Denied("x", nil) != "" {
		t.Error("brackets, or no patterns")
	}
}
