package strategy

import "testing"

func TestWorkOnWhatWasRedoneHasItsOwnCheckpoint(t *testing.T) {
	t.Parallel()
	w, cp := linked(t)
	w.Git("reset", "-q", "--soft", "HEAD~1")
	w.gitCommit("-m", "redone")
	w.wants(cp)
	w.turn("s1", "more", func() { w.Write("new.txt", "agent one\nagent two\nagent three\n") })
	next := w.gitCommit("-a", "-m", "more")
	if next == cp {
		t.Error("the checkpoint of before")
	}
	w.wants(next)
}
