package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"entire/internal/git/object"
)

// Log returns up to n commits reachable from rev, newest committed first. It returns none
// for a rev that does not exist, such as HEAD on an unborn branch.
func (r *Repo) Log(ctx context.Context, rev string, n int) ([]object.Commit, error) {
	if commits, ok := r.Reader(ctx).recent(rev, n); ok {
		return commits, nil
	}
	out, err := r.Run(ctx, "log", "-z", "-n", strconv.Itoa(n), "--no-show-signature", "--format=%H %T%n%P%n%an <%ae> %ad%n%cn <%ce> %cd%n%B", "--date=raw", "--end-of-options", rev, "--")
	var exit *ExitError
	if errors.As(err, &exit) && exit.Code == 128 {
		if _, ok, rerr := r.Reader(ctx).CommitOf(rev); rerr == nil && !ok {
			return nil, nil
		}
	}
	if err != nil {
		return nil, fmt.Errorf("read history of %s: %w", object.Clip(rev), err)
	}
	var commits []object.Commit
	for _, rec := range strings.Split(string(out), "\x00") {
		f := strings.SplitN(rec, "\n", 5)
		ids := strings.Fields(f[0])
		if len(f) != 5 || len(ids) != 2 {
			continue
		}
		c := object.Commit{Author: object.ParseSignature(f[2]), Committer: object.ParseSignature(f[3]), Message: f[4]}
		var err [2]error
		c.OID, err[0] = object.ParseOID(ids[0])
		c.Tree, err[1] = object.ParseOID(ids[1])
		for _, hex := range strings.Fields(f[1]) {
			p, perr := object.ParseOID(hex)
			if perr != nil {
				return nil, perr
			}
			c.Parents = append(c.Parents, p)
		}
		if e := FirstError(err[:]); e != nil {
			return nil, fmt.Errorf("read history of %s: %w", object.Clip(rev), e)
		}
		commits = append(commits, c)
	}
	return commits, nil
}

// nativeLog is how many commits are read natively: for more, git is faster.
const nativeLog = 64

// recent is [Repo.Log] without a process. ok is false if git must be asked.
func (rd *Reader) recent(rev string, n int) (commits []object.Commit, ok bool) {
	if rd.files == nil || n > nativeLog || rd.repo.Grafted() {
		return nil, false
	}
	seen := map[object.OID]bool{}
	var next []object.Commit // newest first; among equal dates, in the order of arrival
	add := func(o object.Object, ok bool) bool {
		if !ok || o.Type != "commit" {
			return false
		}
		head, _, _ := bytes.Cut(o.Data, []byte("\n\n"))
		c, err := object.ParseCommit(o.OID, o.Data)
		if err != nil || bytes.Contains(head, []byte("\nencoding ")) {
			return false
		}
		i := slices.IndexFunc(next, func(old object.Commit) bool { return old.Committer.When.Before(c.Committer.When) })
		if i < 0 {
			i = len(next)
		}
		next = slices.Insert(next, i, c)
		return true
	}
	first, ok := rd.natively(rev + "^{commit}")
	if !ok || !add(first, true) {
		return nil, false
	}
	seen[first.OID] = true
	for len(next) > 0 && len(commits) < n {
		c := next[0]
		commits, next = append(commits, c), next[1:]
		for _, parent := range c.Parents {
			if seen[parent] {
				continue
			}
			seen[parent] = true
			if !add(rd.object(parent)) {
				return nil, false
			}
		}
	}
	return commits, true
}
