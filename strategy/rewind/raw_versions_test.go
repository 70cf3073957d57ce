package rewind_test

import (
	"os"
	"strings"
	"testing"

	"entire/internal/testrepo"
	"entire/strategy/internal/enginetest"
	"entire/strategy/restore"
	"entire/strategy/rewind"
)

// TestUndoBringsBackTheVeryBytes though git has one blob for several of them.
func TestUndoBringsBackTheVeryBytes(t *testing.T) {
	t.Parallel()
	const mixed = "one\r\ntwo\nthree\r\n"
	for name, row := range map[string]struct {
		attributes, mine string
	}{
		"mixed line ends":              {"*.txt text\n", mixed},
		"CRLF where git has LF":        {"*.txt text eol=lf\n", strings.ReplaceAll(mixed, "two\n", "two\r\n")},
		"LF where git has CRLF":        {"*.txt text eol=crlf\n", "one\ntwo\nthree\n"},
		"an expanded identifier":       {"*.txt ident\n", "x\n$Id: by hand $\n"},
		"the blob, where git has CRLF": {"*.txt text eol=crlf\n", "one\n"},
		"no filter":                    {"", mixed},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := enginetest.NewWorld(t, testrepo.Files(map[string]string{"a.txt": "a\n", ".gitattributes": row.attributes}))
			w.Turn("s1", "first", func() { w.Write("a.txt", "first\n$Id$\n") })
			w.Write("a.txt", row.mine)
			w.Write("new.txt", row.mine)
			w.Chmod("a.txt", 0o755)
			w.Rewind(w.Points()[len(w.Points())-1].ID)
			then := w.Read("a.txt")
			if then == row.mine || w.Exists("new.txt") {
				t.Fatal("not rewound")
			}
			for range 2 {
				w.Back(enginetest.Undoing, "")
				if a, n := w.Read("a.txt"), w.Read("new.txt"); a != row.mine || n != row.mine {
					t.Errorf("undone: %q, %q", a, n)
				}
				if fi, err := os.Stat(w.Path("a.txt")); err != nil || fi.Mode().Perm() != 0o755 {
					t.Errorf("mode %v, %v", fi.Mode(), err)
				}
				w.Back(enginetest.Redoing, "")
				if got := w.Read("a.txt"); got != then {
					t.Errorf("redone: %q, want %q", got, then)
				}
			}
			w.Fsck()
		})
	}
}

// TestRawBytesAreOfTheirBlob: those of an earlier rewind are no other content's.
func TestRawBytesAreOfTheirBlob(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, testrepo.Files(map[string]string{"a.txt": "a\n", ".gitattributes": "*.txt text\n"}))
	w.Turn("s1", "first", func() { w.Write("a.txt", "first\n") })
	first := w.Points()[0].ID
	w.Write("a.txt", "one\r\ntwo\n")
	w.Rewind(first)
	w.Write("a.txt", "three\n")
	w.Rewind(first)
	w.Back(enginetest.Undoing, "")
	if got := w.Read("a.txt"); got != "three\n" {
		t.Errorf("%q", got)
	}
	log := w.Log()
	w.Rewind(log[len(log)-1].Before)
	if got := w.Read("a.txt"); got != "one\r\ntwo\n" {
		t.Errorf("%q", got)
	}
}

// TestKilledUndoBringsBackTheVeryBytes: the files staged for it are gone.
func TestKilledUndoBringsBackTheVeryBytes(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, testrepo.Files(map[string]string{"a.txt": "a\n", ".gitattributes": "*.txt text\n"}))
	w.Turn("s1", "first", func() { w.Write("a.txt", "first\n") })
	w.Write("a.txt", "one\r\ntwo\n")
	w.Rewind(w.Points()[0].ID)
	e := w.Engine()
	plan, err := rewind.PlanUndo(w.Ctx, e, "", rewind.ConflictsStop)
	if err != nil {
		t.Fatal(err)
	}
	j, err := rewind.PrepareRewind(w.Ctx, e, plan, plan.Present)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(restore.StagedNewPath(e, j, 0)); err != nil {
		t.Fatal(err)
	}
	if _, err := rewind.Recover(w.Ctx, w.Engine()); err != nil {
		t.Fatal(err)
	}
	if got := w.Read("a.txt"); got != "one\r\ntwo\n" {
		t.Errorf("%q", got)
	}
}

