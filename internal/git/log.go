package git

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Log lists up to n commits reachable from rev, newest committed first. A rev
// that does not exist, as HEAD on an unborn branch, gives none.
func (r *Repo) Log(ctx context.Context, rev string, n int) ([]Commit, error) {
	out, err := r.Run(ctx, "log", "-z", "-n", strconv.Itoa(n), "--no-show-signature", "--format=%H %T%n%P%n%an <%ae> %ad%n%cn <%ce> %cd%n%B", "--date=raw", "--end-of-options", rev, "--")
	var exit *ExitError
	if errors.As(err, &exit) && exit.Code == 128 {
		if _, ok, rerr := r.Reader(ctx).CommitOf(rev); rerr == nil && !ok {
			return nil, nil
		}
	}
	if err != nil {
		return nil, fmt.Errorf("read history of %s: %w", clip(rev), err)
	}
	var commits []Commit
	for _, rec := range strings.Split(string(out), "\x00") {
		f := strings.SplitN(rec, "\n", 5)
		ids := strings.Fields(f[0])
		if len(f) != 5 || len(ids) != 2 {
			continue
		}
		c := Commit{Author: parseSignature(f[2]), Committer: parseSignature(f[3]), Message: f[4]}
		var err [2]error
		c.OID, err[0] = ParseOID(ids[0])
		c.Tree, err[1] = ParseOID(ids[1])
		for _, hex := range strings.Fields(f[1]) {
			p, perr := ParseOID(hex)
			if perr != nil {
				return nil, perr
			}
			c.Parents = append(c.Parents, p)
		}
		if e := firstError(err[:]); e != nil {
			return nil, fmt.Errorf("read history of %s: %w", clip(rev), e)
		}
		commits = append(commits, c)
	}
	return commits, nil
}
