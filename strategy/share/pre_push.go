package share

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"entire/checkpoint/epoch"
	"entire/checkpoint/shadow"
	"entire/internal/git"
	"entire/strategy/maintain"
	"entire/strategy/resume"
	"entire/strategy/sessionstate"
	"entire/strategy/worktree"
)

// PushLimit is the longest time that a user's push waits while stored sessions are sent. What is
// not sent in time is sent with a later push, or with `entire share push`, which has no limit.
const PushLimit = 10 * time.Second

// pushReserve is the part of PushLimit reserved for stopping what still runs.
const pushReserve = time.Second

// PrePush is called before git pushes to a remote. If the user agreed to this destination, it sends
// the metadata branch and the checkpoints in refs of their own, and only those. url is the URL as git resolved it, "" if the hook was not
// told. PrePush never asks and never delays the push longer than [PushLimit]. Failures are printed
// and do not fail the push; the returned error is for the log.
func PrePush(ctx context.Context, s *sessionstate.Env, remote, url string, refs io.Reader) error {
	ctx, cancel := context.WithTimeout(ctx, PushLimit-pushReserve)
	defer cancel()
	lines := readRefs(ctx, refs)
	warnOfShadows(s, lines)
	if s.KeepSessions || !WantsSessions(lines) {
		return nil
	}
	tip, err := metadataTip(ctx, s)
	if err != nil {
		return err
	}
	inRefs, err := refsState(ctx, s)
	if err != nil || tip.IsZero() && inRefs == "" || s.PushIsDryRun(ctx) {
		return err
	}
	list, err := hookDestinations(ctx, s, remote, url)
	if err != nil {
		return err
	}
	var errs []error
	for _, to := range list {
		errs = append(errs, sendAlong(ctx, s, to, tip, inRefs))
	}
	return errors.Join(errs...)
}

// hookDestinations returns where the sessions go with a push: to where the push goes, unless the settings name other
// repositories. Those of the settings that are none are said once and left out.
func hookDestinations(ctx context.Context, s *sessionstate.Env, remote, url string) (list []resume.Destination, err error) {
	if len(s.CheckpointRemotes) == 0 {
		to, err := pushDestination(ctx, s, remote, url)
		if err != nil || to.URL == "" {
			return nil, err
		}
		return []resume.Destination{to}, nil
	}
	d, err := maintain.ReadDestinations(s)
	if err != nil {
		return nil, err
	}
	for _, named := range s.CheckpointRemotes {
		found, err := pushTargets(ctx, s, named)
		if err != nil {
			if err := tellOnce(ctx, s, d, named+" unknown", fmt.Sprintf(
				"entire: the settings send sessions to %s (checkpoint_remote): %v; nothing is sent there (this is said once)", shownName(s, named), err)); err != nil {
				return nil, err
			}
			continue
		}
		list = append(list, found...)
	}
	return list, nil
}

// shownName returns a remote's name, or a URL without credentials.
func shownName(s *sessionstate.Env, named string) string {
	if strings.Contains(named, ":") {
		return s.Repo.PlainURL(named)
	}
	return named
}

