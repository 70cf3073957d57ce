package session

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"entire/internal/seekable"
	"entire/session/internal/layout"
	"entire/session/internal/log"
)

// TestCompressedIsDamaged: what is lost is said, and never passed over.
func TestCompressedIsDamaged(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		damage func(t *testing.T, dir string)
		want   string
	}{
		{"the compressed file is gone", func(t *testing.T, dir string) {
			must(t, os.Remove(filepath.Join(dir, layout.MessagesName+log.PackedExt)))
		}, "is missing"},
		{"a byte of it is another", func(t *testing.T, dir string) { flip(t, filepath.Join(dir, layout.MessagesName+log.PackedExt), 1000) }, "damaged"},
		{"its end is cut off", func(t *testing.T, dir string) {
			must(t, os.Truncate(filepath.Join(dir, layout.MessagesName+log.PackedExt), 5000))
		}, "damaged"},
		{"a text is gone", func(t *testing.T, dir string) { must(t, os.RemoveAll(filepath.Join(dir, log.OutputsName))) }, "is missing"},
		{"another's compressed file", func(t *testing.T, dir string) {
			must(t, os.Rename(filepath.Join(dir, layout.TranscriptName+log.PackedExt), filepath.Join(dir, layout.MessagesName+log.PackedExt)))
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
	forged := (&log.PackedHead{Bytes: 999, SHA256: strings.Repeat("a", 64)}).Line()
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
	must(t, g.Put(layout.MetadataName, strings.NewReader(`{"session_id":"b"}`)))
	must(t, g.Put(layout.MessagesName, bytes.NewReader(forged)))
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
	f.Add([]byte(`{"bytes":11}`), []byte("hello world"), []byte(log.PackedHeadStart+`11,"sha256":"`+sum+`"}}`+"\n{}\n"))
	f.Add([]byte(`{"bytes":5,"apart":[{"at":0,"sha256":"`+sum+`","bytes":5}]}`), []byte(log.LargeTextMark+sum), []byte(log.PackedHeadStart+`4,"sha256":"`+sum+`"}}`+"\nx"))
	f.Add([]byte(`{"bytes":-1,"apart":[{"at":-5,"sha256":"`+sum+`","bytes":9223372036854775807}]}`), []byte("x"), []byte(log.PackedHeadStart+"\n"))
	f.Fuzz(func(t *testing.T, note, thin, file []byte) {
		dir := t.TempDir()
		must(t, os.Mkdir(filepath.Join(dir, log.OutputsName), 0o700))
		write := func(path string, data, note []byte) {
			var out bytes.Buffer
			w, err := seekable.NewWriter(&out)
			must(t, err)
			must(t, second(w.Write(data)))
			must(t, w.Close(note))
			must(t, os.WriteFile(path, out.Bytes(), 0o600))
		}
		write(filepath.Join(dir, layout.MessagesName+log.PackedExt), thin, note)
		write(log.TextPath(filepath.Join(dir, log.OutputsName), sum), []byte("apart"), nil)
		path := filepath.Join(dir, layout.MessagesName)
		must(t, os.WriteFile(path, file, 0o600))
		l, err := log.OpenLog(path)
		if err != nil {
			return
		}
		defer l.Close()
		if size, _, err := log.StatLog(path); err != nil || size != l.Size() {
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
