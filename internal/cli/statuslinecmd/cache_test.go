package statuslinecmd

import (
	"os"
	"path/filepath"
	"testing"

	"entire/internal/cli/workplace"
)

// TestMarkChanges counts the steps anew whenever HEAD, its branch, a shadow branch or a session changes, however
// git keeps its refs.
func TestMarkChanges(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"HEAD", "refs/heads/main", "refs/heads/entire/x", "packed-refs", "entire-sessions/x.json", "logs/HEAD", "reftable/tables.list"} {
		place := workplace.Place{Top: t.TempDir()}
		write(t, filepath.Join(place.Top, ".git", "HEAD"), "ref: refs/heads/main\n")
		before := markOf(place)
		if again := markOf(place); again != before {
			t.Errorf("without a change it was %q and is %q", before, again)
		}
		write(t, filepath.Join(place.Top, ".git", filepath.FromSlash(path)), "another text, and longer\n")
		if markOf(place) == before {
			t.Errorf("a change of %s is not noticed", path)
		}
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
