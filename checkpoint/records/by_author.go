package records

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"entire/checkpoint/epoch"
	"entire/checkpoint/metadata"
	"entire/checkpoint/shadow"
	"entire/id"
	"entire/internal/git"
)

// ByAuthor returns the checkpoints of a person, sorted: those whose first commit has the address as its author, in any case. absent
// are the sealed months whose lists are not here and may have more.
func (r *Reader) ByAuthor(ctx context.Context, email string) (ids []id.CheckpointID, absent []epoch.Month, err error) {
	first, err := r.firstCommits(ctx)
	if err != nil {
		return nil, nil, fmt.Errorf("find the checkpoints of an author: %w", err)
	}
	for cp, c := range first {
		if strings.EqualFold(c.email, email) {
			ids = append(ids, cp)
		}
	}
	set, err := epoch.Load(ctx, r.Repo)
	if err != nil {
		return nil, nil, fmt.Errorf("find the checkpoints of an author: %w", err)
	}
	for _, m := range set {
		rows, err := m.Rows(r.Repo.Reader(ctx))
		if errors.Is(err, git.ErrMissing) {
			absent = append(absent, m.Month)
			continue
		}
		if err != nil {
			return nil, nil, fmt.Errorf("find the checkpoints of an author: %w", err)
		}
		for _, row := range rows {
			_, address, _ := strings.Cut(strings.TrimSuffix(row.Author, ">"), " <")
			if _, known := first[row.ID]; !known && strings.EqualFold(address, email) {
				ids = append(ids, row.ID)
			}
		}
	}
	there, err := r.Exists(ctx, ids)
	ids = slices.DeleteFunc(ids, func(cp id.CheckpointID) bool { return !there[cp] })
	slices.SortFunc(ids, id.CheckpointID.Compare)
	return ids, absent, err
}

// A firstCommit is who first made a commit of a checkpoint, and when.
type firstCommit struct {
	email string
	at    int64
}

// firstCommits reads the history of all branches and refs that hold checkpoints.
func (r *Reader) firstCommits(ctx context.Context) (map[id.CheckpointID]firstCommit, error) {
	refs, err := r.Repo.Refs(ctx, shadow.MetadataRef, shadow.RemoteMetadataRef, shadow.LegacyRef, shadow.LegacyRemoteRef, metadata.CheckpointRefs)
	if err != nil || len(refs) == 0 {
		return nil, err
	}
	var from strings.Builder
	for _, ref := range refs {
		from.WriteString(ref.OID.String() + "\n")
	}
	out, err := r.Repo.RunInput(ctx, []byte(from.String()), "log", "--no-show-signature", "--no-notes", "-z", "--format=%at%x00%ae%x00%s", "--stdin")
	if err != nil {
		return nil, err
	}
	first := map[id.CheckpointID]firstCommit{}
	for fields := strings.Split(string(out), "\x00"); len(fields) >= 3; fields = fields[3:] {
		name, ok := strings.CutPrefix(fields[2], "Checkpoint: ")
		at, bad := strconv.ParseInt(fields[0], 10, 64)
		cp, malformed := id.NewCheckpointID(name)
		if !ok || bad != nil || malformed != nil {
			continue
		}
		if was, known := first[cp]; !known || at < was.at || at == was.at && fields[1] < was.email {
			first[cp] = firstCommit{fields[1], at}
		}
	}
	return first, nil
}
