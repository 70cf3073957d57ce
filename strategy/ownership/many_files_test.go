package ownership_test

import (
	"fmt"
	"testing"
	"time"

	"entire/strategy/internal/enginetest"
)

// TestOneTextInManyFiles: an agent writes the same lines to many files, and moves them to other ones. The commit's time
// grows with the number of files, not with its cube, and all the lines are the agent's.
func TestOneTextInManyFiles(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	const files = 250
	text := enginetest.Lines("the licence that every file of this project has", 12)
	w.Turn("s1", "licences", func() {
		for i := range files {
			w.Write(fmt.Sprintf("from%d.txt", i), fmt.Sprintf("this is the file %d of the agent\n", i)+text)
		}
	})
	w.Turn("s1", "elsewhere", func() {
		for i := range files {
			w.Write(fmt.Sprintf("from%d.txt", i), fmt.Sprintf("this is the file %d of the agent\n", i))
			w.Write(fmt.Sprintf("to%d.txt", i), text)
		}
	})
	w.Git("add", "-A")
	began := time.Now()
	cp := w.CommitHooked("licences")
	if took := time.Since(began); took > 8*time.Second {
		t.Errorf("the commit took %s", took)
	}
	w.WantTold(cp, "s1", fmt.Sprintf("%d/0/0/0/%[1]d", files*13))
}
