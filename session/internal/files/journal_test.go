package files

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestHostileJournal: a journal is distrusted as a manifest is, by every call.
func TestHostileJournal(t *testing.T) {
	t.Parallel()
	h := sum("evil")
	step := func(path, temp string) string {
		return `{"old":{"path":"` + path + `","exists":false},"new":{"path":"` + path + `","exists":true,"hash":"` + h + `","mode":"0100644"},"temp":"` + temp + `"}`
	}
	journal := func(steps string) string {
		return `{"version":1,"checkpoint":"u1","safety":"s","placing":true,"steps":[` + steps + `]}`
	}
	for _, row := range []struct{ name, text, says string }{
		{"torn", journal("")[:30], "unexpected end"},
		{"version", `{"version":2,"checkpoint":"u1","safety":"s"}`, "version 2"},
		{"checkpoint", `{"version":1,"checkpoint":"../u1","safety":"s"}`, "checkpoint id"},
		{"path", journal(step("../evil", "")), "not allowed"},
		{"git", journal(step(".git/config", "")), "not allowed"},
		{"absolute", journal(step("/etc/evil", "")), "not allowed"},
		{"temporary file elsewhere", journal(step("a", "../.entire-1")), "not allowed"},
		{"temporary file that is none", journal(step("a", "f")), "no temporary file"},
		{"two paths", strings.Replace(journal(step("a", "")), `"path":"a"`, `"path":"b"`, 1), "in one step"},
		{"order", journal(step("b", "") + "," + step("a", "")), "out of order"},
		{"twice", journal(step("a", "") + "," + step("a", "")), "out of order"},
		{"hash", strings.ReplaceAll(journal(step("a", "")), h, "../../f"), "no hash"},
		{"missing content", journal(step("a", "")), "missing"},
		{"through a link", journal(step("out/evil", "")), "symbolic link"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			p := newFileWorld(t)
			outside := t.TempDir()
			p.write("f", "mine")
			must(t, os.Symlink(outside, p.at("out")))
			p.checkpoint("u1", "f")
			if row.name == "through a link" {
				must(t, os.WriteFile(p.path("blobs", h), []byte("evil"), 0o600))
			}
			must(t, os.WriteFile(p.path("rewind.json"), []byte(row.text), 0o600))
			before := p.tree()
			_, recoverErr := p.Recover(t.Context())
			_, rewindErr := p.RewindFiles("u1", false)
			for call, err := range map[string]error{
				"recover": recoverErr, "rewind": rewindErr, "create": p.CreateCheckpoint("u2", []string{"f"}),
			} {
				// What cannot be finished is taken back, of which nothing was done.
				if row.says == "missing" || row.says == "symbolic link" {
					if err != nil {
						t.Errorf("%s: %v", call, err)
					}
				} else if err == nil || !strings.Contains(err.Error(), row.says) || !strings.Contains(err.Error(), "rewind.json") {
					t.Errorf("%s: %v, want %q", call, err, row.says)
				}
			}
			p.wantTree("refused", before)
			if entries, _ := os.ReadDir(outside); len(entries) != 0 {
				t.Errorf("outside: %v", entries)
			}
		})
	}
}

// FuzzJournal: what is read names nothing elsewhere.
func FuzzJournal(f *testing.F) {
	h := sum("x")
	f.Add([]byte(`{"version":1,"checkpoint":"u1","safety":"s","placing":true,"steps":[{"old":{"path":"a","exists":false},"new":{"path":"a","exists":true,"hash":"` + h + `","mode":"0100644"},"temp":".entire-1"}]}`))
	f.Add([]byte(`{"version":1,"checkpoint":"u1","safety":"s","steps":[{"old":{"path":"a","exists":true,"mode":"040000"},"new":{"path":"a"}}]}`))
	f.Add([]byte(`{"version":1}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var j rewindJournal
		if json.Unmarshal(data, &j) != nil || j.check() != nil {
			return
		}
		for _, s := range j.Steps {
			for _, path := range []string{s.Old.Path, s.New.Path, s.Temp} {
				if path != "" && (checkFilePath(path) != nil || !filepath.IsLocal(path)) {
					t.Fatalf("path %q", path)
				}
			}
			if isFile(s.New) && !validHash(s.New.Hash) || isFile(s.Old) && !validHash(s.Old.Hash) {
				t.Fatalf("step %+v", s)
			}
		}
	})
}
