package rewind

import (
	"bytes"
	"context"

	"github.com/sergi/go-diff/diffmatchpatch"

	"entire/internal/git"
	"entire/strategy/restore"
	"entire/strategy/sessionstate"
)

// CountLines fills in the plan's line counts. If the objects cannot be read, the counts stay 0: the
// plan is usable without them.
func CountLines(ctx context.Context, s *sessionstate.Env, changes []restore.PlannedChange) {
	var specs []string
	for _, c := range changes {
		for _, oid := range []git.OID{c.Change.Old, c.Change.New} {
			if !oid.IsZero() {
				specs = append(specs, oid.String())
			}
		}
	}
	if s.Repo.Writer().Sync() != nil {
		return
	}
	objs, err := s.Repo.Reader(ctx).Objects(specs...)
	if err != nil {
		return
	}
	for i := range changes {
		var side [2][]byte
		for k, oid := range []git.OID{changes[i].Change.Old, changes[i].Change.New} {
			if !oid.IsZero() {
				side[k], objs = objs[0].Data, objs[1:]
			}
		}
		changes[i].Insertions, changes[i].Deletions = lineCounts(side[0], side[1])
	}
}

// lineCounts returns how many lines a change adds and removes, -1 for a binary or large file.
func lineCounts(a, b []byte) (added, removed int) {
	if len(a) > diffMax || len(b) > diffMax || bytes.IndexByte(a, 0) >= 0 || bytes.IndexByte(b, 0) >= 0 {
		return -1, -1
	}
	dmp := diffmatchpatch.New()
	dmp.DiffTimeout = diffTime
	ra, rb, _ := dmp.DiffLinesToRunes(string(a), string(b))
	for _, d := range dmp.DiffMainRunes(ra, rb, false) {
		switch n := len([]rune(d.Text)); d.Type {
		case diffmatchpatch.DiffInsert:
			added += n
		case diffmatchpatch.DiffDelete:
			removed += n
		}
	}
	return added, removed
}
