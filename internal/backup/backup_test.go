package backup

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"entire/internal/archive"
	"entire/session"
)

const (
	keyA = "g-0123456789abcdef0123456789abcdef01234567"
	keyB = "p-00112233445566778899aabbccddeeff"
)

var noon = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)

// A machine has stores, by key.
type machine struct {
	t      *testing.T
	dir    string
	stores map[string]*session.Store
}

func newMachine(t *testing.T) *machine {
	return &machine{t, t.TempDir(), map[string]*session.Store{}}
}

func (m *machine) store(key string) *session.Store {
	if m.stores[key] == nil {
		s := session.OpenStore(session.BaseIn(filepath.Join(m.dir, "projects", key)), session.WithClock(func() time.Time { return noon }), session.WithSync(false))
		m.stores[key] = s
		m.t.Cleanup(func() { s.Close() })
	}
	return m.stores[key]
}

func must[T any](v T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func ok(t *testing.T, errs ...error) {
	t.Helper()
	for _, err := range errs {
		if err != nil {
			t.Fatal(err)
		}
	}
}

func say(uuid, text string) session.Message {
	return session.Message{UUID: uuid, Role: "user", Content: text, Timestamp: noon}
}

// fill makes sessions with everything that a session can have.
func (m *machine) fill() []Item {
	t, s, ctx := m.t, m.store(keyA), context.Background()
	work := t.TempDir()
	ok(t, os.WriteFile(filepath.Join(work, "a.txt"), []byte("before\n"), 0o644))
	ok(t, s.Create(session.SessionMetadata{ID: "parent", CWD: work, ProjectHash: keyA, Title: "the first", CreatedAt: noon}))
	ok(t, s.AppendMessage("parent", say("u1", "one")), s.AppendMessage("parent", say("u2", "two")), s.AppendMessage("parent", say("u3", "three")))
	ok(t, s.AppendBatch(ctx, "parent", session.Batch{Raw: []byte("{\"type\":\"user\",\"uuid\":\"u1\"}\nno json at all\n")}), s.Flush(ctx))
	ok(t, s.CreateCheckpoint("parent", "u2", []string{"a.txt", "new.txt"}))
	ok(t, s.Rewind(ctx, "parent", "u2", "test"), s.Flush(ctx))
	must(s.ForkAt(ctx, "parent", "child", "u1"))(t)
	ok(t, s.AppendMessage("child", say("c1", "another way")), s.AppendMessage("parent", say("u4", "four")), s.Flush(ctx))
	must(s.Fork("child", "grandchild"))(t)
	dir := s.Dir("parent")
	ok(t, os.MkdirAll(filepath.Join(dir, "agents"), 0o750), os.WriteFile(filepath.Join(dir, "agents", "a1.jsonl"), []byte("{}\n"), 0o600))
	ok(t, os.WriteFile(filepath.Join(dir, "of-another-program.txt"), []byte("kept"), 0o600))
	b := m.store(keyB)
	ok(t, b.Create(session.SessionMetadata{ID: "elsewhere", CWD: work, ProjectHash: keyB, CreatedAt: noon}), b.Flush(ctx))
	ok(t, os.WriteFile(filepath.Join(b.Dir("elsewhere"), "transcript.json"), []byte(`{"messages": []}`), 0o600))
	return []Item{{keyA, s, "parent"}, {keyA, s, "child"}, {keyA, s, "grandchild"}, {keyB, b, "elsewhere"}}
}

func (m *machine) export(items []Item) []byte {
	m.t.Helper()
	var out bytes.Buffer
	list := must(Write(context.Background(), &out, items, Options{Now: noon, Version: "test"}))(m.t)
	if len(list) != len(items) {
		m.t.Fatalf("%d of %d sessions were written", len(list), len(items))
	}
	return out.Bytes()
}

func (m *machine) target(beside bool) Target {
	return Target{KeepBoth: beside, Store: func(key string) (string, *session.Store) { return key, m.store(key) }}
}

func (m *machine) take(data []byte, to Target) ([]Result, error) {
	plan, err := Read(context.Background(), bytes.NewReader(data), nil)
	if err != nil {
		return nil, err
	}
	return plan.Import(context.Background(), bytes.NewReader(data), to)
}

// files is what is below the machine's folder, without locks, marks and caches.
func (m *machine) files() map[string]string {
	m.t.Helper()
	out := map[string]string{}
	ok(m.t, filepath.WalkDir(m.dir, func(path string, e fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(m.dir, path)
		if err != nil {
			return err
		}
		if e.IsDir() {
			if strings.HasPrefix(e.Name(), ".new-") {
				m.t.Errorf("%s was left behind", rel)
			}
			if e.Name() == ".behind" {
				return fs.SkipDir
			}
			return nil
		}
		if name := e.Name(); name == "lock" || strings.HasSuffix(name, ".lock") || name == "index.cache" {
			return nil
		}
		data, err := os.ReadFile(path)
		out[rel] = string(data)
		return err
	}))
	return out
}

func sameFiles(t *testing.T, got, want map[string]string) {
	t.Helper()
	for name, text := range want {
		if have, there := got[name]; !there || have != text {
			t.Errorf("%s is %.80q (there: %v), want %.80q", name, have, there, text)
		}
	}
	for name := range got {
		if _, there := want[name]; !there {
			t.Errorf("%s is there", name)
		}
	}
}

// TestLossless takes an export in on another machine, and finds every file there
// as it was.
func TestLossless(t *testing.T) {
	t.Parallel()
	a, b := newMachine(t), newMachine(t)
	items := a.fill()
	data := a.export(items)
	taken := must(b.take(data, b.target(false)))(t)
	for i, tk := range taken {
		if tk.Outcome != Imported || tk.As != items[i].ID || tk.Project != items[i].Project {
			t.Errorf("%+v", tk)
		}
	}
	sameFiles(t, b.files(), a.files())

	// It is as readable as before, and a fork shares with its parent again.
	ctx := context.Background()
	for _, item := range items {
		from, to := item.Store, b.store(item.Project)
		if was, is := fmt.Sprint(must(from.LoadMessages(item.ID))(t)), fmt.Sprint(must(to.LoadMessages(item.ID))(t)); was != is {
			t.Errorf("%s says %s, want %s", item.ID, is, was)
		}
	}
	parent := must(os.Stat(filepath.Join(b.store(keyA).Dir("parent"), "messages.jsonl")))(t)
	child := must(os.Stat(filepath.Join(b.store(keyA).Dir("child"), "base-000.jsonl")))(t)
	if !os.SameFile(parent, child) {
		t.Error("the fork is a copy")
	}
	if list := must(b.store(keyA).Checkpoints(ctx, "parent"))(t); len(list) != 1 || len(list[0].Files) != 2 {
		t.Errorf("checkpoints: %+v", list)
	}
	// Nothing changes when it is written or taken in again.
	before := b.files()
	for _, tk := range must(b.take(data, b.target(true)))(t) {
		if tk.Outcome != Same {
			t.Errorf("again: %+v", tk)
		}
	}
	sameFiles(t, b.files(), before)
}

// TestCompressed: an export of compressed sessions holds what one of plain sessions
// does, entry by entry, and the other way round nothing is new to a compressed one.
func TestCompressed(t *testing.T) {
	t.Parallel()
	a, b := newMachine(t), newMachine(t)
	items := a.fill()
	s, ctx := a.store(keyA), context.Background()
	for n := range 40 {
		id := fmt.Sprint("long", n)
		ok(t, s.AppendBatch(ctx, "parent", session.Batch{
			Messages: []session.Message{say(id, strings.Repeat("a long text ", 100))},
			Raw:      fmt.Appendf(nil, "{\"uuid\":%q,\"out\":%q}\n", id, strings.Repeat("an output ", 8000)),
		}))
	}
	ok(t, s.Flush(ctx))
	must(s.ForkAt(ctx, "parent", "late", "long20"))(t)
	items = append(items, Item{keyA, s, "late"})
	plain := a.export(items)
	c := must(s.Compress(ctx, session.CompressOptions{Before: noon.AddDate(1, 0, 0)}))(t)
	if len(c.Sessions) < 2 || c.Is*5 > c.Was || len(c.Failed) > 0 {
		t.Fatalf("%+v", c)
	}
	packed := a.export(items)
	if !bytes.Equal(plain, packed) {
		t.Errorf("%d bytes were exported, and %d of what is compressed", len(plain), len(packed))
	}
	must(b.take(packed, b.target(false)))(t)
	for _, data := range [][]byte{plain, packed} {
		for _, tk := range append(must(a.take(data, a.target(true)))(t), must(b.take(data, b.target(true)))(t)...) {
			if tk.Outcome != Same {
				t.Errorf("%+v", tk)
			}
		}
	}
}

// TestForkAlone checks that a fork is whole without the session it came from.
func TestForkAlone(t *testing.T) {
	t.Parallel()
	a, b := newMachine(t), newMachine(t)
	items := a.fill()
	must(b.take(a.export(items[2:3]), b.target(false)))(t)
	want, got := must(items[2].Store.LoadMessages("grandchild"))(t), must(b.store(keyA).LoadMessages("grandchild"))(t)
	if len(got) != 2 || fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("it says %v, want %v", got, want)
	}
}

