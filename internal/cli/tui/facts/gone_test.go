package facts_test

import (
	"path/filepath"
	"testing"

	"entire/internal/cli/tui/facts"
	"entire/internal/cli/tui/tuitest"
)

// TestSearchWithoutTheProgram searches in this process if the program is no longer where it was started from.
func TestSearchWithoutTheProgram(t *testing.T) {
	t.Parallel()
	s := tuitest.Shop(t)
	src, err := facts.Open(t.Context(), s.World(), nil, filepath.Join(t.TempDir(), "gone"))
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	if err := src.Index(t.Context(), "pieces"); err != nil {
		t.Fatal(err)
	}
	if answer, err := src.Search(t.Context(), "piec"); err != nil || len(answer.Hits) == 0 {
		t.Errorf("%+v, %v", answer, err)
	}
}
