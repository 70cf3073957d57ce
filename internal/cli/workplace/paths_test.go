package workplace

import (
	"os"
	"path/filepath"
	"testing"
)

func TestRepoPath(t *testing.T) {
	t.Parallel()
	top := t.TempDir()
	if err := os.MkdirAll(filepath.Join(top, "sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, target := range map[string]string{"link": "sub", "out": os.TempDir()} {
		if err := os.Symlink(target, filepath.Join(top, name)); err != nil {
			t.Fatal(err)
		}
	}
	sub := filepath.Join(top, "sub")
	for _, test := range []struct{ dir, path, want string }{
		{top, "a", "a"}, {sub, "a", "sub/a"}, {sub, "../a/./b", "a/b"}, {sub, ".", "sub"}, {top, ".", "."}, {sub, "..", "."},
		{top, filepath.Join(sub, "gone"), "sub/gone"}, {top, "sub/", "sub"}, {top, "*.go", "*.go"},
		{top, "link", "link"}, {top, "link/a", "sub/a"}, {filepath.Join(top, "link"), "a", "sub/a"}, {filepath.Join(top, "link"), ".", "sub"},
		{top, "out", "out"},
		{top, "", ""}, {top, "..", ""}, {sub, "../../a", ""}, {top, "/etc/passwd", ""}, {top, "out/a", ""},
	} {
		got, err := repoPath(top, test.dir, test.path)
		if got != test.want || (err == nil) != (test.want != "") {
			t.Errorf("repoPath(%q, %q) = %q, %v; want %q", test.dir, test.path, got, err, test.want)
		}
	}
}

// TestContentIn: what a command names can be lost if it is a folder, a file with content, or a link, wherever that leads.
func TestContentIn(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{"empty": "", "full": "x"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("nowhere", filepath.Join(dir, "link")); err != nil {
		t.Skip(err)
	}
	for name, want := range map[string]bool{"empty": false, "full": true, "link": true, ".": true, "none": false, "~/x": true} {
		if got := ContentIn(dir)(name); got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
