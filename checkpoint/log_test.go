package checkpoint

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"entire/internal/git"
)

// blobs is an object store in memory that counts the bytes written.
type blobs struct {
	data    map[git.OID][]byte
	written int
	fail    error
}

func newBlobs() *blobs { return &blobs{data: map[git.OID][]byte{}} }

func (b *blobs) Blob(data []byte) (git.OID, error) {
	if b.fail != nil {
		return git.OID{}, b.fail
	}
	oid := (&git.Repo{}).BlobOID(data)
	if _, have := b.data[oid]; !have {
		b.written += len(data)
		b.data[oid] = bytes.Clone(data)
	}
	return oid, nil
}

func (b *blobs) read(oid git.OID) ([]byte, error) {
	data, ok := b.data[oid]
	if !ok {
		return nil, git.ErrMissing
	}
	return data, nil
}

func (b *blobs) join(t interface{ Fatal(...any) }, folder []git.TreeEntry) []byte {
	entries, missing := chunkEntries(folder)
	var chunks [][]byte
	for _, e := range entries {
		data, err := b.read(e.OID)
		if err != nil {
			t.Fatal(e.Name, err)
		}
		chunks = append(chunks, data)
	}
	if len(missing) > 0 {
		t.Fatal("missing", missing)
	}
	return JoinChunks(chunks)
}

// reload is the Log as another process finds it.
func reload(t interface{ Fatal(...any) }, l *Log) *Log {
	data, err := json.Marshal(l)
	if err != nil {
		t.Fatal(err)
	}
	next := &Log{}
	if err := json.Unmarshal(data, next); err != nil {
		t.Fatal(err)
	}
	return next
}

func TestLogPackingDependsOnBytesAlone(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		sizes := rapid.SliceOfN(rapid.SampledFrom([]int{0, 1, 100, 30 << 10, ChunkSize - 2, ChunkSize - 1, ChunkSize, 3 * ChunkSize}), 1, 12).Draw(t, "sizes")
		var lines [][]byte
		for i, n := range sizes {
			lines = append(lines, append(bytes.Repeat([]byte{'a' + byte(i)}, n), '\n'))
		}
		all := bytes.Join(lines, nil)

		once, pieces := newBlobs(), newBlobs()
		var whole Log
		if err := whole.Append(once, once.read, all); err != nil {
			t.Fatal(err)
		}
		split := &Log{}
		for len(lines) > 0 {
			n := rapid.IntRange(1, len(lines)).Draw(t, "take")
			part := bytes.Join(lines[:n], nil)
			lines = lines[n:]
			var err error
			if rapid.Bool().Draw(t, "grow") {
				if err = split.Grow(pieces, pieces.read, part); err == nil && len(lines) == 0 {
					err = split.Flush(pieces)
				}
			} else if err = split.Append(pieces, pieces.read, part); rapid.Bool().Draw(t, "reload") {
				split = reload(t, split)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if !reflect.DeepEqual(whole.Entries(), split.Entries()) {
			t.Fatalf("entries differ: %v, %v", whole.Entries(), split.Entries())
		}
		if got := pieces.join(t, split.Entries()); !bytes.Equal(got, all) {
			t.Fatalf("joined %d bytes, want %d", len(got), len(all))
		}
		if whole.ContentHash() != hashOf(all) || split.ContentHash() != hashOf(all) {
			t.Fatal("content hash differs")
		}
		if split.Bytes != int64(len(all)) || split.Lines != int64(bytes.Count(all, []byte("\n"))) {
			t.Fatalf("counted %d bytes, %d lines", split.Bytes, split.Lines)
		}
		restored, err := RestoreLog(pieces.read, split.Entries())
		if err != nil || !reflect.DeepEqual(reload(t, restored), reload(t, split)) {
			t.Fatalf("restored %+v, %v; want %+v", restored, err, split)
		}
	})
}

func TestLogStoresBytesOnce(t *testing.T) {
	t.Parallel()
	store, log := newBlobs(), &Log{}
	line := []byte(strings.Repeat("x", 999) + "\n")
	const turns, perTurn = 100, 30
	for i := range turns {
		part := bytes.Repeat(line, perTurn)
		copy(part, fmt.Sprint(i))
		if err := log.Append(store, store.read, part); err != nil {
			t.Fatal(err)
		}
		log = reload(t, log)
	}
	if total := turns * perTurn * len(line); store.written > 4*total {
		t.Errorf("%d bytes written for a transcript of %d", store.written, total)
	}
	if want := (turns*perTurn*len(line) + ChunkSize - 1) / ChunkSize; len(log.Entries()) > want+1 {
		t.Errorf("%d chunks, want about %d", len(log.Entries()), want)
	}
}

