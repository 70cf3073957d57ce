package worktree

import (
	"os"
	"path/filepath"
	"testing"
)

// TestSpelling needs no file system that ignores case: it only lists.
func TestSpelling(t *testing.T) {
	t.Parallel()
	top := filepath.Join(t.TempDir(), "Project")
	for _, path := range []string{"src/Main.go", "docs/\u00e9t\u00e9.md", "docs/e\u0301toile.md", "README"} {
		if err := os.MkdirAll(filepath.Join(top, filepath.Dir(path)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(top, path), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s := NewSpelling(top)
	for path, want := range map[string]string{
		"SRC/main.GO": "src/Main.go", "src/Main.go": "src/Main.go", "readme": "README",
		"Docs/e\u0301te\u0301.md": "docs/\u00e9t\u00e9.md", "docs/\u00c9TOILE.md": "docs/e\u0301toile.md",
		"SRC/New.go": "src/New.go", "New/Main.go": "New/Main.go", "README/x": "README/x",
	} {
		if got := s.of(path); got != want {
			t.Errorf("%q is spelled %q, want %q", path, got, want)
		}
		rel, ok := s.Rel(filepath.Join(filepath.Dir(top), "PROJECT", filepath.FromSlash(path)))
		if !ok || rel != want {
			t.Errorf("%q below PROJECT is %q, %v", path, rel, ok)
		}
	}
	for _, outside := range []string{top, filepath.Dir(top), top + "x/README", filepath.Join(filepath.Dir(top), "other", "README")} {
		if rel, ok := s.Rel(outside); ok {
			t.Errorf("%q is inside, as %q", outside, rel)
		}
	}
}
