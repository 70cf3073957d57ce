package turn_test

import (
	"os"
	"testing"

	"entire/strategy/internal/enginetest"
	"entire/strategy/sessionstate"
)

// The transcript of a turn whose call changed nothing is stored, although no step names it: the next event reads on.
func TestTranscriptOfATurnWithoutAStepIsStored(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, enginetest.SourceFiles())
	w.Turn("s1", "write", func() { w.Writes("s1", "c1", "a.txt", "agent\n") })
	w.Turn("s1", "again", func() { w.SaysItWrote("s1", "c2", "a.txt", "agent\n") })
	s := w.Engine()
	o := &sessionstate.LockedSession{ID: enginetest.SessionID(t, "s1")}
	if err := s.ReadSession(w.Ctx, o); err != nil {
		t.Fatal(err)
	}
	c := &o.Engine.Capture
	fi, err := os.Stat(w.Transcript("s1"))
	if err != nil {
		t.Fatal(err)
	}
	if c.Offset != fi.Size() {
		t.Errorf("%d of %d bytes were read", c.Offset, fi.Size())
	}
	if _, err := s.Repo.Reader(w.Ctx).Blob(c.Log.Tail.OID); err != nil {
		t.Errorf("the end of the stored transcript: %v", err)
	}
}
