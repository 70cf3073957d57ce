package git

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"entire/internal/git/store"
)

// FetchRefs fetches those of refs that exist at url into local refs of the same names, in one
// connection. A local ref moves only forward, and a ref that does not exist there is no error.
func (n *Network) FetchRefs(ctx context.Context, url string, refs []string) error {
	if len(refs) == 0 {
		return nil
	}
	args := []string{"fetch", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules", "--no-auto-maintenance", "--refmap=", "--no-prune"}
	args = append(n.shown(args), "--", url)
	for _, ref := range refs {
		if err := store.ValidRef(ref); err != nil {
			return err
		}
		args = append(args, ref+"*:"+ref+"*") // a pattern that matches nothing is no error
	}
	_, err := n.run(ctx, url, args...)
	var exit *store.ExitError
	if errors.As(err, &exit) && exit.Code == 1 {
		return nil // some refs do not move forward; a failure of the connection exits with 128
	}
	return err
}

// PushedRefs is what a push of many refs has done, by the refs' names.
type PushedRefs struct {
	New, Moved []string
	Refused    map[string]string // why, as git says it
}

// PushFolder pushes all local refs below folder, which ends with a slash, to the same names at url, in one
// connection. There a ref moves only forward; it is refused otherwise, and the others move.
func (n *Network) PushFolder(ctx context.Context, url, folder string) (PushedRefs, error) {
	done := PushedRefs{Refused: map[string]string{}}
	if err := store.ValidRef(folder); err != nil {
		return done, err
	}
	args := []string{"push", "--no-verify", "--porcelain", "--no-recurse-submodules", "--no-follow-tags", "--no-signed"}
	if n.Progress != nil {
		args = append(args, "--progress")
	}
	out, err := n.run(ctx, url, append(args, "--", url, folder+"*:"+folder+"*")...) // --quiet would hide what moves
	for line := range strings.Lines(string(out)) {
		f := strings.SplitN(strings.TrimSuffix(line, "\n"), "\t", 3)
		if len(f) < 3 {
			continue
		}
		_, to, _ := strings.Cut(f[1], ":")
		switch f[0] {
		case "*":
			done.New = append(done.New, to)
		case " ":
			done.Moved = append(done.Moved, to)
		case "!":
			done.Refused[to] = f[2]
		}
	}
	if len(done.Refused) > 0 {
		var exit *store.ExitError
		if errors.As(err, &exit) {
			err = nil // what was refused is in the result
		}
	}
	if err != nil {
		return done, fmt.Errorf("push %s*: %w", folder, err)
	}
	return done, nil
}
