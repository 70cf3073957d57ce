package chunk_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"entire/checkpoint/chunk"
	"entire/checkpoint/internal/checkpointtest"
	"entire/internal/git"
)

// reload is the Log as another process finds it.
func reload(t interface{ Fatal(...any) }, l *chunk.Log) *chunk.Log {
	data, err := json.Marshal(l)
	if err != nil {
		t.Fatal(err)
	}
	next := &chunk.Log{}
	if err := json.Unmarshal(data, next); err != nil {
		t.Fatal(err)
	}
	return next
}

func TestLogPackingDependsOnBytesAlone(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		sizes := rapid.SliceOfN(rapid.SampledFrom([]int{0, 1, 100, 30 << 10, chunk.Size - 2, chunk.Size - 1, chunk.Size, 3 * chunk.Size}), 1, 12).Draw(t, "sizes")
		var lines [][]byte
		for i, n := range sizes {
			lines = append(lines, append(bytes.Repeat([]byte{'a' + byte(i)}, n), '\n'))
		}
		all := bytes.Join(lines, nil)

		once, pieces := checkpointtest.NewBlobs(), checkpointtest.NewBlobs()
		var whole chunk.Log
		if err := whole.Append(once, once.Read, all); err != nil {
			t.Fatal(err)
		}
		split := &chunk.Log{}
		for len(lines) > 0 {
			n := rapid.IntRange(1, len(lines)).Draw(t, "take")
			part := bytes.Join(lines[:n], nil)
			lines = lines[n:]
			var err error
			if rapid.Bool().Draw(t, "grow") {
				if err = split.Grow(pieces, pieces.Read, part); err == nil && len(lines) == 0 {
					err = split.Flush(pieces)
				}
			} else if err = split.Append(pieces, pieces.Read, part); rapid.Bool().Draw(t, "reload") {
				split = reload(t, split)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if !reflect.DeepEqual(whole.Entries(), split.Entries()) {
			t.Fatalf("entries differ: %v, %v", whole.Entries(), split.Entries())
		}
		if got := pieces.Join(t, split.Entries()); !bytes.Equal(got, all) {
			t.Fatalf("joined %d bytes, want %d", len(got), len(all))
		}
		if whole.ContentHash() != chunk.HashOf(all) || split.ContentHash() != chunk.HashOf(all) {
			t.Fatal("content hash differs")
		}
		if split.Bytes != int64(len(all)) || split.Lines != int64(bytes.Count(all, []byte("\n"))) {
			t.Fatalf("counted %d bytes, %d lines", split.Bytes, split.Lines)
		}
		restored, err := chunk.RestoreLog(pieces.Read, split.Entries())
		if err != nil || !reflect.DeepEqual(reload(t, restored), reload(t, split)) {
			t.Fatalf("restored %+v, %v; want %+v", restored, err, split)
		}
	})
}

func TestLogStoresBytesOnce(t *testing.T) {
	t.Parallel()
	store, log := checkpointtest.NewBlobs(), &chunk.Log{}
	line := []byte(strings.Repeat("x", 999) + "\n")
	const turns, perTurn = 100, 30
	for i := range turns {
		part := bytes.Repeat(line, perTurn)
		copy(part, fmt.Sprint(i))
		if err := log.Append(store, store.Read, part); err != nil {
			t.Fatal(err)
		}
		log = reload(t, log)
	}
	if total := turns * perTurn * len(line); store.Written > 4*total {
		t.Errorf("%d bytes written for a transcript of %d", store.Written, total)
	}
	if want := (turns*perTurn*len(line) + chunk.Size - 1) / chunk.Size; len(log.Entries()) > want+1 {
		t.Errorf("%d chunks, want about %d", len(log.Entries()), want)
	}
}

func TestLogIsUnchangedAfterAnError(t *testing.T) {
	t.Parallel()
	store, log := checkpointtest.NewBlobs(), &chunk.Log{}
	if err := log.Append(store, store.Read, []byte("one\n")); err != nil {
		t.Fatal(err)
	}
	before := *reload(t, log)
	if err := log.Append(store, store.Read, []byte("torn")); !errors.Is(err, chunk.ErrTornLine) {
		t.Errorf("torn line: %v", err)
	}
	store.Fail = errors.New("disk full")
	if err := log.Append(store, store.Read, []byte("two\n")); !errors.Is(err, store.Fail) {
		t.Errorf("full disk: %v", err)
	}
	if !reflect.DeepEqual(*reload(t, log), before) {
		t.Errorf("log changed: %+v", log)
	}
	store.Fail = nil
	if err := log.Append(store, store.Read, []byte("two\n")); err != nil || log.ContentHash() != chunk.HashOf([]byte("one\ntwo\n")) {
		t.Errorf("after the error: %v, %s", err, log.ContentHash())
	}
	lost := reload(t, log)
	if err := lost.Append(store, checkpointtest.NewBlobs().Read, []byte("three\n")); !errors.Is(err, git.ErrMissing) {
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
			chunks, missing := chunk.Entries(folder)
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
		if got, ok := chunk.Number(chunk.Name(n)); !ok || got != n {
			t.Errorf("chunk %d is named %s, read as %d, %v", n, chunk.Name(n), got, ok)
		}
	}
}

func FuzzLog(f *testing.F) {
	f.Add([]byte("a\nb\n"), 2)
	f.Add([]byte("\n\n"), 1)
	f.Fuzz(func(t *testing.T, text []byte, cut int) {
		store, log := checkpointtest.NewBlobs(), &chunk.Log{}
		lines := bytes.SplitAfter(text, []byte("\n"))
		n := min(max(cut, 0), len(lines))
		for _, part := range [][]byte{bytes.Join(lines[:n], nil), bytes.Join(lines[n:], nil)} {
			if err := log.Append(store, store.Read, part); err != nil && !errors.Is(err, chunk.ErrTornLine) {
				t.Fatal(err)
			}
			log = reload(t, log)
		}
		if got := store.Join(t, log.Entries()); int64(len(got)) != log.Bytes || log.Bytes > 0 && chunk.HashOf(got) != log.ContentHash() {
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
		entries, missing := chunk.Entries(folder)
		if len(entries) > len(folder) || len(missing) > 101*(len(folder)+1) {
			t.Fatalf("%d chunks, %d missing of %d files", len(entries), len(missing), len(folder))
		}
		chunks := make([][]byte, len(entries))
		for i := range chunks {
			chunks[i] = content
		}
		chunk.JoinTranscript("Gemini CLI", chunks)
		if got := chunk.JoinChunks(chunks); len(chunks) > 0 && len(got) != len(chunks)*(len(content)+1)-1 {
			t.Fatalf("joined %d bytes", len(got))
		}
	})
}
