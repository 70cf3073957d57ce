package strategy

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"entire/checkpoint"
	"entire/internal/git"
)

// PushLimit is the longest time that a user's push waits while stored sessions are sent. What is
// not sent in time is sent with a later push, or with `entire push`, which has no limit.
const PushLimit = 10 * time.Second

// pushReserve is the part of PushLimit reserved for stopping what still runs.
const pushReserve = time.Second

// PrePush is called before git pushes to a remote. If the user agreed to this destination, it sends
// the metadata branch, and only that. url is the URL as git resolved it, "" if the hook was not
// told. PrePush never asks and never delays the push longer than [PushLimit]. Failures are printed
// and do not fail the push; the returned error is for the log.
func (s *ManualCommitStrategy) PrePush(ctx context.Context, remote, url string, refs io.Reader) error {
	ctx, cancel := context.WithTimeout(ctx, PushLimit-pushReserve)
	defer cancel()
	lines := readRefs(ctx, refs)
	s.warnOfShadows(lines)
	if s.KeepSessions || !carriesWork(lines) {
		return nil
	}
	tip, err := s.stored(ctx)
	if err != nil || tip.IsZero() || s.dryRun(ctx) {
		return err
	}
	to, err := s.pushDestination(ctx, remote, url)
	if err != nil || to.url == "" {
		return err
	}
	d, err := s.readDestinations()
	if err != nil {
		return err
	}
	agreed := d.find(to.plain)
	switch {
	case agreed == nil:
		return s.tellOnce(ctx, d, to.plain, fmt.Sprintf(
			"entire: the sessions behind your commits stay on this machine: you have not agreed to send them to %s\n"+
				"entire: `entire push --agree %s` sends them, now and with every git push there (this is said once)", to.plain, to.name()))
	case agreed.Sent == tip:
		return nil
	case s.blind(ctx):
		return s.tellOnce(ctx, d, to.plain+" unseen", fmt.Sprintf(
			"entire: it cannot be seen here whether this push is a dry run, so no sessions go with it; `entire push %s` sends them", to.name()))
	}
	done, err := s.send(ctx, s.repo.Network(), to)
	switch {
	case ctx.Err() != nil:
		s.tell("entire: the sessions were not sent within %s; your push goes on. `entire push %s` sends them", PushLimit, to.name())
	case err != nil:
		s.tell("entire: the sessions were not sent (%s); your push goes on. `entire push %s` tries again", to.reason(err), to.name())
	case done.Checkpoints > 0:
		s.tell("entire: sent along %s to %s", counted(done.Checkpoints, "checkpoint"), to.name())
	}
	return err
}

func (s *ManualCommitStrategy) tell(format string, args ...any) {
	if s.Tell != nil {
		s.Tell(fmt.Sprintf(format, args...))
	}
}

// tellOnce prints text unless it was printed before.
func (s *ManualCommitStrategy) tellOnce(ctx context.Context, d destinations, key, text string) error {
	if slices.Contains(d.Told, key) {
		return nil
	}
	s.tell("%s", text)
	return s.updateDestinations(ctx, func(d *destinations) {
		if !slices.Contains(d.Told, key) {
			d.Told = append(d.Told, key)
		}
	})
}

func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// stored returns the metadata branch's tip; zero if the branch does not exist or is still empty.
func (s *ManualCommitStrategy) stored(ctx context.Context) (git.OID, error) {
	c, ok, err := s.repo.Reader(ctx).CommitOf(checkpoint.MetadataRef)
	if err != nil || !ok || c.Tree == s.repo.EmptyTree() {
		return git.OID{}, err
	}
	return c.OID, nil
}

// destination is one place that a push goes to.
type destination struct {
	remote string // the remote's name, "" for a plain URL
	url    string // as git resolved it, maybe with credentials
	plain  string // without credentials, as it is stored and shown
}

// name returns what a person calls the destination.
func (to destination) name() string {
	if to.remote != "" {
		return to.remote
	}
	return to.plain
}

// reason returns an error's text for a person, without credentials.
func (to destination) reason(err error) string {
	var exit *git.ExitError
	if errors.As(err, &exit) {
		err = exit
	}
	return strings.TrimSuffix(strings.ReplaceAll(err.Error(), to.url, to.plain), ".")
}

// pushDestination finds where the push goes. If the hook was not told the URL, it uses the remote's
// only one; with several, url is "".
func (s *ManualCommitStrategy) pushDestination(ctx context.Context, remote, url string) (destination, error) {
	if url == "" {
		urls, err := s.repo.PushURLs(ctx, remote)
		if err != nil || len(urls) != 1 {
			return destination{}, err
		}
		url = urls[0]
	}
	to := destination{remote: remote, url: url, plain: s.repo.PlainURL(url)}
	if remote == url || strings.Contains(remote, ":") || strings.HasPrefix(remote, ".") {
		to.remote = "" // a URL or a path, not a remote's name
	}
	return to, nil
}

// blind reports whether the git that runs this hook should be visible and is not.
func (s *ManualCommitStrategy) blind(ctx context.Context) bool {
	return s.Invocation != nil && s.invocation(ctx).Command == ""
}
