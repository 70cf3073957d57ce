package files

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

func sum(content string) string {
	s := sha256.Sum256([]byte(content))
	return hex.EncodeToString(s[:])
}

// plant writes a manifest as somebody else did, with contents beside it.
func (p fileWorld) plant(id, manifest, blobs string, contents ...string) {
	p.Helper()
	must(p.T, os.MkdirAll(p.path("checkpoints", id, blobs), 0o755))
	must(p.T, os.WriteFile(p.path("checkpoints", id, "manifest.json"), []byte(manifest), 0o644))
	for _, c := range contents {
		must(p.T, os.WriteFile(p.path("checkpoints", id, blobs, sum(c)), []byte(c), 0o644))
	}
}

// TestManifestsOfOthers: as the two documents describe them.
func TestManifestsOfOthers(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ name, blobs, manifest string }{
		{"by message, absolute paths, contents in files", "files", `{"user_message_uuid":"cp","created_at":"2026-02-09T10:00:00.5+01:00","files":[
			{"path":"ROOT/src/main.go","exists":true,"hash":"` + sum("package main\n") + `","size":13},
			{"path":"ROOT/src/new.go","exists":false,"size":0}]}`},
		{"by id, no word of existence or size, contents in blobs", "blobs", `{"checkpoint_id":"cp","created_at":"2026-02-09T10:00:00Z","later":{"a":[1]},"files":[
			{"path":"src/main.go","hash":"` + sum("package main\n") + `","note":"kept"},
			{"path":"src/new.go","exists":false}]}`},
		{"without tags", "files", `{"UserMessageUUID":"","created_at":"2026-02-09T10:00:00Z","Files":[
			{"Path":"src/main.go","Exists":true,"Hash":"` + sum("package main\n") + `","Size":13},
			{"Path":"src/new.go","Exists":false,"Hash":"","Size":0}]}`},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			p := newFileWorld(t)
			p.plant("cp", strings.ReplaceAll(row.manifest, "ROOT", filepath.ToSlash(p.root)), row.blobs, "package main\n")
			p.write("src/main.go", "package changed\n")
			must(t, os.Chmod(p.at("src/main.go"), 0o755))
			p.write("src/new.go", "package new\n")
			p.write("later", "1")
			after := p.tree()
			p.checkpoint("cp", "later", "src/main.go")
			p.write("later", "2")

			r := p.rewind("cp")
			p.wantTree("rewound", map[string]string{"src": "folder", "src/main.go": "755 package main\n", "later": "644 1"})
			p.rewind(r.SafetyCheckpoint)
			after["later"] = "644 2"
			p.wantTree("undone", after)

			data, err := os.ReadFile(p.path("checkpoints", "cp", "manifest.json"))
			must(t, err)
			var got map[string]any
			must(t, json.Unmarshal(data, &got))
			if strings.Contains(row.manifest, "later") && (fmt.Sprint(got["later"]) != "map[a:[1]]" || !strings.Contains(string(data), `"note": "kept"`)) {
				t.Errorf("what is not known was lost: %s", data)
			}
		})
	}
}

