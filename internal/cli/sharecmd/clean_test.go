package sharecmd

import (
	"strings"
	"testing"

	"entire/internal/cli/clitest"
	"entire/internal/patch"
)

func TestCleanPatch(t *testing.T) {
	t.Parallel()
	in := "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,2 +1,3 @@ func f() {\n keep /home/me/repo/a.go\n-" + clitest.Secret + "\n+cd /home/me/x\n+-----BEGIN RSA PRIVATE KEY-----\n+MIIEowIBAAKCAQEAvxFzFnuRnVZHtGmXW0i7T7dYh4kQ\n+-----END RSA PRIVATE KEY-----\n\\ No newline at end of file\n"
	c := newCleaner("/home/me/repo", "/home/me")
	got := string(c.patch([]byte(in)))
	want := "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,2 +1,3 @@ func f() {\n keep a.go\n-REDACTED\n+cd ~/x\n+REDACTED\n+REDACTED\n+REDACTED\n\\ No newline at end of file\n"
	if got != want || len(c.taken) == 0 {
		t.Errorf("got %s\nwant %s\ntaken %v", got, want, c.taken)
	}
}

// FuzzCleanPatch: what git's patches look like stays as many lines, each with its sign, and can be read as before.
func FuzzCleanPatch(f *testing.F) {
	f.Add("@@ -1 +1 @@\n-a\n+password=hunter2hunter2\n")
	f.Add("@@ -1 +1,2 @@\n+-----BEGIN PRIVATE KEY-----\n+" + strings.Repeat("A", 64) + "\n")
	f.Fuzz(func(t *testing.T, text string) {
		c := newCleaner("/r", "/h")
		got := string(c.patch([]byte(text)))
		before, after := strings.Split(text, "\n"), strings.Split(got, "\n")
		if len(before) != len(after) {
			t.Fatalf("%q is %q", text, got)
		}
		for i := range before {
			if before[i] != "" && (after[i] == "" || before[i][0] != after[i][0]) {
				t.Errorf("line %q is %q", before[i], after[i])
			}
		}
		if _, err := patch.Parse([]byte(text)); err == nil {
			if _, err := patch.Parse([]byte(got)); err != nil {
				t.Errorf("%q cannot be read: %v", got, err)
			}
		}
	})
}