func TestWhatIsHere(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		change func(*testing.T, *session.Store)
		beside bool
		want   Outcome
	}{
		{"the same", func(*testing.T, *session.Store) {}, false, Same},
		{"renamed here", func(t *testing.T, s *session.Store) {
			ok(t, s.UpdateMetadata("parent", func(m *session.SessionMetadata) { m.Title = "better" }))
		}, false, Same},
		{"went on here", func(t *testing.T, s *session.Store) { ok(t, s.AppendMessage("parent", say("x", "more"))) }, false, Newer},
		{"taken back here", func(t *testing.T, s *session.Store) { ok(t, s.Rewind(context.Background(), "parent", "u1", "test")) }, false, Newer},
		{"went on differently", func(t *testing.T, s *session.Store) { replaceLast(t, s) }, false, LeftOut},
		{"went on differently, beside", func(t *testing.T, s *session.Store) { replaceLast(t, s) }, true, ImportedAsNew},
		{"a content lost here", func(t *testing.T, s *session.Store) {
			ok(t, os.RemoveAll(filepath.Join(s.Dir("parent"), "blobs")))
		}, false, LeftOut},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			ctx := context.Background()
			a, b := newMachine(t), newMachine(t)
			data := a.export(a.fill()[:1])
			must(b.take(data, b.target(false)))(t)
			s := b.store(keyA)
			c.change(t, s)
			ok(t, s.Flush(ctx))
			before := b.files()
			taken := must(b.take(data, b.target(c.beside)))(t)
			if taken[0].Outcome != c.want {
				t.Fatalf("%+v, want %s", taken[0], c.want)
			}
			if c.want != ImportedAsNew {
				sameFiles(t, b.files(), before)
				return
			}
			as := taken[0].As
			if !strings.HasPrefix(as, "parent_") || taken[0].Count != 3 {
				t.Errorf("%+v", taken[0])
			}
			meta := must(s.Metadata(ctx, as))(t)
			if meta.ID != as || meta.Title != "the first" {
				t.Errorf("%+v", meta)
			}
			after := b.files()
			if again := must(b.take(data, b.target(true)))(t); again[0].Outcome != Same || again[0].As != as {
				t.Errorf("again: %+v", again[0])
			}
			sameFiles(t, b.files(), after)
		})
	}
}

