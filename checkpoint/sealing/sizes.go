package sealing

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"entire/checkpoint/metadata"
	"entire/internal/git"
)

// sizesOf returns the bytes of the files of each checkpoint, by asking git for the objects' sizes alone.
func sizesOf(ctx context.Context, repo *git.Repo, folders []*metadata.Folder) ([]int64, error) {
	files, err := filesOf(repo.Reader(ctx), folders)
	if err != nil {
		return nil, err
	}
	var in strings.Builder
	for _, f := range files {
		in.WriteString(f.blob.String() + "\n")
	}
	sizes := make([]int64, len(folders))
	if len(files) == 0 {
		return sizes, nil
	}
	out, err := repo.RunInput(ctx, []byte(in.String()), "cat-file", "--batch-check=%(objectsize)", "--buffer")
	if err != nil {
		return nil, fmt.Errorf("measure checkpoints: %w", err)
	}
	i := 0
	for line := range strings.Lines(string(out)) {
		n, err := strconv.ParseInt(strings.TrimSpace(line), 10, 64)
		if err != nil || i >= len(files) {
			return nil, fmt.Errorf("measure checkpoints: %w", git.ErrMissing)
		}
		sizes[files[i].of] += n
		i++
	}
	return sizes, nil
}

type file struct {
	blob git.OID
	of   int // the index of the checkpoint
}

// filesOf lists the files of checkpoints, level by level.
func filesOf(rd *git.Reader, folders []*metadata.Folder) (files []file, err error) {
	type folder struct {
		entries []git.TreeEntry
		of      int
	}
	var level []folder
	for i, f := range folders {
		level = append(level, folder{f.Entries, i})
	}
	for len(level) > 0 {
		var trees []git.OID
		var owners []int
		for _, f := range level {
			for _, e := range f.entries {
				switch e.Mode {
				case git.ModeTree:
					trees, owners = append(trees, e.OID), append(owners, f.of)
				case git.ModeGitlink:
				default:
					files = append(files, file{e.OID, f.of})
				}
			}
		}
		level = level[:0]
		for some := range slices.Chunk(trees, readBatch) {
			lists, err := rd.Trees(some...)
			if err != nil {
				return nil, err
			}
			for _, entries := range lists {
				level = append(level, folder{entries, owners[0]})
				owners = owners[1:]
			}
		}
	}
	return files, nil
}
