package session

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"entire/agent"
	"entire/internal/seekable"

	"pgregory.net/rapid"
)

// inAWhile is later than any session of the tests was used.
var inAWhile = time.Now().AddDate(100, 0, 0)

// compressAll compresses all there is, as if nobody had used it for long.
func compressAll(t interface {
	Helper()
	Fatal(...any)
}, s *Store) Compressed {
	t.Helper()
	c, err := s.Compress(context.Background(), CompressOptions{Before: inAWhile})
	if err == nil && len(c.Failed) > 0 {
		err = fmt.Errorf("%v", c.Failed)
	}
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// allSaid is everything that the readers of a session say of it.
func allSaid(s *Store, sid string) (string, error) {
	ctx := context.Background()
	var out strings.Builder
	meta, err := s.Metadata(ctx, sid)
	if err != nil {
		return "", err
	}
	put := func(what string, v any, more ...any) {
		text, _ := json.Marshal(v)
		fmt.Fprintln(&out, what, string(text), fmt.Sprint(more...))
	}
	put("metadata", meta)
	for m, err := range s.History(ctx, sid) {
		if err != nil && !isBad(err) {
			return "", err
		}
		put("said", m.Message, m.Rewound, err == nil)
	}
	for line, err := range s.LogFrom(ctx, sid, 0) {
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&out, "line %d %v %s\n", line.End, line.Rewound, line.Data)
	}
	for r, err := range s.SDKHistory(ctx, sid) {
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&out, "record %d %s\n", r.End, r.Record)
	}
	for r, err := range s.SDKMessages(ctx, sid) {
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&out, "present record %s\n", r)
	}
	last, err := s.LastMessages(ctx, sid, 3)
	if err != nil {
		return "", err
	}
	put("last", last)
	f, err := s.Folder(ctx, sid)
	if err != nil {
		return "", err
	}
	defer f.Close()
	for _, log := range []func() (io.Reader, int64, error){f.Messages, f.Transcript} {
		in, size, err := log()
		if err != nil {
			return "", err
		}
		fmt.Fprintln(&out, "whole log of", size, in != nil)
		if in != nil {
			if _, err := io.Copy(&out, in); err != nil {
				return "", err
			}
		}
	}
	for _, file := range f.Files {
		if file.Name == metadataName {
			continue // the moment it is written differs
		}
		in, err := file.Open()
		if err != nil {
			return "", err
		}
		data, err := io.ReadAll(in)
		if err := errors.Join(err, in.Close()); err != nil {
			return "", err
		}
		fmt.Fprintf(&out, "file %s %d %s\n", file.Name, file.Size, data)
	}
	return out.String(), nil
}

func mustSay(t *testing.T, s *Store, sid string) string {
	t.Helper()
	said, err := allSaid(s, sid)
	must(t, err)
	return said
}

// differs shows where two texts begin to differ.
func differs(got, want string) string {
	i := 0
	for i < min(len(got), len(want)) && got[i] == want[i] {
		i++
	}
	from := max(i-80, 0)
	return fmt.Sprintf("at %d\n got %.240q\nwant %.240q", i, got[from:], want[from:])
}

// wordy is a message of many bytes that compress as an agent's do.
func wordy(n, bytes int) Message {
	m := say(n)
	m.Content = strings.Repeat(fmt.Sprintf("step %d: read the file, change it, run the tests\n", n), bytes/48+1)
	return m
}