// replaceLast makes the session one that went on otherwise.
func replaceLast(t *testing.T, s *session.Store) {
	path := filepath.Join(s.Dir("parent"), "messages.jsonl")
	data := must(os.ReadFile(path))(t)
	ok(t, os.WriteFile(path, bytes.Replace(data, []byte("four"), []byte("five"), 1), 0o600))
}

// lie writes an archive of whatever entries.
func lie(t *testing.T, entries ...archive.Entry) []byte {
	t.Helper()
	var out bytes.Buffer
	w := must(archive.NewWriter(&out))(t)
	for _, e := range entries {
		content := ""
		if c, found := strings.CutPrefix(e.Name, "\n"); found { // name and content
			e.Name, content, _ = strings.Cut(c, "\n")
		}
		ok(t, w.AddBytes(e, []byte(content)))
	}
	ok(t, w.Close())
	return out.Bytes()
}

func TestHostile(t *testing.T) {
	t.Parallel()
	about := json.RawMessage(`{"project":"` + keyA + `"}`)
	top := archive.Entry{Kind: kindHead, Name: "\nx\n{\"version\":1}"}
	begin := archive.Entry{Kind: kindSession, Name: "s", Of: 1, About: about}
	file := func(name, content string) archive.Entry {
		return archive.Entry{Kind: kindFile, Name: "\n" + name + "\n" + content, Of: 1}
	}
	meta := file("metadata.json", `{"session_id":"s","cwd":"/tmp/x"}`)
	shared := func(name string, of int, about string) archive.Entry {
		return archive.Entry{Kind: kindShared, Name: name, Of: of, About: json.RawMessage(about)}
	}
	second := archive.Entry{Kind: kindSession, Name: "t", Of: 2, About: about}
	manifest := func(files string) archive.Entry {
		return file("checkpoints/u1/manifest.json", `{"user_message_uuid":"u1","checkpoint_id":"u1","created_at":"2026-03-04T05:06:07Z","files":[`+files+`]}`)
	}
	good := lie(t, top, begin, meta)
	for _, c := range []struct {
		name string
		data []byte
	}{
		{"empty", nil},
		{"no end", good[:len(good)-4]},
		{"no head", lie(t, begin, meta)},
		{"nothing at all in it", lie(t)},
		{"a newer head", lie(t, archive.Entry{Kind: kindHead, Name: "\nx\n{\"version\":2}"})},
		{"another kind of archive", lie(t, archive.Entry{Kind: "teleport", Name: "x"})},
		{"an unknown kind of entry", lie(t, top, begin, meta, archive.Entry{Kind: "device", Name: "x", Of: 1})},
		{"a file of no session", lie(t, top, meta)},
		{"a file of another session", lie(t, top, begin, meta, second, meta)},
		{"a session out of order", lie(t, top, second)},
		{"a session twice", lie(t, top, begin, meta, archive.Entry{Kind: kindSession, Name: "S", Of: 2, About: about}, archive.Entry{Kind: kindFile, Name: "metadata.json", Of: 2})},
		{"a session without metadata", lie(t, top, begin, file("messages.jsonl", ""))},
		{"an ID that leads out", lie(t, top, archive.Entry{Kind: kindSession, Name: "../s", Of: 1, About: about})},
		{"an ID that is hidden", lie(t, top, archive.Entry{Kind: kindSession, Name: ".s", Of: 1, About: about})},
		{"a project that leads out", lie(t, top, archive.Entry{Kind: kindSession, Name: "s", Of: 1, About: json.RawMessage(`{"project":"../../x-y"}`)}, meta)},
		{"a file that leads out", lie(t, top, begin, meta, file("../../evil", "x"))},
		{"a file that leads out from below", lie(t, top, begin, meta, file("agents/../../evil", "x"))},
		{"an absolute file", lie(t, top, begin, meta, file("/tmp/evil", "x"))},
		{"a drive", lie(t, top, begin, meta, file(`C:\evil`, "x"))},
		{"a backslash", lie(t, top, begin, meta, file(`..\evil`, "x"))},
		{"a device", lie(t, top, begin, meta, file("aux.jsonl", "x"))},
		{"a stream of a file", lie(t, top, begin, meta, file("messages.jsonl:x", "x"))},
		{"a lock", lie(t, top, begin, meta, file("lock", "x"))},
		{"a hidden file", lie(t, top, begin, meta, file(".git/config", "x"))},
		{"a file with no name", lie(t, top, begin, meta, file("", "x"))},
		{"a folder with no name", lie(t, top, begin, meta, file("agents//x", "x"))},
		{"too deep", lie(t, top, begin, meta, file("a/b/c/d/e", "x"))},
		{"a file twice", lie(t, top, begin, meta, meta)},
		{"a file twice but for its case", lie(t, top, begin, meta, file("Messages.jsonl", "x"), file("messages.jsonl", "x"))},
		{"a file below a file", lie(t, top, begin, meta, file("agents", "x"), file("agents/a", "x"))},
		{"a file above a file", lie(t, top, begin, meta, file("agents/a", "x"), file("Agents", "x"))},
		{"metadata of another session", lie(t, top, begin, file("metadata.json", `{"session_id":"other"}`))},
		{"metadata that is none", lie(t, top, begin, file("metadata.json", `[`))},
		{"a content under another's name", lie(t, top, begin, meta, file("blobs/"+strings.Repeat("0", 64), "x"))},
		{"base.json that leads out", lie(t, top, begin, meta, file("base.json", `{"messages":[{"file":"../../t/messages.jsonl","bytes":1}]}`))},
		{"base.json of what is not there", lie(t, top, begin, meta, file("base.json", `{"messages":[{"file":"base-000.jsonl","bytes":1}]}`))},
		{"base.json of more than there is", lie(t, top, begin, meta, file("base-000.jsonl", "x"), file("base.json", `{"messages":[{"file":"base-000.jsonl","bytes":9}]}`))},
		{"a manifest that leads out", lie(t, top, begin, meta, manifest(`{"path":"../../.bashrc","exists":false}`))},
		{"a manifest into .git", lie(t, top, begin, meta, manifest(`{"path":".git/hooks/pre-commit","exists":false}`))},
		{"a manifest without its contents", lie(t, top, begin, meta, manifest(`{"path":"a","exists":true,"hash":"`+strings.Repeat("0", 64)+`","mode":"100644"}`))},
		{"a log shared with itself", lie(t, top, begin, meta, shared("base-000.jsonl", 1, `{"session":1,"file":"metadata.json","bytes":1}`))},
		{"a log that two sessions would write", lie(t, top, begin, meta, file("messages.jsonl", "{}\n"), second, shared("messages.jsonl", 2, `{"session":1,"file":"messages.jsonl","bytes":3}`))},
		{"more shared than there is", lie(t, top, begin, meta, file("messages.jsonl", "{}\n"), second, shared("base-000.jsonl", 2, `{"session":1,"file":"messages.jsonl","bytes":4}`))},
		{"a shared path", lie(t, top, begin, meta, second, shared("base-000.jsonl", 2, `{"session":1,"file":"../../../../../etc/passwd","bytes":1}`))},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			m := newMachine(t)
			ok(t, m.store(keyA).Create(session.SessionMetadata{ID: "mine", CWD: "/x"}), m.store(keyA).Flush(context.Background()))
			before := m.files()
			taken, err := m.take(c.data, m.target(true))
			if err == nil {
				t.Errorf("it was taken in: %+v", taken)
			}
			sameFiles(t, m.files(), before)
			if around := must(os.ReadDir(m.dir))(t); len(around) != 1 {
				t.Errorf("beside the stores there is %v", around)
			}
		})
	}
	m := newMachine(t)
	if _, err := m.take(good, m.target(false)); err != nil {
		t.Errorf("what the others are made of is refused, too: %v", err)
	}
}

