package importtest

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestCommitMessageHook runs .githooks/commit-msg, which `make hooks` switches on, on
// messages as git hands them over.
func TestCommitMessageHook(t *testing.T) {
	t.Parallel()
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no sh on this machine")
	}
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git on this machine")
	}
	hook, err := filepath.Abs(filepath.Join("..", "..", ".githooks", "commit-msg"))
	if err != nil {
		t.Fatal(err)
	}
	const body = "\n\nReaders need it.\n"
	for _, row := range []struct {
		name, message string
		refused       string // part of what is said with status 1; "" where the message passes
		hint          bool   // whether a hint is printed beside
	}{
		{"subject and body", "checkpoint: keep the trailer on amend" + body, "", false},
		{"72 characters", strings.Repeat("x", 72) + body, "", false},
		{"73 characters", strings.Repeat("x", 73) + body, "has 73 characters", false},
		{"72 characters of several bytes", strings.Repeat("ä", 72) + body, "", false},
		{"no subject", "\n\nReaders need it.\n", "write a subject", false},
		{"empty", "", "write a subject", false},
		{"full stop", "Keep the trailer." + body, "full stop", false},
		{"not imperative", "checkpoint: added a trailer" + body, "", true},
		{"not imperative without a package", "Fixes the trailer" + body, "", true},
		{"imperative that looks like a plural", "docs: address a reader" + body, "", false},
		{"no blank line", "Keep the trailer\nReaders need it.\n", "second line is not blank", false},
		{"no body", "Keep the trailer\n", "no body", false},
		{"comments are no body", "Keep the trailer\n\n# Please enter the commit message\n", "no body", false},
		{"trailers are no body", "Keep the trailer\n\nEntire-Checkpoint: 19bbda7dd0b2\n", "no body", false},
		{"body and trailer", "Keep the trailer" + body + "\nEntire-Checkpoint: 19bbda7dd0b2\n", "", false},
		{"a comment before the blank line", "Keep the trailer\n# On branch main\n\nReaders need it.\n", "", false},
		{"the diff of commit -v is no body", "Keep the trailer\n# ------------------------ >8 ------------------------\ndiff --git a/a b/a\n", "no body", false},
		{"merge", "Merge branch 'topic'\n", "", false},
		{"revert", "Revert \"Keep the trailer\"\n", "", false},
		{"fixup", "fixup! checkpoint: keep the trailer on amend\n", "", false},
		{"squash", "squash! checkpoint: keep the trailer on amend\n", "", false},
		{"amend", "amend! checkpoint: keep the trailer on amend\n", "", false},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			file := filepath.Join(dir, "COMMIT_EDITMSG")
			if err := os.WriteFile(file, []byte(row.message), 0o600); err != nil {
				t.Fatal(err)
			}
			cmd := exec.CommandContext(t.Context(), shell, hook, file)
			cmd.Dir = dir
			cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "GIT_CONFIG_NOSYSTEM=1", "GIT_CEILING_DIRECTORIES=" + filepath.Dir(dir)}
			said, err := cmd.CombinedOutput()
			if passed := err == nil; passed != (row.refused == "") {
				t.Errorf("passed: %v, and says %q", passed, said)
			}
			if !strings.Contains(string(said), row.refused) {
				t.Errorf("says %q, want %q", said, row.refused)
			}
			if hint := strings.Contains(string(said), "hint:"); hint != row.hint {
				t.Errorf("hint: %v, want %v: %q", hint, row.hint, said)
			}
		})
	}
}
