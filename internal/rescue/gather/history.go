package gather

import (
	"context"
	"strconv"
	"strings"

	"entire/internal/git"
	"entire/internal/rescue/versions"
)

// history adds what branches have of the paths that there is evidence for: the versions that are not lost. For
// chosen paths it reads all of their history, otherwise the newest commits.
func (c *Collector) history(ctx context.Context) error {
	refs, err := c.Repo.Refs(ctx, "refs/heads/", "refs/tags/", "refs/remotes/")
	if err != nil {
		return err
	}
	var tips []string
	for _, r := range refs {
		if !strings.HasPrefix(r.Name, "refs/heads/entire/") {
			tips = append(tips, r.OID.String())
		}
	}
	if head, ok := c.Repo.Head(ctx); ok {
		tips = append(tips, head.String())
	}
	if err := c.name(ctx); err != nil {
		return err
	}
	source := commitSource{words: "commit", kept: true}
	tips = c.existing(ctx, tips)
	if len(tips) == 0 {
		return nil
	}
	in, limit := strings.Join(tips, "\n")+"\n", maxHistory
	if len(c.Paths) > 0 {
		limit = maxCommits
		in += "--\n" + strings.Join(c.Paths, "\n") + "\n"
	}
	found := map[string]bool{}
	err = c.rawLog(ctx, in, limit, func(commit loggedCommit, path string, change rawChange) {
		_, other := c.Evidence[path]
		if other || c.missing[path] || len(c.Paths) > 0 {
			c.addChange(source, commit, path, change)
			found[path] = found[path] || change.blob == c.Listed[path].OID
		}
	}, func(loggedCommit) {})
	if err != nil {
		return err
	}
	for path, l := range c.Listed { // older than the commits that were read
		if _, other := c.Evidence[path]; (other || c.missing[path]) && !found[path] {
			c.add(versions.Evidence{Path: path, Source: "HEAD", Content: versions.Hash(l.OID), Mode: l.Mode, Size: -1, Kept: true, Filtered: true})
		}
	}
	return nil
}

// atHead lists HEAD's files, and those of them that are missing in the worktree.
func (c *Collector) atHead(ctx context.Context) error {
	c.Listed, c.missing = map[string]Listed{}, map[string]bool{}
	if _, ok := c.Repo.Head(ctx); !ok {
		return nil
	}
	text, err := c.Repo.Run(ctx, "ls-tree", "-r", "-z", "HEAD")
	if err != nil {
		return err
	}
	for entry := range strings.SplitSeq(string(text), "\x00") {
		info, path, ok := strings.Cut(entry, "\t")
		words := strings.Fields(info)
		if !ok || len(words) != 3 {
			continue
		}
		mode, _ := strconv.ParseUint(words[0], 8, 32)
		if mode := uint32(mode); mode == git.ModeFile || mode == git.ModeExec {
			c.Listed[path] = Listed{OID: words[2], Mode: mode}
		}
	}
	gone, err := c.Repo.Run(ctx, "diff-files", "--name-only", "--diff-filter=D", "-z")
	if err != nil {
		return nil
	}
	for path := range strings.SplitSeq(string(gone), "\x00") {
		if _, ok := c.Listed[path]; ok {
			c.missing[path] = true
		}
	}
	return nil
}
