package gather

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestSwapText reads swap files that Vim wrote and was killed over.
func TestSwapText(t *testing.T) {
	t.Parallel()
	vim, err := exec.LookPath("vim")
	if err != nil {
		t.Skip("there is no vim here")
	}
	var many bytes.Buffer
	for i := range 3000 {
		fmt.Fprintf(&many, "line %d %s\n", i, bytes.Repeat([]byte("x"), i%120))
	}
	for _, text := range []string{"one\ntwo\n", "one\n\n\ttab\n", many.String()} {
		dir := t.TempDir()
		file := filepath.Join(dir, "a.txt")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(vim, "-u", "NONE", "-N", "-es", "-c", "set swapfile directory=.", "-c", "edit a.txt", "-c", "call append(1, 'typed by a person')", "-c", "preserve",
			"-c", "call system('kill -9 ' . getpid())")
		cmd.Dir = dir
		cmd.Run()
		data, err := os.ReadFile(filepath.Join(dir, ".a.txt.swp"))
		if err != nil {
			t.Fatal(err)
		}
		first, rest, _ := bytes.Cut([]byte(text), []byte("\n"))
		want := string(first) + "\ntyped by a person\n" + string(rest)
		if _, got, ok := swapText(data); !ok || string(got) != want {
			t.Errorf("read %v, %d bytes, want %d", ok, len(got), len(want))
		}
	}
}

// FuzzSwapText reads anything without harm.
func FuzzSwapText(f *testing.F) {
	head := make([]byte, 8192)
	copy(head, "b0VIM 9.1")
	head[13] = 0x10
	copy(head[4096:], "tp\x01\x00")
	f.Add(head)
	f.Fuzz(func(t *testing.T, data []byte) {
		if _, text, _ := swapText(data); len(text) > 2*len(data)+1 {
			t.Errorf("%d bytes out of %d", len(text), len(data))
		}
	})
}
