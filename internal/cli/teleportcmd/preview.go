package teleportcmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"entire/internal/cli/cliui"
	"entire/internal/cli/sessionlib"
	"entire/internal/durable"
	"entire/internal/redact"
	"entire/internal/teleport"
	"entire/internal/term"
	"entire/strategy/handoff"
	"entire/strategy/restore"
)

// A suspect is a file to be sent that seems to contain a secret.
type suspect struct {
	Path  string `json:"path"`
	Count int    `json:"count"`
}

const suspectBytes = 1 << 20 // how much of a file is searched for secrets

// preview prints what is sent and what is not, and returns the files that seem to contain
// secrets.
func preview(l *sessionlib.Library, s sessionlib.ListedSession, c *teleport.Content, p *handoff.Bundle, o sendOptions) []suspect {
	out := l.Env.Err
	fmt.Fprintf(out, "Session %s, %s: %s\n", cliui.ShownSession(s.ID), cliui.Count(s.Messages, "message"), sessionlib.TitleOf(s))
	for _, name := range slices.Sorted(maps.Keys(c.Secrets)) {
		fmt.Fprintf(out, "  %s with secrets in %s: the secrets are blanked\n", cliui.Count(c.Secrets[name], "line"), name)
	}
	if p == nil {
		return nil
	}
	if p.Checkpoints > 0 {
		fmt.Fprintf(out, "  %s of commits\n", cliui.Count(p.Checkpoints, "checkpoint"))
	}
	if len(p.Others) > 0 {
		fmt.Fprintf(out, "  also the steps of %s on the same commit: %s\n", cliui.Count(len(p.Others), "other session"), strings.Join(p.Others, ", "))
	}
	if o.fromShare {
		fmt.Fprintln(out, "  no files of the worktree")
		return nil
	}
	if !o.withCode {
		fmt.Fprintln(out, "  no uncommitted files; --with-code sends them")
		return nil
	}
	if p.Ahead > 0 {
		fmt.Fprintf(out, "  %s of %s that no remote has\n", cliui.Count(p.Ahead, "commit"), cmp.Or(p.Branch, "HEAD"))
	}
	fmt.Fprintf(out, "  %s that %s not committed:\n", cliui.Count(len(p.Changes), "file"), cliui.Plural(len(p.Changes), "is", "are"))
	var suspects []suspect
	for _, ch := range p.Changes {
		n := 0
		if ch.Action != restore.PlanRemove {
			n = secretsIn(l, ch.Path)
		}
		note := ""
		if n > 0 {
			suspects = append(suspects, suspect{ch.Path, n})
			note = fmt.Sprintf("  <- looks like %s", cliui.Count(n, "secret"))
		}
		fmt.Fprintf(out, "    %-6s %s%s\n", ch.Action, cliui.ShownName(ch.Path), note)
	}
	for _, k := range p.NotCaptured {
		fmt.Fprintf(out, "  stays here: %s (%s)\n", cliui.ShownName(k.Path), k.Why)
	}
	return suspects
}

// secretsIn counts what looks like a secret in a file of the worktree.
func secretsIn(l *sessionlib.Library, path string) int {
	f, err := durable.OpenPlain(filepath.Join(l.Wp.Repo.Top, filepath.FromSlash(path)))
	if err != nil {
		return 0
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, suspectBytes))
	if err != nil {
		return 0
	}
	return len(redact.Scan(string(data)))
}

// maySend asks a person to confirm. Without a terminal it returns an error if a file seems to
// contain a secret.
func maySend(ctx context.Context, l *sessionlib.Library, to target, suspects []suspect, o sendOptions) error {
	if o.yes {
		return nil
	}
	t := l.Env.Terminal()
	if !t.Interactive {
		if len(suspects) > 0 {
			return cliui.Failf("--yes sends it anyway; files are sent unchanged", "%s %s something that looks like a secret: %s",
				cliui.Count(len(suspects), "file"), cliui.Plural(len(suspects), "has", "have"), suspects[0].Path)
		}
		return nil
	}
	detail := "Only a person with the code can read it."
	if len(suspects) > 0 {
		detail += " Files are sent unchanged, with what looks like secrets."
	}
	yes, err := t.Confirm(ctx, "Send it to "+to.name+"?", detail)
	if errors.Is(err, term.ErrCancelled) || err == nil && !yes {
		fmt.Fprintln(l.Env.Err, "Nothing was sent.")
		return cliui.ErrTold
	}
	return err
}