func TestHostileManifests(t *testing.T) {
	t.Parallel()
	good, evil := sum("good"), sum("evil")
	file := func(path, more string) string {
		name, _ := json.Marshal(path)
		return `{"path":` + string(name) + `,"exists":true,"hash":"` + evil + `"` + more + `}`
	}
	absent := func(path string) string { return `{"path":"` + path + `","exists":false}` }
	for _, row := range []struct{ name, files, says string }{
		{"up and out", file("../evil", ""), "not allowed"},
		{"up and out within", file("a/../../evil", ""), "not allowed"},
		{"not clean", file("a/./b", ""), "not allowed"},
		{"two slashes", file("a//b", ""), "not allowed"},
		{"slash at the end", file("a/", ""), "not allowed"},
		{"empty", file("", ""), "empty"},
		{"dot", file(".", ""), "not allowed"},
		{"absolute", file("/etc/evil", ""), "outside"},
		{"absolute and not clean", file("ROOT/../evil", ""), "not clean"},
		{"absolute, the folder itself", file("ROOT", ""), "not allowed"},
		{"absolute, a name that begins the same", file("ROOTevil", ""), "outside"},
		{"drive", file(`C:\evil`, ""), "drive"},
		{"drive with a slash", file("c:/evil", ""), "drive"},
		{"drive alone", file("c:", ""), "drive"},
		{"share", file(`\\server\share\evil`, ""), "drive"},
		{"NUL", file("evil\x00", ""), "NUL"},
		{"git", file(".git/hooks/pre-commit", ""), "not allowed"},
		{"git in capitals", file("sub/.Git/config", ""), "not allowed"},
		{"git with ignorable characters", file(".gi\u200dt/config", ""), "not allowed"},
		{"git, short name", file("git~1/config", ""), "not allowed"},
		{"git with dots and spaces", file(".git . /config", ""), "not allowed"},
		{"git removed", absent(".git/config"), "not allowed"},
		{"through a link", file("out/evil", ""), "symbolic link"},
		{"through a link, removed", absent("out/victim"), "symbolic link"},
		{"through a link within", file("in/f", ""), "symbolic link"},
		{"folder below a link", `{"path":"out/sub","exists":true,"mode":"040000"}`, "symbolic link"},
		{"through a file", file("f/evil", ""), "in the way"},
		{"a folder with files of others", file("d", ""), "folder is in the way"},
		{"twice", file("a", "") + "," + absent("a"), "twice"},
		{"twice, once absolute", file("a", "") + "," + file("ROOT/a", ""), "twice"},
		{"file and folder", file("a", "") + "," + file("a/b", ""), "below it"},
		{"hash that is a path", `{"path":"a","exists":true,"hash":"../../../../../../etc/passwd"}`, "no hash"},
		{"hash in capitals", `{"path":"a","exists":true,"hash":"` + strings.ToUpper(evil) + `"}`, "no hash"},
		{"hash too short", `{"path":"a","exists":true,"hash":"` + evil[1:] + `"}`, "no hash"},
		{"no hash", `{"path":"a","exists":true}`, "no hash"},
		{"wrong hash", `{"path":"a","exists":true,"hash":"` + sum("wrong") + `"}`, "damaged"},
		{"hash of a link to elsewhere", `{"path":"a","exists":true,"hash":"` + sum("linked") + `"}`, "neither a file"},
		{"missing content", `{"path":"a","exists":true,"hash":"` + sum("unknown") + `"}`, "missing"},
		{"wrong size", file("a", `,"size":5`), "bytes"},
		{"negative size", file("a", `,"size":-4`), "negative"},
		{"neither there nor not", `{"path":"a"}`, "neither exists"},
		{"not there, with content", `{"path":"a","exists":false,"hash":"` + evil + `"}`, "has content"},
		{"setuid", file("a", `,"mode":"0104755"`), "no mode"},
		{"device", file("a", `,"mode":"0060644"`), "no mode"},
		{"mode in decimal", file("a", `,"mode":"999"`), "no mode"},
		{"link to nothing", `{"path":"a","exists":true,"mode":"0120000","hash":"` + sum("") + `"}`, "no target"},
		{"link with a NUL", `{"path":"a","exists":true,"mode":"0120000","hash":"` + sum("x\x00y") + `"}`, "no target"},
		{"before its checkpoint", file("a", `,"recorded_at":"2020-01-01T00:00:00Z"`), "before its checkpoint"},
		{"year 9999", file("a", `,"recorded_at":"9999-12-31T23:59:59.999999999Z"`), "year"},
		{"no object", "1", "cannot unmarshal"},
		{"no array", `WHOLE{"created_at":"2026-02-09T10:00:00Z","files":{"path":"a"}}`, "unmarshal"},
		{"other checkpoint", `WHOLE{"checkpoint_id":"other","created_at":"2026-02-09T10:00:00Z"}`, "that of checkpoint"},
		{"no time", `WHOLE{"files":[]}`, "year"},
		{"not JSON", "{", "invalid"},
		{"too many", strings.Repeat(absent("a")+",", maxCheckpointFiles) + absent("b"), "at most"},
		{"long path", file(strings.Repeat("a", 5000), ""), "at most"},
		{"long name", file(strings.Repeat("n", 300), ""), "name too long"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			p := newFileWorld(t)
			outside := t.TempDir()
			must(t, os.WriteFile(filepath.Join(outside, "victim"), []byte("v"), 0o600))
			must(t, os.Symlink(outside, p.at("out")))
			must(t, os.Symlink("d", p.at("in")))
			p.write("d/f", "mine")
			p.write("f", "mine")
			p.write("changed", "now")
			text := `{"user_message_uuid":"cp","created_at":"2026-02-09T10:00:00Z","files":[` +
				`{"path":"changed","exists":true,"hash":"` + good + `"},` + row.files + `]}`
			text = strings.ReplaceAll(text, "ROOT", filepath.ToSlash(p.root))
			if _, whole, ok := strings.Cut(row.files, "WHOLE"); ok {
				text = whole
			}
			p.plant("cp", text, "blobs", "good", "evil", "", "x\x00y")
			must(t, os.WriteFile(p.path("checkpoints", "cp", "blobs", sum("wrong")), []byte("evil"), 0o600))
			must(t, os.Symlink(filepath.Join(outside, "victim"), p.path("checkpoints", "cp", "blobs", sum("linked"))))
			before, stored := p.tree(), len(storedNames(p))
			for _, dryRun := range []bool{true, false} {
				r, err := p.RewindFiles("cp", dryRun)
				if err == nil || r == nil || r.CanRewind || r.Error != err.Error() || !strings.Contains(err.Error(), row.says) {
					t.Errorf("dry run %t: %+v, %v; want %q", dryRun, r, err, row.says)
				}
				if err != nil && strings.Contains(err.Error(), "\n") {
					t.Errorf("error of several lines: %q", err)
				}
			}
			p.wantTree("refused", before)
			if entries, _ := os.ReadDir(outside); len(entries) != 1 {
				t.Errorf("outside: %v", entries)
			}
			if n := len(storedNames(p)); n > stored+1 { // the lock
				t.Errorf("the session's %d files are %d", stored, n)
			}
		})
	}
}

