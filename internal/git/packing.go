package git

import (
	"bytes"
	"context"
	"fmt"
	"io"

	"strings"
)

// PackObjects writes a pack with everything that tips reach and not does not. It
// needs nothing but what not names: no object in it is a difference to one that
// is not.
func (r *Repo) PackObjects(ctx context.Context, out io.Writer, tips, not []OID) error {
	var in strings.Builder
	for _, oid := range tips {
		fmt.Fprintf(&in, "%s\n", oid)
	}
	for _, oid := range not {
		fmt.Fprintf(&in, "^%s\n", oid)
	}
	args := []string{"pack-objects", "--revs", "--stdout", "--quiet", "--delta-base-offset", "--threads=1"}
	c := r.command(strings.NewReader(in.String()))
	c.flags = []string{"-c", "pack.useSparse=false", "-c", "pack.useBitmaps=false", "-c", "pack.allowPackReuse=false"}
	var stderr bytes.Buffer
	cmd := c.cmd(ctx, args...)
	cmd.Stdout, cmd.Stderr = out, &stderr
	return wrapExit(ctx, cmd.Run(), args, stderr.String())
}

// Boundary returns the commits that tips build on and that not reaches: what
// somebody needs who is given the rest.
func (r *Repo) Boundary(ctx context.Context, tips, not []OID) (ahead int, needs []OID, err error) {
	var in strings.Builder
	for _, oid := range tips {
		fmt.Fprintf(&in, "%s\n", oid)
	}
	for _, oid := range not {
		fmt.Fprintf(&in, "^%s\n", oid)
	}
	out, err := r.RunInput(ctx, []byte(in.String()), "rev-list", "--boundary", "--stdin")
	if err != nil {
		return 0, nil, err
	}
	for line := range strings.Lines(string(out)) {
		hex, isNeed := strings.CutPrefix(strings.TrimSpace(line), "-")
		oid, err := ParseOID(hex)
		if err != nil {
			return 0, nil, err
		}
		if isNeed {
			needs = append(needs, oid)
		} else {
			ahead++
		}
	}
	return ahead, needs, nil
}