// TestCompress: what is compressed takes less of the disk, and everybody reads, appends
// to, rewinds and forks it as before.
func TestCompress(t *testing.T) {
	t.Parallel()
	clock := WithClock(func() time.Time { return aDay })
	s, plain := testStore(t, clock), testStore(t, clock)
	both := func(do func(*Store) error) {
		t.Helper()
		must(t, do(s))
		must(t, do(plain))
	}
	same := func(when string, sids ...string) {
		t.Helper()
		for _, sid := range sids {
			if got, want := mustSay(t, s, sid), mustSay(t, plain, sid); got != want {
				t.Errorf("%s: %s: %s", when, sid, differs(got, want))
			}
		}
	}
	ctx := t.Context()
	both(func(s *Store) error {
		return s.Create(SessionMetadata{ID: "a", CWD: "/w", CreatedAt: aDay, UpdatedAt: aDay})
	})
	talk := func(from, to int) {
		t.Helper()
		both(func(s *Store) error {
			for n := from; n <= to; n++ {
				raw := fmt.Sprintf(`{"uuid":"m%d","out":%q}`, n, strings.Repeat("the same \"large\" output\\\n", 4000))
				if err := s.AppendBatch(ctx, "a", Batch{Messages: []Message{wordy(n, 2000)}, Raw: []byte(raw)}); err != nil {
					return err
				}
			}
			return s.Flush(ctx)
		})
	}
	talk(1, 60)
	back, err := s.RewindRecord("m50", "test")
	must(t, err)
	both(func(s *Store) error { return s.AppendMessage("a", back) })
	must(t, s.Flush(ctx))
	before, err := s.DiskUse(ctx, 0)
	must(t, err)
	c := compressAll(t, s)
	after, err := s.DiskUse(ctx, 0)
	must(t, err)
	if fmt.Sprint(c.Sessions) != "[a]" || after.Bytes > before.Bytes/20 || c.Was-c.Is < before.Bytes-after.Bytes-1000 {
		t.Errorf("%d bytes became %d; told %+v", before.Bytes, after.Bytes, c)
	}
	if size, was, err := s.SizeOf(ctx, "a"); err != nil || size != after.Bytes || was != after.Plain || after.Plain != before.Bytes || before.Plain != before.Bytes {
		t.Errorf("it takes %d of %d bytes, %v; all %+v, and took %+v", size, was, err, after, before)
	}
	for sid, err := range s.CheckCompressed(ctx, nil) {
		t.Errorf("%s: %v", sid, err)
	}
	if files, _ := os.ReadDir(filepath.Join(s.Dir("a"), outputsName)); len(files) != 1 {
		t.Errorf("the same text is stored %d times", len(files))
	}
	same("compressed", "a")
	if again := compressAll(t, s); len(again.Sessions) != 0 {
		t.Errorf("compressed again: %+v", again)
	}
	talk(61, 63)
	same("appended", "a")
	both(func(s *Store) error { _, err := s.ForkAt(ctx, "a", "b", "m62"); return err })
	both(func(s *Store) error { _, err := s.Fork("a", "c"); return err })
	talk(64, 90)
	compressAll(t, s)
	same("a fork's parent compressed", "a", "c")
	both(func(s *Store) error { return s.AppendMessage("b", say(200)) })
	both(func(s *Store) error { return s.Delete("a") })
	compressAll(t, s)
	same("without the parent", "b", "c")
	both(func(s *Store) error { return s.Undelete(ctx, "a") })
	same("with it again", "a", "b", "c")

	// What the programs of others see.
	if zstd, err := exec.LookPath("zstd"); err == nil {
		out, err := exec.CommandContext(ctx, zstd, "-dc", filepath.Join(s.Dir("a"), messagesName+packedExt)).Output()
		data, rerr := os.ReadFile(filepath.Join(plain.Dir("a"), messagesName))
		if err != nil || rerr != nil || len(out) < 100_000 || !bytes.HasPrefix(data, out) {
			t.Errorf("zstd -d: %d of %d bytes, %v, %v", len(out), len(data), err, rerr)
		}
	}
	first, _, _ := strings.Cut(readText(t, filepath.Join(s.Dir("a"), messagesName)), "\n")
	if m, err := parseMessage([]byte(first)); err != nil || m.Role != agent.RoleSystem || !strings.Contains(m.Content, ".zst") {
		t.Errorf("the first line reads %+v, %v", m, err)
	}
}

func readText(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	must(t, err)
	return string(data)
}