// TestChangedBetween checks that what was checked is what is taken in.
func TestChangedBetween(t *testing.T) {
	t.Parallel()
	a, b := newMachine(t), newMachine(t)
	items := a.fill()
	data := a.export(items[:2])
	plan := must(Read(context.Background(), bytes.NewReader(data), nil))(t)
	other := a.export([]Item{items[0], items[2]})
	if taken, err := plan.Import(context.Background(), bytes.NewReader(other), b.target(false)); err == nil {
		t.Errorf("taken in: %+v", taken)
	}
	if files := b.files(); len(files) > 0 {
		t.Errorf("there is %v", slices.Sorted(maps.Keys(files)))
	}
}

func TestCancelled(t *testing.T) {
	t.Parallel()
	a, b := newMachine(t), newMachine(t)
	items := a.fill()
	data := a.export(items)
	plan := must(Read(context.Background(), bytes.NewReader(data), nil))(t)
	for n := range 12 { // at one moment after the other
		ctx, cancel := context.WithCancel(context.Background())
		calls := 0
		to := b.target(false)
		to.Progress = func(int64) {
			if calls++; calls > n {
				cancel()
			}
		}
		if _, err := plan.Import(ctx, bytes.NewReader(data), to); err == nil {
			t.Fatalf("after %d entries it was not cancelled", n)
		}
		if files := b.files(); len(files) > 0 {
			t.Fatalf("cancelled after %d entries it left %d files", n, len(files))
		}
		cancel()
	}
	must(b.take(data, b.target(false)))(t)
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(archive.Magic))
	var out bytes.Buffer
	w, err := archive.NewWriter(&out)
	if err != nil {
		f.Fatal(err)
	}
	w.AddBytes(archive.Entry{Kind: kindHead}, []byte(`{"version":1}`))
	w.AddBytes(archive.Entry{Kind: kindSession, Name: "s", Of: 1, About: json.RawMessage(`{"project":"` + keyA + `"}`)}, nil)
	w.AddBytes(archive.Entry{Kind: kindFile, Name: "metadata.json", Of: 1}, []byte(`{}`))
	w.Close()
	f.Add(out.Bytes())
	f.Fuzz(func(t *testing.T, data []byte) {
		plan, err := Read(context.Background(), bytes.NewReader(data), nil)
		if err != nil {
			return
		}
		for _, s := range plan.Sessions {
			for name := range s.sizes {
				if !filepath.IsLocal(name) || session.CheckFolderFile(name) != nil {
					t.Errorf("%q passed", name)
				}
			}
		}
	})
}