// TestHugeManifest is refused by its size.
func TestHugeManifest(t *testing.T) {
	t.Parallel()
	p := newFileWorld(t)
	p.plant("cp", "{}", "blobs")
	must(t, os.Truncate(p.path("checkpoints", "cp", "manifest.json"), 1<<40))
	if r, err := p.RewindFiles("cp", false); err == nil || r.CanRewind || !strings.Contains(err.Error(), "at most") {
		t.Errorf("got %+v, %v", r, err)
	}
}

// TestCheckpointsBesideADamagedOne are listed; a rewind does not guess.
func TestCheckpointsBesideADamagedOne(t *testing.T) {
	t.Parallel()
	p := newFileWorld(t)
	p.write("f", "1")
	p.checkpoint("u1", "f")
	p.plant("u2", "{", "blobs")
	must(t, os.Mkdir(p.path("checkpoints", "begun"), 0o755))
	all, err := p.Checkpoints(t.Context())
	if err == nil || !strings.Contains(err.Error(), "u2") || len(all) != 1 || all[0].CheckpointID != "u1" {
		t.Errorf("checkpoints %+v, %v", all, err)
	}
	if r, err := p.RewindFiles("u1", false); err == nil || r.CanRewind {
		t.Errorf("rewind %+v, %v", r, err)
	}
}

// FuzzManifest: what is read leads nowhere else, and is read again from what is
// written of it.
func FuzzManifest(f *testing.F) {
	h := sum("x")
	for _, seed := range []string{
		`{"user_message_uuid":"cp","created_at":"2026-02-09T10:00:00Z","files":[{"path":"a","exists":true,"hash":"` + h + `","mode":"0100644"}]}`,
		`{"created_at":"2026-02-09T10:00:00Z","files":[{"path":"/root/a","hash":"` + h + `"},{"path":"b/c","exists":false},{"path":"b","mode":"040000","exists":false}]}`,
		`{"created_at":"2026-02-09T10:00:00Z","files":[{"path":"../a","hash":"` + h + `"}]}`,
		`{"created_at":"2026-02-09T10:00:00Z","files":null}`, `{`, `null`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := readManifest(data, "cp", "/root")
		if err != nil {
			return
		}
		for _, s := range got.Files {
			if err := checkFilePath(s.Path); err != nil || !filepath.IsLocal(s.Path) || strings.Contains(strings.ToLower(s.Path), ".git/") {
				t.Fatalf("path %q: %v", s.Path, err)
			}
			if isFile(s) && !validHash(s.Hash) {
				t.Fatalf("hash %q", s.Hash)
			}
		}
		text, err := json.Marshal(got)
		if err != nil {
			t.Fatal(err)
		}
		again, err := readManifest(text, "cp", "/root")
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		for i := range again.Files {
			if !again.Files[i].RecordedAt.Equal(got.Files[i].RecordedAt) {
				t.Fatalf("%v is %v", got.Files[i].RecordedAt, again.Files[i].RecordedAt)
			}
			again.Files[i].RecordedAt = got.Files[i].RecordedAt
		}
		if !reflect.DeepEqual(again.Files, got.Files) || !again.CreatedAt.Equal(got.CreatedAt) {
			t.Fatalf("%+v is %+v", got, again)
		}
		goals(func() []entry { e, _ := entriesSince([]CheckpointManifest{*got}, "cp"); return e }())
	})
}
