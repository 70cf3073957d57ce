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
	"strings"
	"testing"
	"time"

	"entire/agent"
	"entire/session/internal/conversation"
	"entire/session/internal/layout"
	"entire/session/internal/log"
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
		if err != nil && !conversation.IsBadLine(err) {
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
		if file.Name == layout.MetadataName {
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
	if files, _ := os.ReadDir(filepath.Join(s.Dir("a"), log.OutputsName)); len(files) != 1 {
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
		out, err := exec.CommandContext(ctx, zstd, "-dc", filepath.Join(s.Dir("a"), layout.MessagesName+log.PackedExt)).Output()
		data, rerr := os.ReadFile(filepath.Join(plain.Dir("a"), layout.MessagesName))
		if err != nil || rerr != nil || len(out) < 100_000 || !bytes.HasPrefix(data, out) {
			t.Errorf("zstd -d: %d of %d bytes, %v, %v", len(out), len(data), err, rerr)
		}
	}
	first, _, _ := strings.Cut(readText(t, filepath.Join(s.Dir("a"), layout.MessagesName)), "\n")
	if m, err := conversation.ParseMessage([]byte(first)); err != nil || m.Role != agent.RoleSystem || !strings.Contains(m.Content, ".zst") {
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
	for _, ext := range []string{"", log.PackedExt} {
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
