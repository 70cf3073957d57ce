package main

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
func (l *library) preview(s listedSession, c *teleport.Content, p *handoff.Bundle, to target, o sendOptions) ([]suspect, error) {
	out := l.w.err
	fmt.Fprintf(out, "Session %s, %s: %s\n", shownSession(s.ID), count(s.Messages, "message"), titleOf(s))
	for _, name := range slices.Sorted(maps.Keys(c.Secrets)) {
		fmt.Fprintf(out, "  %s with secrets in %s: the secrets are blanked\n", count(c.Secrets[name], "line"), name)
	}
	if p == nil {
		return nil, nil
	}
	if p.Checkpoints > 0 {
		fmt.Fprintf(out, "  %s of commits\n", count(p.Checkpoints, "checkpoint"))
	}
	if len(p.Others) > 0 {
		fmt.Fprintf(out, "  also the steps of %s on the same commit: %s\n", count(len(p.Others), "other session"), strings.Join(p.Others, ", "))
	}
	if !o.withCode {
		fmt.Fprintln(out, "  no uncommitted files; --with-code sends them")
		return nil, nil
	}
	if p.Ahead > 0 {
		fmt.Fprintf(out, "  %s of %s that no remote has\n", count(p.Ahead, "commit"), cmp.Or(p.Branch, "HEAD"))
	}
	fmt.Fprintf(out, "  %s that %s not committed", count(len(p.Changes), "file"), isAre(len(p.Changes)))
	fmt.Fprintln(out, ":")
	var suspects []suspect
	for _, ch := range p.Changes {
		n := 0
		if ch.Action != restore.PlanRemove {
			n = l.secretsIn(ch.Path)
		}
		note := ""
		if n > 0 {
			suspects = append(suspects, suspect{ch.Path, n})
			note = fmt.Sprintf("  <- looks like %s", count(n, "secret"))
		}
		fmt.Fprintf(out, "    %-6s %s%s\n", ch.Action, shownName(ch.Path), note)
	}
	for _, k := range p.NotCaptured {
		fmt.Fprintf(out, "  stays here: %s (%s)\n", shownName(k.Path), k.Why)
	}
	return suspects, nil
}

func isAre(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}

// secretsIn counts what looks like a secret in a file of the worktree.
func (l *library) secretsIn(path string) int {
	f, err := durable.OpenPlain(filepath.Join(l.wp.repo.Top, filepath.FromSlash(path)))
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
func (l *library) maySend(ctx context.Context, s listedSession, to target, suspects []suspect, o sendOptions) error {
	if o.yes {
		return nil
	}
	t := l.w.terminal()
	if !t.Interactive {
		if len(suspects) > 0 {
			return failf("--yes sends it anyway; files are sent unchanged", "%s %s something that looks like a secret: %s",
				count(len(suspects), "file"), hasHave(len(suspects)), suspects[0].Path)
		}
		return nil
	}
	detail := "Only a person with the code can read it."
	if len(suspects) > 0 {
		detail += " Files are sent unchanged, with what looks like secrets."
	}
	yes, err := t.Confirm(ctx, "Send it to "+to.name+"?", detail)
	if errors.Is(err, term.ErrCancelled) || err == nil && !yes {
		fmt.Fprintln(l.w.err, "Nothing was sent.")
		return errTold
	}
	return err
}

func hasHave(n int) string {
	if n == 1 {
		return "has"
	}
	return "have"
}
