package files

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func benchManager(b *testing.B) *CheckpointManager {
	dir := b.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "root"), 0o755); err != nil {
		b.Fatal(err)
	}
	return NewCheckpointManager(filepath.Join(dir, "session"), filepath.Join(dir, "root"), CheckpointOptions{})
}

// BenchmarkCreateCheckpoint keeps one file of 10 kB, as a tool does before each
// change, in a session that has many checkpoints.
func BenchmarkCreateCheckpoint(b *testing.B) {
	m := benchManager(b)
	text := strings.Repeat("a line of a file\n", 600)
	for n := 0; b.Loop(); n++ {
		if err := os.WriteFile(filepath.Join(m.root, "f"), fmt.Append(nil, n, text), 0o644); err != nil {
			b.Fatal(err)
		}
		if err := m.CreateCheckpoint(fmt.Sprint("u", n), []string{"f"}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkRewindFiles goes back and forth over changes of 200 files.
func BenchmarkRewindFiles(b *testing.B) {
	m := benchManager(b)
	text := strings.Repeat("a line of a file\n", 600)
	var names []string
	write := func(first string) {
		for _, name := range names {
			path := filepath.Join(m.root, name)
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				b.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(first+name+text), 0o644); err != nil {
				b.Fatal(err)
			}
		}
	}
	for i := range 200 {
		names = append(names, fmt.Sprintf("d%d/f%d", i%10, i))
	}
	write("before ")
	if err := m.CreateCheckpoint("u1", names); err != nil {
		b.Fatal(err)
	}
	write("after ")
	id := "u1"
	for b.Loop() {
		r, err := m.RewindFiles(id, false)
		if err != nil || len(r.FilesChanged) != 200 {
			b.Fatalf("%+v, %v", r, err)
		}
		id = r.SafetyCheckpoint
	}
}