func TestLogIsUnchangedAfterAnError(t *testing.T) {
	t.Parallel()
	store, log := newBlobs(), &Log{}
	if err := log.Append(store, store.read, []byte("one\n")); err != nil {
		t.Fatal(err)
	}
	before := *reload(t, log)
	if err := log.Append(store, store.read, []byte("torn")); !errors.Is(err, ErrTornLine) {
		t.Errorf("torn line: %v", err)
	}
	store.fail = errors.New("disk full")
	if err := log.Append(store, store.read, []byte("two\n")); !errors.Is(err, store.fail) {
		t.Errorf("full disk: %v", err)
	}
	if !reflect.DeepEqual(*reload(t, log), before) {
		t.Errorf("log changed: %+v", log)
	}
	store.fail = nil
	if err := log.Append(store, store.read, []byte("two\n")); err != nil || log.ContentHash() != hashOf([]byte("one\ntwo\n")) {
		t.Errorf("after the error: %v, %s", err, log.ContentHash())
	}
	lost := reload(t, log)
	if err := lost.Append(store, newBlobs().read, []byte("three\n")); !errors.Is(err, git.ErrMissing) {
		t.Errorf("tail gone: %v", err)
	}
}

func TestChunkEntries(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, files, want, missing string
	}{
		{"none", "metadata.json", "", ""},
		{"in numeric order", "full.jsonl full.jsonl.001 full.jsonl.002", "full.jsonl full.jsonl.001 full.jsonl.002", ""},
		{"a gap", "full.jsonl full.jsonl.003", "full.jsonl full.jsonl.003", "full.jsonl.001 full.jsonl.002"},
		{"no base", "full.jsonl.001", "full.jsonl.001", "full.jsonl"},
		{"legacy", "full.log", "full.log", ""},
		{"legacy base", "full.jsonl.001 full.log", "full.log full.jsonl.001", ""},
		{"legacy beside", "full.jsonl full.log", "full.jsonl", ""},
		{"not chunks", "full.jsonl full.jsonl.x full.jsonl.000 full.jsonl.+1 full.jsonlx", "full.jsonl", ""},
		{"absurd gap", "full.jsonl full.jsonl.999999999", "full.jsonl full.jsonl.999999999", "full.jsonl.001 to full.jsonl.999999998"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var folder []git.TreeEntry
			for _, f := range strings.Fields(tt.files) {
				folder = append(folder, git.TreeEntry{Mode: git.ModeFile, Name: f})
			}
			chunks, missing := chunkEntries(folder)
			var names []string
			for _, c := range chunks {
				names = append(names, c.Name)
			}
			if got := strings.Join(names, " "); got != tt.want {
				t.Errorf("chunks %q, want %q", got, tt.want)
			}
			if got := strings.Join(missing, " "); got != tt.missing {
				t.Errorf("missing %q, want %q", got, tt.missing)
			}
		})
	}
}

func TestChunkNameBeyondThreeDigits(t *testing.T) {
	t.Parallel()
	for _, n := range []int{0, 1, 42, 999, 1000, 12345} {
		if got, ok := chunkNumber(ChunkName(n)); !ok || got != n {
			t.Errorf("chunk %d is named %s, read as %d, %v", n, ChunkName(n), got, ok)
		}
	}
}

func FuzzLog(f *testing.F) {
	f.Add([]byte("a\nb\n"), 2)
	f.Add([]byte("\n\n"), 1)
	f.Fuzz(func(t *testing.T, text []byte, cut int) {
		store, log := newBlobs(), &Log{}
		lines := bytes.SplitAfter(text, []byte("\n"))
		n := min(max(cut, 0), len(lines))
		for _, part := range [][]byte{bytes.Join(lines[:n], nil), bytes.Join(lines[n:], nil)} {
			if err := log.Append(store, store.read, part); err != nil && !errors.Is(err, ErrTornLine) {
				t.Fatal(err)
			}
			log = reload(t, log)
		}
		if got := store.join(t, log.Entries()); int64(len(got)) != log.Bytes || log.Bytes > 0 && hashOf(got) != log.ContentHash() {
			t.Fatalf("%d bytes joined, %d counted", len(got), log.Bytes)
		}
	})
}

// FuzzChunkJoin reads a transcript from a folder with any file names.
func FuzzChunkJoin(f *testing.F) {
	f.Add("full.jsonl full.jsonl.001", []byte("a"))
	f.Add("full.jsonl.002 full.log", []byte("{\"messages\":[1]}"))
	f.Fuzz(func(t *testing.T, names string, content []byte) {
		var folder []git.TreeEntry
		for _, n := range strings.Fields(names) {
			folder = append(folder, git.TreeEntry{Mode: git.ModeFile, Name: n})
		}
		entries, missing := chunkEntries(folder)
		if len(entries) > len(folder) || len(missing) > 101*(len(folder)+1) {
			t.Fatalf("%d chunks, %d missing of %d files", len(entries), len(missing), len(folder))
		}
		chunks := make([][]byte, len(entries))
		for i := range chunks {
			chunks[i] = content
		}
		joinTranscript("Gemini CLI", chunks)
		if got := JoinChunks(chunks); len(chunks) > 0 && len(got) != len(chunks)*(len(content)+1)-1 {
			t.Fatalf("joined %d bytes", len(got))
		}
	})
}