// TestCompressForks: forks go on sharing, and a file is left that somebody uses plain.
func TestCompressForks(t *testing.T) {
	t.Parallel()
	s := testStore(t)
	must(t, s.Create(SessionMetadata{ID: "a"}))
	for n := 1; n <= 40; n++ {
		must(t, s.AppendMessage("a", wordy(n, 3000)))
	}
	must(t, second(s.Fork("a", "b")))
	must(t, second(s.Fork("b", "c")))
	must(t, s.Delete("b"))
	if c := compressAll(t, s); len(c.Sessions) != 0 {
		t.Errorf("with a name in the trash: %+v", c)
	}
	must(t, s.Undelete(t.Context(), "b"))
	want := mustSay(t, s, "c")
	leave := func(sid string) bool { return sid == "a" }
	if c, err := s.Compress(t.Context(), CompressOptions{Before: inAWhile, Leave: leave}); err != nil || len(c.Sessions) != 0 {
		t.Errorf("with one in use: %+v, %v", c, err)
	}
	if c := compressAll(t, s); fmt.Sprint(c.Sessions) != "[a b c]" {
		t.Errorf("together: %+v", c)
	}
	for _, ext := range []string{"", packedExt} {
		var infos []fs.FileInfo
		for _, path := range []string{"a/messages.jsonl", "b/base-000.jsonl", "c/base-000.jsonl"} {
			info, err := os.Stat(filepath.Join(s.Base(), filepath.FromSlash(path+ext)))
			must(t, err)
			infos = append(infos, info)
		}
		if !os.SameFile(infos[0], infos[1]) || !os.SameFile(infos[1], infos[2]) {
			t.Errorf("%s is not shared", ext)
		}
	}
	must(t, s.AppendMessage("a", say(100)))
	if got := mustSay(t, s, "c"); got != want {
		t.Errorf("a fork: %s", differs(got, want))
	}
}

// TestCompressProperty: whatever is appended, compressed, forked, taken back and
// deleted, in whatever order, a store in which nothing was ever compressed says the same.
func TestCompressProperty(t *testing.T) {
	t.Parallel()
	top := t.TempDir()
	runs := 0
	rapid.Check(t, func(t *rapid.T) {
		runs++
		dir := filepath.Join(top, fmt.Sprint(runs))
		defer os.RemoveAll(dir)
		stores := []*Store{}
		open := func() {
			for i := range 2 {
				stores = append(stores, OpenStore(filepath.Join(dir, fmt.Sprint(i), "sessions"), WithSync(false), WithClock(func() time.Time { return aDay })))
			}
		}
		open()
		closeAll := func() {
			for _, s := range stores {
				if err := s.Close(); err != nil {
					t.Fatal(err)
				}
			}
			stores = nil
		}
		defer func() { closeAll() }()
		sids, n := []string{"s0"}, 0
		both := func(do func(*Store) error) (err error) {
			var errs []error
			for _, s := range stores {
				errs = append(errs, do(s))
			}
			if (errs[0] == nil) != (errs[1] == nil) {
				t.Fatalf("%v, and %v", errs[0], errs[1])
			}
			return errs[0]
		}
		fine := func(do func(*Store) error) {
			if err := both(do); err != nil {
				t.Fatal(err)
			}
		}
		fine(func(s *Store) error { return s.Create(SessionMetadata{ID: "s0", CreatedAt: aDay, UpdatedAt: aDay}) })
		pick := func() string { return rapid.SampledFrom(sids).Draw(t, "session") }
		for range rapid.IntRange(3, 10).Draw(t, "steps") {
			switch rapid.IntRange(0, 8).Draw(t, "what") {
			case 0, 1, 2:
				sid, b := pick(), Batch{}
				for range rapid.IntRange(1, 4).Draw(t, "messages") {
					n++
					b.Messages = append(b.Messages, wordy(n, rapid.SampledFrom([]int{0, 900, 900, 9000, 9000, 70_000}).Draw(t, "bytes")))
					b.Raw = append(b.Raw, rawLine(t, n)...)
				}
				fine(func(s *Store) error {
					return errors.Join(s.AppendBatch(context.Background(), sid, b), s.Flush(context.Background()))
				})
			case 3, 4:
				if c := compressAll(t, stores[0]); c.Is > c.Was {
					t.Fatalf("it grew: %+v", c)
				}
			case 5:
				sid, child := pick(), fmt.Sprintf("s%d", len(sids))
				at := rapid.SampledFrom([]string{"", fmt.Sprintf("m%d", max(n/2, 1))}).Draw(t, "at")
				if both(func(s *Store) error { return second(s.ForkAt(context.Background(), sid, child, at)) }) == nil {
					sids = append(sids, child)
				}
			case 6:
				sid := pick()
				m, err := stores[0].RewindRecord(fmt.Sprintf("m%d", max(n-2, 1)), "test")
				if err != nil {
					t.Fatal(err)
				}
				fine(func(s *Store) error { return s.AppendMessage(sid, m) })
			case 7:
				sid := pick()
				fine(func(s *Store) error { return s.Delete(sid) })
				if rapid.Bool().Draw(t, "compress without") {
					compressAll(t, stores[0])
				}
				fine(func(s *Store) error { return s.Undelete(context.Background(), sid) })
			case 8:
				closeAll()
				open()
			}
		}
		for _, sid := range sids {
			var said [2]string
			for i, s := range stores {
				var err error
				if said[i], err = allSaid(s, sid); err != nil {
					t.Fatal(err)
				}
			}
			if said[0] != said[1] {
				t.Fatalf("%s: %s", sid, differs(said[0], said[1]))
			}
		}
	})
}

