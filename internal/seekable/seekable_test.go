package seekable

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func pack(t testing.TB, note string, pieces ...[]byte) []byte {
	t.Helper()
	var out bytes.Buffer
	w, err := NewWriter(&out)
	for _, p := range pieces {
		if err == nil {
			_, err = w.Write(p)
		}
	}
	if err == nil {
		err = w.Close([]byte(note))
	}
	if err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func open(t testing.TB, file []byte) *Reader {
	t.Helper()
	r, err := NewReader(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func all(r *Reader) ([]byte, error) { return io.ReadAll(io.NewSectionReader(r, 0, r.Size())) }

// text is lines of about as many bytes, that compress as transcripts do.
func text(n int, line int) []byte {
	rnd := rand.New(rand.NewPCG(1, uint64(n)))
	var b bytes.Buffer
	for b.Len() < n {
		fmt.Fprintf(&b, `{"uuid":"%d","content":"%s"}`+"\n", rnd.IntN(1e9), strings.Repeat("go on ", rnd.IntN(line)+1))
	}
	return b.Bytes()
}

func TestFrames(t *testing.T) {
	t.Parallel()
	lines := text(3<<20, 400)
	long := bytes.Repeat([]byte("x"), 3<<20)
	for _, c := range []struct {
		name    string
		content []byte
		atLines bool
	}{
		{"nothing", nil, true},
		{"a byte", []byte("x"), true},
		{"lines", lines, true},
		{"a line of half a frame and more", append(append(text(1000, 9), bytes.Repeat([]byte("y"), frameBytes)...), '\n', '{', '}', '\n'), true},
		{"a line longer than frames may be", append(append(text(1000, 9), long...), "\n{}\n"...), false},
	} {
		file := pack(t, "about it", c.content)
		r := open(t, file)
		got, err := all(r)
		if err != nil || !bytes.Equal(got, c.content) || r.Size() != int64(len(c.content)) || string(r.Note()) != "about it" {
			t.Errorf("%s: %d of %d bytes, note %q, %v", c.name, len(got), len(c.content), r.Note(), err)
		}
		for i := 1; i < len(r.from)-1; i++ {
			if at := r.from[i]; at < r.Size() && (r.from[i]-r.from[i-1] > longFrame || c.atLines && c.content[at-1] != '\n') {
				t.Errorf("%s: frame %d ends at %d of %d", c.name, i-1, at, len(c.content))
			}
		}
	}
	if n := len(pack(t, "", lines)); n > len(lines)/3 {
		t.Errorf("%d bytes became %d", len(lines), n)
	}
}

// counted counts the bytes that are read of a file.
type counted struct {
	io.ReaderAt
	n int
}

func (c *counted) ReadAt(p []byte, off int64) (int, error) {
	c.n += len(p)
	return c.ReaderAt.ReadAt(p, off)
}

// TestSeeks: a few bytes somewhere cost one frame, however large the file is, and
// reading from the last to the first costs each frame once.
func TestSeeks(t *testing.T) {
	t.Parallel()
	content := text(6<<20, 300)
	file := pack(t, "", content)
	in := &counted{ReaderAt: bytes.NewReader(file)}
	r, err := NewReader(in, int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	in.n = 0
	var got [20]byte
	at := int64(len(content)) * 2 / 3
	if _, err := r.ReadAt(got[:], at); err != nil || !bytes.Equal(got[:], content[at:at+20]) {
		t.Errorf("%q, %v", got, err)
	}
	if in.n > len(file)/5 {
		t.Errorf("20 bytes cost %d of %d", in.n, len(file))
	}
	in.n = 0
	buf := make([]byte, 60_000)
	for end := int64(len(content)); end > 0; end -= int64(len(buf)) {
		from := max(end-int64(len(buf)), 0)
		if _, err := r.ReadAt(buf[:end-from], from); err != nil || !bytes.Equal(buf[:end-from], content[from:end]) {
			t.Fatalf("at %d: %v", from, err)
		}
	}
	if in.n > len(file) {
		t.Errorf("reading backwards cost %d of %d bytes", in.n, len(file))
	}
}

// TestGrown: a file made of an earlier one and more holds both, wherever it is read.
func TestGrown(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var content, file []byte
		for i := range rapid.IntRange(1, 4).Draw(t, "times") {
			more := text(rapid.IntRange(0, 900_000).Draw(t, "bytes"), rapid.IntRange(1, 60_000).Draw(t, "line"))
			var out bytes.Buffer
			w, err := NewWriter(&out)
			if err == nil && i > 0 {
				var old *Reader
				if old, err = NewReader(bytes.NewReader(file), int64(len(file))); err == nil {
					err = w.Copy(old)
				}
			}
			for rest := more; len(rest) > 0 && err == nil; {
				n := min(rapid.IntRange(1, 300_000).Draw(t, "piece"), len(rest))
				_, err = w.Write(rest[:n])
				rest = rest[n:]
			}
			if err == nil {
				err = w.Close([]byte(fmt.Sprint("note ", i)))
			}
			if err != nil {
				t.Fatal(err)
			}
			content, file = append(content, more...), out.Bytes()
		}
		r, err := NewReader(bytes.NewReader(file), int64(len(file)))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := all(r); err != nil || !bytes.Equal(got, content) {
			t.Fatalf("%d of %d bytes, %v", len(got), len(content), err)
		}
		for range 8 {
			from := rapid.IntRange(0, len(content)+10).Draw(t, "from")
			buf := make([]byte, rapid.IntRange(0, 800_000).Draw(t, "length"))
			n, err := r.ReadAt(buf, int64(from))
			want := content[min(from, len(content)):min(from+len(buf), len(content))]
			if !bytes.Equal(buf[:n], want) || (err == io.EOF) != (len(want) < len(buf)) || err != nil && err != io.EOF {
				t.Fatalf("at %d: %d bytes, %v; want %d", from, n, err, len(want))
			}
		}
	})
}

// TestOtherReaders: the program of the format's authors reads it.
func TestOtherReaders(t *testing.T) {
	t.Parallel()
	program, err := exec.LookPath("zstd")
	if err != nil {
		t.Skip("there is no zstd here")
	}
	content := text(2<<20, 300)
	path := filepath.Join(t.TempDir(), "x.zst")
	if err := os.WriteFile(path, pack(t, "a note", content), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := exec.CommandContext(t.Context(), program, "-dc", path).Output()
	if err != nil || !bytes.Equal(got, content) {
		t.Errorf("%d of %d bytes, %v", len(got), len(content), err)
	}
}

// TestDamage: whatever byte is another, and wherever the file ends, nobody reads
// anything else than what was written.
func TestDamage(t *testing.T) {
	t.Parallel()
	content := text(3000, 5)
	file := pack(t, "a note", content[:1000], content[1000:])
	check := func(name string, bad []byte) {
		t.Helper()
		r, err := NewReader(bytes.NewReader(bad), int64(len(bad)))
		var got []byte
		if err == nil {
			got, err = all(r)
		}
		if err == nil && (!bytes.Equal(got, content) || string(r.Note()) != "a note") {
			t.Errorf("%s: it reads %.40q, %q", name, got, r.Note())
		}
		if err != nil && !errors.Is(err, ErrDamaged) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for i := range file {
		for _, flip := range []byte{1, 0x80, 0xff} {
			bad := bytes.Clone(file)
			bad[i] ^= flip
			check(fmt.Sprint("byte ", i), bad)
		}
		if _, err := NewReader(bytes.NewReader(file[:i]), int64(i)); !errors.Is(err, ErrDamaged) {
			t.Errorf("of %d bytes: %v", i, err)
		}
		check(fmt.Sprint("without ", i), append(bytes.Clone(file[:i]), file[i+1:]...))
	}
}

func FuzzReader(f *testing.F) {
	f.Add(pack(f, "n", text(500, 3)))
	f.Add(pack(f, "", nil))
	f.Add([]byte("PK\x03\x04"))
	f.Fuzz(func(t *testing.T, file []byte) {
		r, err := NewReader(bytes.NewReader(file), int64(len(file)))
		if err != nil {
			if !errors.Is(err, ErrDamaged) {
				t.Error(err)
			}
			return
		}
		buf := make([]byte, 4096)
		for off := int64(0); off < min(r.Size(), 64<<20); off += maxFrame / 2 {
			if n, err := r.ReadAt(buf, off); err != nil && err != io.EOF && !errors.Is(err, ErrDamaged) {
				t.Errorf("at %d: %d, %v", off, n, err)
			}
		}
	})
}
