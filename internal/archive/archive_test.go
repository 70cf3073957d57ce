package archive

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

type pair struct {
	Entry
	content string
}

var sample = []pair{
	{Entry{Kind: "head"}, `{"version":1}`},
	{Entry{Kind: "session", Name: "s1", Of: 1, About: json.RawMessage(`{"project":"p"}`)}, ""},
	{Entry{Kind: "file", Name: "messages.jsonl", Of: 1}, strings.Repeat("a line\n", 50_000)},
	{Entry{Kind: "file", Name: "blobs/x", Of: 1}, "\x00\xff\n"},
}

func written(t testing.TB, list []pair) []byte {
	t.Helper()
	var out bytes.Buffer
	w, err := NewWriter(&out)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range list {
		if err := w.AddBytes(p.Entry, []byte(p.content)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func readAll(data []byte, lim Limits) (list []pair, digest string, err error) {
	r, err := NewReader(bytes.NewReader(data), lim)
	if err != nil {
		return nil, "", err
	}
	defer r.Close()
	for {
		e, content, err := r.Next()
		if errors.Is(err, io.EOF) {
			return list, r.Digest(), nil
		}
		if err != nil {
			return list, "", err
		}
		data, err := io.ReadAll(content)
		if err != nil {
			return list, "", err
		}
		e.Size = 0
		list = append(list, pair{e, string(data)})
	}
}

func TestRoundTrip(t *testing.T) {
	t.Parallel()
	for name, list := range map[string][]pair{"some": sample, "none": nil} {
		got, digest, err := readAll(written(t, list), Limits{})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if fmt.Sprint(got) != fmt.Sprint(list) || len(digest) != 64 {
			t.Errorf("%s: read %d entries with digest %s", name, len(got), digest)
		}
	}
}

// TestPassedOver checks that an entry which nobody reads is checked all the same.
func TestPassedOver(t *testing.T) {
	t.Parallel()
	data := raw(t, func(b *bytes.Buffer) {
		b.Write(record(markEntry, `{"kind":"file"}`, "abc", false))
		b.Write(end(1, 3, "abc", `{"kind":"file"}`))
	})
	r, err := NewReader(bytes.NewReader(data), Limits{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if _, _, err := r.Next(); err != nil {
		t.Fatal(err)
	}
	if _, _, err := r.Next(); !errors.Is(err, ErrDamaged) {
		t.Errorf("a wrong sum was passed over: %v", err)
	}
}

// TestWriterRefuses checks that a content which ends too early is never an
// archive.
func TestWriterRefuses(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	w, err := NewWriter(&out)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Add(Entry{Kind: "file", Size: 5}, strings.NewReader("four")); err == nil {
		t.Error("a short content was accepted")
	}
	if err := w.Close(); err == nil {
		t.Error("it was closed well")
	}
	if _, _, err := readAll(out.Bytes(), Limits{}); !errors.Is(err, ErrDamaged) {
		t.Errorf("it reads: %v", err)
	}
}

// record is an entry as it is written, its sum wrong where good is false.
func record(mark byte, header, content string, good bool) []byte {
	return sized(mark, header, uint64(len(content)), content, good)
}

func sized(mark byte, header string, size uint64, content string, good bool) []byte {
	b := append([]byte{mark}, binary.BigEndian.AppendUint32(nil, uint32(len(header)))...)
	b = append(b, header...)
	b = binary.BigEndian.AppendUint64(b, size)
	b = append(b, content...)
	sum := sha256.Sum256(b)
	if !good {
		sum[0] ^= 1
	}
	return append(b, sum[:]...)
}

func end(n int, bytes int64, content, header string) []byte {
	all := sha256.New()
	one := record(markEntry, header, content, true)
	for range n {
		all.Write(one[len(one)-sha256.Size:])
	}
	return record(markEnd, fmt.Sprintf(`{"entries":%d,"bytes":%d,"sha256":"%s"}`, n, bytes, hex.EncodeToString(all.Sum(nil))), "", true)
}

func raw(t testing.TB, fill func(*bytes.Buffer)) []byte {
	var plain, out bytes.Buffer
	fill(&plain)
	out.WriteString(Magic)
	enc, err := zstd.NewWriter(&out)
	if err != nil {
		t.Fatal(err)
	}
	enc.Write(plain.Bytes())
	if err := enc.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestRefused(t *testing.T) {
	t.Parallel()
	good := written(t, sample)
	const h = `{"kind":"file"}`
	lies := func(parts ...[]byte) []byte {
		return raw(t, func(b *bytes.Buffer) {
			for _, p := range parts {
				b.Write(p)
			}
		})
	}
	flipped := bytes.Clone(good)
	flipped[len(good)/2] ^= 0x10
	for _, c := range []struct {
		name string
		data []byte
		lim  Limits
		want error
	}{
		{"nothing", nil, Limits{}, ErrDamaged},
		{"another file", []byte("PK\x03\x04 and so on and so on"), Limits{}, ErrNot},
		{"a newer version", []byte("entire archive 2\nxxxx"), Limits{}, ErrNewer},
		{"cut in the first line", good[:9], Limits{}, ErrDamaged},
		{"cut after the first line", good[:len(Magic)], Limits{}, ErrDamaged},
		{"cut in the middle", good[:len(good)/2], Limits{}, ErrDamaged},
		{"cut by one byte", good[:len(good)-1], Limits{}, ErrDamaged},
		{"a bit flipped", flipped, Limits{}, ErrDamaged},
		{"a second archive behind it", append(bytes.Clone(good), good...), Limits{}, ErrDamaged},
		{"rubbish behind it", append(bytes.Clone(good), "rubbish"...), Limits{}, ErrDamaged},
		{"no end", lies(record(markEntry, h, "abc", true)), Limits{}, ErrDamaged},
		{"an end that counts otherwise", lies(record(markEntry, h, "abc", true), end(2, 6, "abc", h)), Limits{}, ErrDamaged},
		{"an entry taken out", lies(end(1, 3, "abc", h)), Limits{}, ErrDamaged},
		{"an entry twice", lies(record(markEntry, h, "abc", true), record(markEntry, h, "abc", true), end(1, 3, "abc", h)), Limits{}, ErrDamaged},
		{"an entry behind the end", lies(end(0, 0, "", h), record(markEntry, h, "abc", true)), Limits{}, ErrDamaged},
		{"a wrong sum", lies(record(markEntry, h, "abc", false), end(1, 3, "abc", h)), Limits{}, ErrDamaged},
		{"an unknown mark", lies(record('X', h, "abc", true)), Limits{}, ErrDamaged},
		{"a negative length", lies(sized(markEntry, h, math.MaxUint64, "", true)), Limits{}, ErrDamaged},
		{"more content than there is", lies(sized(markEntry, h, 1<<40, "abc", true)), Limits{}, ErrDamaged},
		{"a header that is no JSON", lies(record(markEntry, "{", "", true)), Limits{}, ErrDamaged},
		{"a header without a kind", lies(record(markEntry, "{}", "", true)), Limits{}, ErrDamaged},
		{"a kind that is none", lies(record(markEntry, `{"kind":"../x"}`, "", true)), Limits{}, ErrDamaged},
		{"a name with a NUL", lies(record(markEntry, `{"kind":"file","name":"a\u0000b"}`, "", true)), Limits{}, ErrDamaged},
		{"an endless name", lies(record(markEntry, `{"kind":"file","name":"`+strings.Repeat("a", 2000)+`"}`, "", true)), Limits{}, ErrDamaged},
		{"an endless header", lies(record(markEntry, `{"kind":"file"`+strings.Repeat(" ", maxHeader)+`}`, "", true)), Limits{}, ErrDamaged},
		{"too many entries", good, Limits{Entries: 3}, errTooMuch},
		{"too large an entry", good, Limits{Entry: 1000}, errTooMuch},
		{"too much", good, Limits{Total: 1000}, errTooMuch},
		{"lengths that overflow", lies(sized(markEntry, h, math.MaxInt64, "", true)), Limits{Total: 1 << 40}, errTooMuch},
		{"a bomb", bomb(t), Limits{Ratio: 100}, errTooMuch},
	} {
		if _, _, err := readAll(c.data, c.lim); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", c.name, err, c.want)
		}
	}
}

// bomb is an archive of a few kilobytes that holds hundreds of megabytes of nothing.
func bomb(t testing.TB) []byte {
	var out bytes.Buffer
	w, err := NewWriter(&out)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Add(Entry{Kind: "file", Size: 300 << 20}, zeros{}); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if out.Len() > 1<<20 {
		t.Fatalf("the bomb has %d bytes", out.Len())
	}
	return out.Bytes()
}

type zeros struct{}

func (zeros) Read(b []byte) (int, error) { clear(b); return len(b), nil }

func FuzzReader(f *testing.F) {
	good := written(f, sample[:2])
	f.Add(good)
	f.Add(good[:len(good)-3])
	f.Add([]byte(Magic))
	f.Fuzz(func(t *testing.T, data []byte) {
		list, _, err := readAll(data, Limits{Entries: 100, Entry: 1 << 20, Total: 1 << 22})
		if err != nil {
			return
		}
		again, _, err := readAll(written(t, list), Limits{})
		if err != nil || fmt.Sprint(again) != fmt.Sprint(list) {
			t.Fatalf("written again it is otherwise: %v", err)
		}
	})
}