// rawLine is a line of an agent's stream: an object, something damaged, nothing, or
// what we would write ourselves.
func rawLine(t *rapid.T, n int) string {
	large := strings.Repeat(`a large \"output\" \\`, 3200)
	return rapid.SampledFrom([]string{
		fmt.Sprintf(`{"uuid":"m%d"}`, n),
		fmt.Sprintf(`{"uuid":"m%d","a":"%s","b":["%s","x%s"]}`, n, large, large, large),
		`{"torn":"` + large, `"` + large + large + `"`, "", "no json",
		strings.TrimSuffix(string((&packedHead{Bytes: 7, SHA256: strings.Repeat("0", 64)}).line()), "\n"),
		`{"text":"` + apartMark + strings.Repeat("0", 64) + `"}`,
	}).Draw(t, "raw") + "\n"
}

// TestCompressWhileRead: a reader that has the file open goes on with it.
func TestCompressWhileRead(t *testing.T) {
	t.Parallel()
	s := testStore(t)
	must(t, s.Create(SessionMetadata{ID: "a"}))
	for n := 1; n <= 400; n++ {
		must(t, s.AppendMessage("a", wordy(n, 2000)))
	}
	n := 0
	for m, err := range s.Messages(t.Context(), "a") {
		must(t, err)
		n++
		if want := fmt.Sprintf("m%d", n); m.UUID != want {
			t.Fatalf("message %s, want %s", m.UUID, want)
		}
		if n == 5 {
			if c := compressAll(t, s); len(c.Sessions) != 1 {
				t.Fatalf("%+v", c)
			}
		}
	}
	if n != 400 {
		t.Errorf("%d messages", n)
	}
}

// TestCompressedIsDamaged: what is lost is said, and never passed over.
func TestCompressedIsDamaged(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		damage func(t *testing.T, dir string)
		want   string
	}{
		{"the compressed file is gone", func(t *testing.T, dir string) { must(t, os.Remove(filepath.Join(dir, messagesName+packedExt))) }, "is missing"},
		{"a byte of it is another", func(t *testing.T, dir string) { flip(t, filepath.Join(dir, messagesName+packedExt), 1000) }, "damaged"},
		{"its end is cut off", func(t *testing.T, dir string) { must(t, os.Truncate(filepath.Join(dir, messagesName+packedExt), 5000)) }, "damaged"},
		{"a text is gone", func(t *testing.T, dir string) { must(t, os.RemoveAll(filepath.Join(dir, outputsName))) }, "is missing"},
		{"another's compressed file", func(t *testing.T, dir string) {
			must(t, os.Rename(filepath.Join(dir, transcriptName+packedExt), filepath.Join(dir, messagesName+packedExt)))
		}, "bytes"},
	} {
		s := OpenStore(filepath.Join(t.TempDir(), "sessions"))
		must(t, s.Create(SessionMetadata{ID: "a"}))
		var raw bytes.Buffer
		for n := 1; n <= 30; n++ {
			must(t, s.AppendMessage("a", wordy(n, 70_000)))
			fmt.Fprintf(&raw, "{\"n\":%d,\"x\":%q}\n", n, strings.Repeat("abc", n*100))
		}
		must(t, s.AppendBatch(t.Context(), "a", Batch{Raw: raw.Bytes()}))
		compressAll(t, s)
		c.damage(t, s.Dir("a"))
		said := 0
		for sid, err := range s.CheckCompressed(t.Context(), nil) {
			if sid != "a" || err == nil {
				t.Errorf("%s: checked: %s: %v", c.name, sid, err)
			} else if strings.Contains(err.Error(), c.want) {
				said++
			}
		}
		if said == 0 {
			t.Errorf("%s: nothing was found", c.name)
		}
		_, err := allSaid(s, "a")
		if err == nil || !strings.Contains(err.Error(), c.want) || errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v", c.name, err)
		}
		_ = s.Close()
	}
}

