package migrate

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"entire/checkpoint/chunk"
	"entire/checkpoint/metadata"
	"entire/id"
	"entire/internal/git"
)

// A version is a checkpoint's tree after a commit of the branch that changed it.
type version struct {
	commit, tree git.OID
}

// branchVersions returns the versions that the history of the branch has of some checkpoints,
// oldest first, by one walk. Where the branch brought the same version twice, as a merge or a
// move does, only the first is listed.
func branchVersions(ctx context.Context, repo *git.Repo, ids []id.CheckpointID) (map[id.CheckpointID][]version, error) {
	_, start, err := metadata.Tip(ctx, repo)
	if err != nil || start.IsZero() || len(ids) == 0 {
		return nil, err
	}
	byPath := make(map[string]id.CheckpointID, len(ids))
	for _, cp := range ids {
		byPath[cp.Path()] = cp
	}
	out, err := repo.Run(ctx, "log", "--reverse", "--topo-order", "--raw", "-t", "-z", "--no-abbrev", "--no-renames", "--no-show-signature",
		"--format=tformat:%x01%H", start.String(), "--")
	if err != nil {
		return nil, fmt.Errorf("read the history of the branch: %w", err)
	}
	versions := map[id.CheckpointID][]version{}
	var commit git.OID
	fields := bytes.Split(out, []byte{0})
	for i := 0; i < len(fields); i++ {
		field := string(bytes.TrimLeft(fields[i], "\n"))
		if hex, ok := strings.CutPrefix(field, "\x01"); ok {
			if commit, err = git.ParseOID(strings.TrimSpace(hex)); err != nil {
				return nil, fmt.Errorf("read the history of the branch: %w", err)
			}
			continue
		}
		if !strings.HasPrefix(field, ":") || i+1 >= len(fields) {
			continue
		}
		i++
		cp, wanted := byPath[string(fields[i])]
		if !wanted {
			continue
		}
		if tree, ok := newTree(field); ok {
			if had := versions[cp]; len(had) == 0 || had[len(had)-1].tree != tree {
				versions[cp] = append(had, version{commit, tree})
			}
		}
	}
	return versions, nil
}

// newTree reads the side after a change from a line of git's raw format; ok is false if it is not a
// folder.
func newTree(line string) (tree git.OID, ok bool) {
	f := strings.Fields(line) // :<old mode> <new mode> <old object> <new object> <letter>
	if len(f) < 5 || f[1] != "040000" {
		return git.OID{}, false
	}
	tree, err := git.ParseOID(f[3])
	return tree, err == nil
}

// mirror makes a history for each checkpoint from its versions on the branch: one commit for each,
// with its author, times and message. It depends on the history of the branch alone, so that
// every clone makes the same commits.
func mirror(ctx context.Context, repo *git.Repo, versions map[id.CheckpointID][]version) (map[id.CheckpointID]chain, error) {
	commits := map[git.OID]git.Commit{}
	var ask chunk.Batch
	for _, list := range versions {
		for _, v := range list {
			if _, asked := commits[v.commit]; asked {
				continue
			}
			commits[v.commit] = git.Commit{}
			ask.Add(v.commit.String(), func(o git.Object) (err error) {
				commits[v.commit], err = git.ParseCommit(o.OID, o.Data)
				return err
			})
		}
	}
	if err := ask.Run(repo.Reader(ctx)); err != nil {
		return nil, fmt.Errorf("read the history of the branch: %w", err)
	}
	chains := map[id.CheckpointID]chain{}
	for cp, list := range versions {
		var c chain
		for _, v := range list {
			var err error
			if c, err = c.add(repo.Writer(), v.tree, commits[v.commit]); err != nil {
				return nil, err
			}
		}
		chains[cp] = c
	}
	return chains, nil
}
