package timeline

import (
	"context"
	"fmt"
	"strings"

	"entire/strategy/condense"
	"entire/strategy/sessionstate"
)

// readState returns what identifies everything that a list is read from: HEAD, the refs, and the log
// of rewinds.
func readState(ctx context.Context, s *sessionstate.Env) (string, error) {
	var b strings.Builder
	head, _ := s.Repo.Head(ctx)
	fmt.Fprintf(&b, "%s\n", head)
	for _, prefix := range []string{"refs/heads/entire/", "refs/remotes/origin/entire/", "refs/entire/"} {
		refs, err := s.Repo.Refs(ctx, prefix)
		if err != nil {
			return "", err
		}
		for _, r := range refs {
			fmt.Fprintf(&b, "%s %s\n", r.OID, r.Name)
		}
	}
	log, err := condense.ReadRewindLog(s)
	if err != nil {
		return "", err
	}
	fmt.Fprintf(&b, "%d\n", len(log))
	return b.String(), nil
}