func flip(t *testing.T, path string, at int) {
	data := []byte(readText(t, path))
	data[at] ^= 0xff
	must(t, os.WriteFile(path, data, 0o600))
}

// TestNotOurs: a line of somebody else's that looks as if a log were compressed is a
// line, and an archive that says so is refused.
func TestNotOurs(t *testing.T) {
	t.Parallel()
	s := testStore(t)
	must(t, s.Create(SessionMetadata{ID: "a"}))
	forged := (&packedHead{Bytes: 999, SHA256: strings.Repeat("a", 64)}).line()
	must(t, s.AppendBatch(t.Context(), "a", Batch{Raw: append(forged, "{}\n"...)}))
	var got []string
	for r, err := range s.SDKMessages(t.Context(), "a") {
		must(t, err)
		got = append(got, string(r))
	}
	if want := []string{strings.TrimSuffix(string(forged), "\n"), "{}"}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %q", got)
	}
	g, err := s.Stage(t.Context())
	must(t, err)
	defer g.Close()
	must(t, g.Put(metadataName, strings.NewReader(`{"session_id":"b"}`)))
	must(t, g.Put(messagesName, bytes.NewReader(forged)))
	for _, name := range []string{"messages.jsonl.zst", "base-000.jsonl.zst", "outputs/" + strings.Repeat("0", 64) + ".zst"} {
		if err := g.Put(name, strings.NewReader("x")); err == nil {
			t.Errorf("%s is taken in", name)
		}
	}
	if _, err := g.Check(t.Context(), "b"); err == nil || !strings.Contains(err.Error(), "is missing") {
		t.Errorf("check: %v", err)
	}
}

// FuzzPacked: whatever a compressed file says of itself, and whatever stands in the
// first line of a log, it is read, or refused, and nobody asks for what is not there.
func FuzzPacked(f *testing.F) {
	sum := strings.Repeat("0", 64)
	f.Add([]byte(`{"bytes":11}`), []byte("hello world"), []byte(headStart+`11,"sha256":"`+sum+`"}}`+"\n{}\n"))
	f.Add([]byte(`{"bytes":5,"apart":[{"at":0,"sha256":"`+sum+`","bytes":5}]}`), []byte(apartMark+sum), []byte(headStart+`4,"sha256":"`+sum+`"}}`+"\nx"))
	f.Add([]byte(`{"bytes":-1,"apart":[{"at":-5,"sha256":"`+sum+`","bytes":9223372036854775807}]}`), []byte("x"), []byte(headStart+"\n"))
	f.Fuzz(func(t *testing.T, note, thin, file []byte) {
		dir := t.TempDir()
		must(t, os.Mkdir(filepath.Join(dir, outputsName), 0o700))
		write := func(path string, data, note []byte) {
			var out bytes.Buffer
			w, err := seekable.NewWriter(&out)
			must(t, err)
			must(t, second(w.Write(data)))
			must(t, w.Close(note))
			must(t, os.WriteFile(path, out.Bytes(), 0o600))
		}
		write(filepath.Join(dir, messagesName+packedExt), thin, note)
		write(textPath(filepath.Join(dir, outputsName), sum), []byte("apart"), nil)
		path := filepath.Join(dir, messagesName)
		must(t, os.WriteFile(path, file, 0o600))
		l, err := OpenLog(path)
		if err != nil {
			return
		}
		defer l.Close()
		if size, _, err := StatLog(path); err != nil || size != l.Size() {
			t.Errorf("%d bytes, or %d, %v", l.Size(), size, err)
		}
		data, err := io.ReadAll(io.NewSectionReader(l, 0, min(l.Size(), 1<<20)))
		if err == nil && int64(len(data)) != min(l.Size(), 1<<20) {
			t.Errorf("%d of %d bytes", len(data), l.Size())
		}
		at := min(int64(len(data)), 3)
		part := make([]byte, min(int64(len(data))-at, 7))
		if _, rerr := l.ReadAt(part, at); err == nil && (rerr != nil && rerr != io.EOF || !bytes.Equal(part, data[at:at+int64(len(part))])) {
			t.Errorf("at %d: %q, %v", at, part, rerr)
		}
	})
}
