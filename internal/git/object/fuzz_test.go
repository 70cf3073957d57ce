package object

import (
	"bytes"
	"runtime"
	"slices"
	"strings"
	"testing"
)

const (
	someOID  = "0123456789abcdef0123456789abcdef01234567"
	otherOID = "fedcba9876543210fedcba9876543210fedcba98"
)

func FuzzParseOID(f *testing.F) {
	f.Add(someOID)
	f.Add(strings.Repeat("aB", 32))
	f.Add(strings.Repeat("0", 40))
	f.Fuzz(func(t *testing.T, s string) {
		oid, err := ParseOID(s)
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("message of several lines: %q", err)
			}
			return
		}
		if oid.IsZero() != (strings.Trim(s, "0") == "") {
			t.Errorf("%q is zero: %t", s, oid.IsZero())
		}
		if !oid.IsZero() && oid.String() != strings.ToLower(s) {
			t.Errorf("%q became %q", s, oid)
		}
		var back OID
		text, _ := oid.MarshalText()
		if err := back.UnmarshalText(text); err != nil || back != oid {
			t.Errorf("%q came back as %q, %v", s, back, err)
		}
	})
}

func FuzzParseTree(f *testing.F) {
	f.Add([]byte("100644 a\x00"+strings.Repeat("x", 20)+"40000 b\x00"+strings.Repeat("y", 20)), false)
	f.Add([]byte("120000 l\x00"+strings.Repeat("x", 32)), true)
	f.Add([]byte("100644 a"), false)
	f.Fuzz(func(t *testing.T, data []byte, long bool) {
		hashLen := 20
		if long {
			hashLen = 32
		}
		entries, err := ParseTree(data, hashLen)
		if err != nil {
			return
		}
		encoded, err := EncodeTree(entries, hashLen)
		if err != nil {
			return // what we read, we need not be willing to write
		}
		again, err := ParseTree(encoded, hashLen)
		if err != nil || len(again) != len(entries) {
			t.Fatalf("%d entries became %d, %v", len(entries), len(again), err)
		}
		for _, e := range entries {
			if !slices.Contains(again, e) {
				t.Errorf("%+v is lost", e)
			}
		}
		if twice, err := EncodeTree(again, hashLen); err != nil || !bytes.Equal(twice, encoded) {
			t.Errorf("encoded otherwise the second time, %v", err)
		}
	})
}

func FuzzParseCommit(f *testing.F) {
	f.Add([]byte("tree " + someOID + "\nparent " + otherOID + "\nauthor A <a@b> 1700000000 +0530\ncommitter C <c@d> 1700000000 -0930\ngpgsig -----BEGIN\n \n tree x\n\nsubject\n\nbody\n"))
	f.Add([]byte("tree " + someOID + "\nauthor <> 99999999999999999 +9999\ncommitter x\n\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := ParseCommit(OID{}, data)
		if err != nil {
			return
		}
		if c.Tree.IsZero() {
			t.Error("a commit without a tree")
		}
		encoded := c.Encode()
		back, err := ParseCommit(OID{}, encoded)
		if err != nil {
			t.Fatalf("cannot read what was written: %v\n%q", err, encoded)
		}
		if back.Tree != c.Tree || len(back.Parents) != len(c.Parents) || back.Message != strings.ReplaceAll(c.Message, "\x00", "") {
			t.Errorf("%+v came back as %+v", c, back)
		}
		if !bytes.Equal(back.Encode(), encoded) {
			t.Errorf("written otherwise the second time: %q, %q", encoded, back.Encode())
		}
	})
}

func FuzzValidPath(f *testing.F) {
	for _, p := range append(oddPaths(), hostilePaths()...) {
		f.Add(p)
	}
	f.Fuzz(func(t *testing.T, path string) {
		if err := ValidPath(path); err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("message of several lines: %q", err)
			}
			return
		}
		for _, name := range strings.Split(path, "/") {
			if name == "" || name == "." || name == ".." || strings.EqualFold(strings.TrimRight(name, ". "), ".git") {
				t.Errorf("%q was accepted", path)
			}
		}
		if strings.ContainsRune(path, 0) {
			t.Errorf("%q was accepted", path)
		}
	})
}

func hostilePaths() []string {
	return []string{
		"", "/", "a/", "/a", "a//b", ".", "..", "../a", "a/..", "a/./b", "a\x00b",
		".git", ".git/config", "a/.git/x", ".GIT", ".Git", ".git.", ".git ", ".git . .", ".git::$INDEX_ALLOCATION", ".git:x",
		"git~1", "GIT~1/x", ".g\u200cit", "\ufeff.git", ".gi\u206ft/x", `.git\hooks`, `a\.GIT\x`,
	}
}

func TestValidPath(t *testing.T) {
	t.Parallel()
	for _, p := range hostilePaths() {
		if ValidPath(p) == nil {
			t.Errorf("%q was accepted", p)
		}
	}
	for _, p := range append(oddPaths(), ".gitignore", ".github/x", "git", "a.git", ".git2", "git~2", "...", "a/..b") {
		if err := ValidPath(p); err != nil {
			t.Error(err)
		}
	}
}

func TestParseSignature(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"A B <a@b> 1700000000 +0100":   "A B <a@b> 1700000000 +0100",
		"A <a@b> 1700000000 -0930":     "A <a@b> 1700000000 -0930",
		"A <a@b> 1700000000 +9999":     "A <a@b> 1700000000 +0000", // no such zone
		"A <a@b> 1700000000":           "A <a@b> 1700000000 +0000",
		"A <a@b> soon":                 "A <a@b> 0 +0000",
		"A <a@b>":                      "A <a@b> 0 +0000",
		"nobody":                       "nobody <> 0 +0000",
		"<a@b> 1 +0000":                " <a@b> 1 +0000",
		"A <x> <a@b> 1700000000 +0000": "A x <a@b> 1700000000 +0000",
	} {
		if got := ParseSignature(in).encode(); got != want {
			t.Errorf("%q became %q, want %q", in, got, want)
		}
	}
}

// oddPaths are names git can hold and this system can, too.
func oddPaths() []string {
	paths := []string{"with space/a b", "-leading", "--stdin", "#hash", "!bang", "é/ü", "a'b", "~tilde", "$(x)", "%2f"}
	if runtime.GOOS == "windows" {
		return paths
	}
	paths = append(paths, "new\nline/f\n", "tab\t", `quote"`, `"quoted"`, `back\slash`, ":(glob)*", "star*", "cr\r")
	if runtime.GOOS == "linux" {
		paths = append(paths, "\xff\xfe", "d\x80/\xc3")
	}
	return paths
}
