package evidence_test

import (
	"fmt"
	"testing"

	"entire/internal/git"
	"entire/strategy/evidence"
	"entire/strategy/githead"
	"entire/strategy/internal/enginetest"
	"entire/strategy/sessionstate"
)

// TestManySmallVersions: a decision about thousands of files does not read all versions of all of them, however small they
// are. What a stash has byte for byte is found all the same.
func TestManySmallVersions(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t, enginetest.SourceFiles())
	w.Write("a.txt", "the session's version\n")
	stashed := git.MustOID(w.Git("hash-object", "a.txt"))
	w.Git("stash", "-q")
	e := w.Engine()
	ev := evidence.Evidence(w.Ctx, e)
	const versions = 3000
	blobs := make([]git.OID, versions)
	for i := range blobs {
		blobs[i], _ = e.Repo.Writer().Blob(fmt.Appendf(nil, "line %d of the session\n", i))
	}
	w.Must(e.Repo.Writer().Sync())
	compared := 0
	for _, oid := range blobs {
		if ev.Holds(githead.FileChange{To: sessionstate.PathVersion{Path: "b.txt", Mode: git.ModeFile, OID: oid}}, git.OID{}, oid) {
			compared++
		}
	}
	if compared == 0 || compared == versions {
		t.Errorf("%d of %d versions were compared", compared, versions)
	}
	if !ev.InStash(githead.FileChange{To: sessionstate.PathVersion{Path: "a.txt", Mode: git.ModeFile, OID: stashed}}, git.OID{}) {
		t.Error("the stash does not have what was stashed")
	}
}
