package strategy

import (
	"strings"
	"testing"
)

func TestCherryPickThroughAConflictNamesItsCheckpointOnce(t *testing.T) {
	t.Parallel()
	w, cp := linked(t)
	w.Git("switch", "-q", "-c", "other", "HEAD~1")
	w.Write("a.txt", "by hand\n")
	w.gitCommit("-a", "-m", "a person's")
	w.wants()
	if _, err := w.TryGit("cherry-pick", "main"); err == nil {
		t.Fatal("no conflict")
	}
	w.Write("a.txt", "by hand\nagent in a\n")
	w.Git("add", "-A")
	w.Git("cherry-pick", "--continue")
	w.wants(cp)
	if msg := w.Git("log", "-1", "--format=%B"); strings.Count(msg, cp) != 1 {
		t.Errorf("message %q", msg)
	}
}