// sendAlong sends the sessions to one destination. tip and inRefs are what there is to send.
func sendAlong(ctx context.Context, s *sessionstate.Env, to resume.Destination, tip git.OID, inRefs string) error {
	d, err := maintain.ReadDestinations(s)
	if err != nil {
		return err
	}
	agreed := find(&d, to.Shown)
	switch {
	case agreed == nil:
		return tellOnce(ctx, s, d, to.Shown, fmt.Sprintf(
			"entire: the sessions behind your commits stay on this machine: you have not agreed to send them to %s\n"+
				"entire: `entire share push --agree %s` sends them, now and with every git push there (this is said once)", to.Shown, name(to)))
	case agreed.Sent == tip && agreed.SentRefs == inRefs:
		return nil
	case invocationHidden(ctx, s):
		return tellOnce(ctx, s, d, to.Shown+" unseen", fmt.Sprintf(
			"entire: it cannot be seen here whether this push is a dry run, so no sessions go with it; `entire share push %s` sends them", name(to)))
	}
	if b, yes, err := s.Repo.Bodies.Bucket(); err == nil && b.URL != "" && !yes {
		if err := tellOnce(ctx, s, d, b.URL+" bucket", fmt.Sprintf(
			"entire: large parts of conversations stay in git: you have not agreed to the project's bucket %s\n"+
				"entire: `entire share bucket --agree` does so (this is said once)", b.URL)); err != nil {
			return err
		}
	}
	done, err := sendMerged(ctx, s, s.Repo.Network(), to, *agreed)
	switch {
	case err == nil && done.Checkpoints > 0:
		tell(s, "entire: sent along %s to %s", worktree.Counted(done.Checkpoints, "checkpoint"), name(to))
	case err == nil:
	case ctx.Err() != nil:
		tell(s, "entire: the sessions were not sent within %s; your push goes on. `entire share push %s` sends them", PushLimit, name(to))
	default:
		tell(s, "entire: the sessions were not sent (%s); your push goes on. `entire share push %s` tries again", reason(to, err), name(to))
	}
	return err
}

func tell(s *sessionstate.Env, format string, args ...any) {
	if s.Tell != nil {
		s.Tell(fmt.Sprintf(format, args...))
	}
}

// tellOnce prints text unless it was printed before.
func tellOnce(ctx context.Context, s *sessionstate.Env, d maintain.Destinations, key, text string) error {
	if slices.Contains(d.Told, key) {
		return nil
	}
	tell(s, "%s", text)
	return updateDestinations(ctx, s, func(d *maintain.Destinations) {
		if !slices.Contains(d.Told, key) {
			d.Told = append(d.Told, key)
		}
	})
}

// metadataTip returns the metadata branch's tip; zero if the branch does not exist, or is empty and nothing was sealed.
func metadataTip(ctx context.Context, s *sessionstate.Env) (git.OID, error) {
	c, ok, err := s.Repo.Reader(ctx).CommitOf(shadow.MetadataRef)
	if err != nil || !ok {
		return git.OID{}, err
	}
	if c.Tree == s.Repo.EmptyTree() {
		if months, err := s.Repo.Refs(ctx, epoch.Refs); err != nil || len(months) == 0 {
			return git.OID{}, err
		}
	}
	return c.OID, nil
}

// name returns what a person calls the destination.
func name(to resume.Destination) string {
	if to.Remote != "" {
		return to.Remote
	}
	return to.Shown
}

// reason returns an error's text for a person, without credentials.
func reason(to resume.Destination, err error) string {
	var exit *git.ExitError
	if errors.As(err, &exit) {
		err = exit
	}
	return strings.TrimSuffix(strings.ReplaceAll(err.Error(), to.URL, to.Shown), ".")
}

// pushDestination finds where the push goes. If the hook was not told the URL, it uses the remote's
// only one; with several, url is "".
func pushDestination(ctx context.Context, s *sessionstate.Env, remote, url string) (resume.Destination, error) {
	if url == "" {
		urls, err := s.Repo.PushURLs(ctx, remote)
		if err != nil || len(urls) != 1 {
			return resume.Destination{}, err
		}
		url = urls[0]
	}
	to := resume.Destination{Remote: remote, URL: url, Shown: s.Repo.PlainURL(url)}
	if remote == url || strings.Contains(remote, ":") || strings.HasPrefix(remote, ".") {
		to.Remote = "" // a URL or a path, not a remote's name
	}
	return to, nil
}

// invocationHidden reports whether the git that runs this hook should be visible and is not.
func invocationHidden(ctx context.Context, s *sessionstate.Env) bool {
	return s.Invocation != nil && s.GitInvocation(ctx).Command == ""
}