// TestLargeFilesAreLeftToTheFilters: a step does not hold them twice.
func TestLargeFilesAreLeftToTheFilters(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, testrepo.Files(map[string]string{"a.txt": "a\n", ".gitattributes": "*.txt text eol=lf\n"}))
	w.Turn("s1", "first", func() { w.Write("a.txt", "first\n") })
	lines := strings.Repeat("a line of some length\n", restore.MaxRaw/20)
	w.Write("a.txt", strings.ReplaceAll(lines, "\n", "\r\n"))
	w.Rewind(w.Points()[0].ID)
	w.Back(enginetest.Undoing, "")
	if got := w.Read("a.txt"); got != lines {
		t.Errorf("%d bytes, want git's %d", len(got), len(lines))
	}
}

// TestTurnsHaveTheVeryBytes of the files that differ from HEAD, also after a step in which they did not change, and where
// git would write other line ends.
func TestTurnsHaveTheVeryBytes(t *testing.T) {
	t.Parallel()
	const crlf, lf, mixed = "one\r\ntwo\r\n", "one\ntwo\n", "one\r\ntwo\nthree\r\n"
	for name, row := range map[string]struct {
		attributes string
		config     []string
	}{
		"no filter":           {"", nil},
		"core.autocrlf=true":  {"", []string{"core.autocrlf", "true"}},
		"core.autocrlf=input": {"", []string{"core.autocrlf", "input"}},
		"core.eol=crlf":       {"* text=auto\n", []string{"core.eol", "crlf"}},
		"text":                {"*.txt text\n", nil},
		"eol=crlf":            {"*.txt text eol=crlf\n", nil},
		"eol=lf, autocrlf":    {"*.txt text eol=lf\n", []string{"core.autocrlf", "true"}},
		"ident":               {"*.txt ident\n", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := enginetest.NewWorld(t, testrepo.Files(map[string]string{"a.txt": "a\n", ".gitattributes": row.attributes}))
			if row.config != nil {
				w.Git(append([]string{"config"}, row.config...)...)
			}
			then := map[string]string{"crlf.txt": crlf, "lf.txt": lf, "mixed.txt": mixed, "id.txt": "x $Id: by hand $\n", "a.txt": "mine\r\n"}
			w.Turn("s1", "first", func() {
				for path, text := range then {
					w.Write(path, text)
				}
			})
			w.Turn("s1", "second", func() { w.Write("b.txt", "b\n") })
			points := w.Points()
			w.Turn("s1", "third", func() {
				for path := range then {
					w.Write(path, "third\n")
				}
			})
			for _, p := range points {
				w.Rewind(p.ID)
				for path, text := range then {
					if got := w.Read(path); got != text {
						t.Errorf("%s, %s: %q, want %q", p.Message, path, got, text)
					}
				}
				w.Back(enginetest.Undoing, "")
				w.Back(enginetest.Redoing, "")
				for path, text := range then {
					if got := w.Read(path); got != text {
						t.Errorf("%s, redone, %s: %q, want %q", p.Message, path, got, text)
					}
				}
				w.Back(enginetest.Undoing, "")
			}
			w.Fsck()
		})
	}
}

// TestARequiredFilterThatFails stops no rewind to a file that was stored without it.
func TestARequiredFilterThatFails(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, testrepo.Files(map[string]string{"a.txt": "a\n", ".gitattributes": "*.up filter=up\n"}))
	w.Git("config", "filter.up.required", "true")
	w.Git("config", "filter.up.clean", "false")
	w.Git("config", "filter.up.smudge", "false")
	w.Turn("s1", "first", func() { w.Write("x.up", "first\n") })
	w.Turn("s1", "second", func() { w.Write("x.up", "second\n") })
	w.Rewind(w.Points()[1].ID)
	if got := w.Read("x.up"); got != "first\n" {
		t.Errorf("%q", got)
	}
	w.Back(enginetest.Undoing, "")
	if got := w.Read("x.up"); got != "second\n" {
		t.Errorf("undone: %q", got)
	}
}
