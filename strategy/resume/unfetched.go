package resume

import (
	"context"
	"maps"
	"slices"

	"entire/checkpoint/metadata"
	"entire/checkpoint/records"
	"entire/checkpoint/trailer"
	"entire/id"
	"entire/strategy/sessionstate"
)

// unfetchedMax bounds the commits that Unfetched looks at.
const unfetchedMax = 200

// Unfetched returns the git command that gets the checkpoints which the last commits of HEAD name, if none of them is
// here, as in a clone of one branch; otherwise "".
func Unfetched(ctx context.Context, s *sessionstate.Env) string {
	log, err := s.Repo.Log(ctx, "HEAD", unfetchedMax)
	if err != nil {
		return ""
	}
	var ids []id.CheckpointID
	for _, c := range log {
		ids = append(ids, trailer.ParseCheckpointTrailers(c.Message)...)
	}
	if len(ids) == 0 || anyHere(ctx, records.NewReader(s.Repo), ids) {
		return ""
	}
	return metadata.FetchCommand(ids[0])
}

// anyHere reports whether a checkpoint is stored, sealed or forgotten here, or whether that cannot be told.
func anyHere(ctx context.Context, reader *records.Reader, ids []id.CheckpointID) bool {
	known, err := reader.Exists(ctx, ids)
	if err != nil || slices.Contains(slices.Collect(maps.Values(known)), true) {
		return true
	}
	stones, err := reader.Forgotten(ctx, ids)
	if err != nil || len(stones) > 0 {
		return true
	}
	rows, absent, err := reader.Sealed(ctx, ids)
	return err != nil || len(rows) > 0 || len(absent) > 0
}
