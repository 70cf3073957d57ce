package link_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"entire/strategy/internal/enginetest"
)

// TestLargeFilesBesideChangedWork: a person replaces the texts of an agent's files and commits large files of their own.
// Each is compared with each of the agent's, in time that follows the agent's lines.
func TestLargeFilesBesideChangedWork(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	w.Turn("s1", "write", func() {
		for i := range 20 {
			w.Write(fmt.Sprintf("agent%d.txt", i), enginetest.Lines(fmt.Sprintf("the file %d of the agent", i), 50))
		}
	})
	for i := range 20 {
		w.Write(fmt.Sprintf("agent%d.txt", i), enginetest.Lines(fmt.Sprintf("other words in %d by a person", i), 50))
	}
	for k := range 5 {
		var text strings.Builder
		for i := range 100_000 {
			fmt.Fprintf(&text, "row %d of %d, some value %d\n", i, k, i*7919%10007)
		}
		w.Write(fmt.Sprintf("large%d.csv", k), text.String())
		w.Git("add", fmt.Sprintf("large%d.csv", k))
	}
	began := time.Now()
	if cp := w.CommitHooked("large files"); cp != "" {
		t.Errorf("the commit is linked to %s", cp)
	}
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("the commit took %s", took)
	}
}
