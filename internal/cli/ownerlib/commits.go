package ownerlib

import (
	"context"
	"fmt"
	"strings"

	"entire/internal/cli/cliui"
	"entire/internal/cli/workplace"
	"entire/internal/git"
	"entire/internal/lineage"
	"entire/internal/policy"
	"entire/internal/review"
)

// Commits calls each with every commit that name, a commit or a range, means, the oldest first, and
// with the lines that the commit changed. tell gets the progress; it may be nil. An error of each
// ends it.
func Commits(ctx context.Context, wp *workplace.Workplace, name string, tell func(done, total int), each func(git.Commit, []lineage.ChangedFile) error) error {
	catchUp(ctx, wp)
	list, err := commitsMeant(ctx, wp, name)
	if err != nil {
		return err
	}
	edges := (&gathering{wp: wp}).edges()
	resolver := resolverOf(wp)
	for i, c := range list {
		if tell != nil {
			tell(i, len(list))
		}
		if strings.Contains(edges, c.OID.String()) {
			return cliui.Failf(deepen, "cannot tell what %s changed: its parent is missing here", c.OID.Short())
		}
		files, err := resolver.Commit(ctx, c.OID)
		if err != nil {
			return fmt.Errorf("find who wrote the lines of %s: %w", c.OID.Short(), err)
		}
		if err := each(c, files); err != nil {
			return err
		}
	}
	return nil
}

// IsRange reports whether name means a range of commits, as A..B does.
func IsRange(name string) bool {
	_, _, ok := cutRange(name)
	return ok
}

// commitsMeant returns the commits that a name or a range means, the oldest first.
func commitsMeant(ctx context.Context, wp *workplace.Workplace, name string) ([]git.Commit, error) {
	g := &gathering{wp: wp}
	first, last, ok := cutRange(name)
	if !ok {
		c, err := g.resolve(ctx, name)
		return []git.Commit{c}, err
	}
	base, err := g.resolve(ctx, first)
	if err != nil {
		return nil, err
	}
	head, err := g.resolve(ctx, last)
	if err != nil {
		return nil, err
	}
	out, err := wp.Repo.Run(ctx, "rev-list", "--reverse", "--topo-order", head.OID.String(), "^"+base.OID.String())
	if err != nil {
		return nil, fmt.Errorf("list the commits of %s: %w", name, err)
	}
	var list []git.Commit
	for word := range strings.FieldsSeq(string(out)) {
		oid, err := git.ParseOID(word)
		if err != nil {
			return nil, fmt.Errorf("list the commits of %s: %w", name, err)
		}
		c, err := wp.Repo.Reader(ctx).Commit(oid)
		if err != nil {
			return nil, fmt.Errorf("read commit %s: %w", oid.Short(), err)
		}
		list = append(list, c)
	}
	return list, nil
}

// Messages returns what a policy asks about the commits of a document, by their IDs.
func Messages(ctx context.Context, wp *workplace.Workplace, d *review.Document) (map[string]policy.Commit, error) {
	out := map[string]policy.Commit{}
	for _, listed := range d.Commits {
		oid, err := git.ParseOID(listed.ID)
		if err != nil {
			return nil, fmt.Errorf("read commit %s: %w", listed.ID, err)
		}
		c, err := wp.Repo.Reader(ctx).Commit(oid)
		if err != nil {
			return nil, fmt.Errorf("read commit %s: %w", oid.Short(), err)
		}
		out[listed.ID] = policy.Commit{Message: c.Message, Author: c.Author.Name + " <" + c.Author.Email + ">", Merge: len(c.Parents) > 1}
	}
	return out, nil
}
