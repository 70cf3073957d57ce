package enginetest

import (
	"os"
	"path/filepath"
	"testing"
)

func ReadFile(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func SameFiles(t *testing.T, w *World, want map[string]string) {
	t.Helper()
	got := w.Snapshot(".git").Contents()
	for p, v := range want {
		if got[p] != v {
			t.Errorf("%s: have %q, want %q", filepath.ToSlash(p), got[p], v)
		}
	}
	for p := range got {
		if _, ok := want[p]; !ok {
			t.Errorf("%s should not be there", p)
		}
	}
}
