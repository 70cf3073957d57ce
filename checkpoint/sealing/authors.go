package sealing

import (
	"context"
	"fmt"
	"strings"

	"entire/id"
	"entire/internal/git"
)

// subjectOfNew begins the message of the commit that adds a checkpoint to the branch.
const subjectOfNew = "Checkpoint: "

// authorsOf returns who added each checkpoint of a branch's history, as "Name <email>". It reads the commits, not
// their trees.
func authorsOf(ctx context.Context, repo *git.Repo, tip git.OID) (map[id.CheckpointID]string, error) {
	out, err := repo.Run(ctx, "log", "--no-show-signature", "--no-color", "--no-mailmap", "--no-notes", "--topo-order", "--format=%an <%ae>%x00%s", tip.String())
	if err != nil {
		return nil, fmt.Errorf("list who made the checkpoints: %w", err)
	}
	authors := map[id.CheckpointID]string{}
	for line := range strings.Lines(string(out)) {
		who, subject, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\x00")
		name, ok := strings.CutPrefix(subject, subjectOfNew)
		if cp, err := id.NewCheckpointID(strings.TrimSpace(name)); ok && err == nil {
			authors[cp] = who // the oldest commit is the last line
		}
	}
	return authors, nil
}
