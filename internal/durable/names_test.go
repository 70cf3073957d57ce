package durable

import (
	"path/filepath"
	"runtime"
	"testing"
)

func TestNamesThatWindowsHasNot(t *testing.T) {
	for _, path := range []string{
		"CON", "con", "Nul", "aux.txt", "src/aux.c", "aux/main.c", "prn.tar.gz", "COM1", "com9.log", "lpt1", "LPT0.txt",
		"nul .txt", "conin$", "CONOUT$.x", "com¹", "LPT³.txt", "x.", "x ", "x. ", "docs./a.txt", "docs /a.txt", "...",
		`a\b`, `a\..\b`, "a:b", "c:x", "file:stream", "what?.txt", "*", "a|b", "<a>", `"a"`, "a\tb", "a\x01", "line\nbreak",
	} {
		if possible("windows", path) == nil {
			t.Errorf("%q would be written on Windows", path)
		}
		for _, goos := range []string{"linux", "darwin"} {
			if err := possible(goos, path); err != nil {
				t.Errorf("%q on %s: %v", path, goos, err)
			}
		}
	}
}

func TestNamesThatEverySystemHas(t *testing.T) {
	for _, path := range []string{
		"a", "a.txt", "console", "con1", "auxiliary.c", "com", "com10", "com1x", "lpt", "nulls/null", "printer", "prn-1.txt",
		".gitignore", "..x", ". x", "a b", "a.b.c", "conin", "com¹²", "größe/été.txt", "x.con", "a'b", "[x]{y}&(z)", "~$a.docx",
	} {
		for _, goos := range []string{"windows", "linux", "darwin"} {
			if err := possible(goos, path); err != nil {
				t.Errorf("%q on %s: %v", path, goos, err)
			}
		}
	}
}

// FuzzPossible adds to possible paths what makes them impossible, and on Windows asks Go, which refuses less.
func FuzzPossible(f *testing.F) {
	f.Add("aux .txt")
	f.Add("a/b.")
	f.Fuzz(func(t *testing.T, path string) {
		if runtime.GOOS == "windows" && CheckPath(path) == nil && possible("windows", path) == nil && !filepath.IsLocal(filepath.FromSlash(path)) {
			t.Errorf("%q is not local", path)
		}
		if possible("windows", path) == nil && (possible("windows", path+".") == nil || possible("windows", "aux."+path) == nil) {
			t.Errorf("%q with a dot behind it, or a device before it, would be written", path)
		}
	})
}
