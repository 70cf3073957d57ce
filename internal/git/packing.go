package git

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"

	"entire/internal/git/object"
	"entire/internal/git/store"
)

// PackObjects writes a pack with all objects that tips reach and not does not. It is
// complete together with the objects of not: no delta has a base outside the pack.
func (r *Repo) PackObjects(ctx context.Context, out io.Writer, tips, not []object.OID) error {
	args := []string{"pack-objects", "--revs", "--stdout", "--quiet", "--delta-base-offset", "--threads=1"}
	c := r.Command(bytes.NewReader(revisions(tips, not)))
	c.Flags = []string{"-c", "pack.useSparse=false", "-c", "pack.useBitmaps=false", "-c", "pack.allowPackReuse=false"}
	var stderr bytes.Buffer
	cmd := c.Cmd(ctx, args...)
	cmd.Stdout, cmd.Stderr = out, &stderr
	return store.WrapExit(ctx, cmd.Run(), args, stderr.String())
}

// revisions is what git reads with --stdin to walk from tips to what not reaches.
func revisions(tips, not []object.OID) []byte {
	var in bytes.Buffer
	for _, oid := range tips {
		fmt.Fprintf(&in, "%s\n", oid)
	}
	for _, oid := range not {
		fmt.Fprintf(&in, "^%s\n", oid)
	}
	return in.Bytes()
}

// Boundary returns the commits that not reaches and on which tips are based: whoever
// receives the rest needs them.
func (r *Repo) Boundary(ctx context.Context, tips, not []object.OID) (ahead int, needs []object.OID, err error) {
	out, err := r.RunInput(ctx, revisions(tips, not), "rev-list", "--boundary", "--stdin")
	if err != nil {
		return 0, nil, err
	}
	for line := range strings.Lines(string(out)) {
		hex, isNeed := strings.CutPrefix(strings.TrimSpace(line), "-")
		oid, err := object.ParseOID(hex)
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
