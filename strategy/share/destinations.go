package share

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"entire/internal/durable"
	"entire/strategy/maintain"
	"entire/strategy/sessionstate"
)

// SendURL returns the URL that a push to a remote, a URL or a repository's path goes to; an error
// if target is none of them.
func SendURL(ctx context.Context, s *sessionstate.Env, target string) (string, error) {
	urls, err := resolve(ctx, s, target)
	if err != nil {
		return "", err
	}
	return urls[0], nil
}

// ErrNotAgreed is returned for a destination to which the user has not agreed to send sessions.
var ErrNotAgreed = errors.New("you have not agreed to send sessions there")

// find returns the agreement for a URL without credentials, nil if there is none.
func find(d *maintain.Destinations, plain string) *maintain.Destination {
	for i := range d.Agreed {
		if d.Agreed[i].URL == plain {
			return &d.Agreed[i]
		}
	}
	return nil
}

// updateDestinations changes the answers under a lock.
func updateDestinations(ctx context.Context, s *sessionstate.Env, change func(*maintain.Destinations)) error {
	path := maintain.DestinationsFile(s)
	lock, err := durable.Acquire(ctx, path+".lock")
	if err != nil {
		return fmt.Errorf("lock where sessions may go: %w", err)
	}
	defer lock.Release()
	d, err := maintain.ReadDestinations(s)
	if err != nil {
		return err
	}
	change(&d)
	data, err := json.MarshalIndent(d, "", "  ")
	if err != nil {
		return fmt.Errorf("encode where sessions may go: %w", err)
	}
	return durable.WriteFile(path, append(data, '\n'), 0o600)
}

// Destinations lists where the user agreed to send sessions.
func Destinations(s *sessionstate.Env) ([]maintain.Destination, error) {
	d, err := maintain.ReadDestinations(s)
	return d.Agreed, err
}

// Agreed returns the names of the destinations: the remote's name where there is one, otherwise
// the URL.
func Agreed(ctx context.Context, s *sessionstate.Env) ([]string, error) {
	list, err := Destinations(s)
	var names []string
	for _, d := range list {
		remote, url := remoteOf(ctx, s, d.URL)
		if remote == "" {
			remote = s.Repo.PlainURL(url)
		}
		names = append(names, remote)
	}
	slices.Sort(names)
	return slices.Compact(names), err
}

// Agree notes that sessions may be sent to a URL, or to all push URLs of a remote, and returns
// the URLs as they are stored.
func Agree(ctx context.Context, s *sessionstate.Env, target string) ([]string, error) {
	urls, err := resolve(ctx, s, target)
	if err != nil {
		return nil, err
	}
	var plain []string
	for _, u := range urls {
		plain = append(plain, s.Repo.PlainURL(u))
	}
	return plain, updateDestinations(ctx, s, func(d *maintain.Destinations) {
		for _, u := range plain {
			if find(d, u) == nil {
				d.Agreed = append(d.Agreed, maintain.Destination{URL: u, Agreed: s.Now().UTC()})
			}
			d.Told = slices.DeleteFunc(d.Told, func(told string) bool { return told == u })
		}
	})
}

// Revoke withdraws agreements and returns the URLs that had one. What was already sent stays
// there.
func Revoke(ctx context.Context, s *sessionstate.Env, target string) ([]string, error) {
	names := []string{target, s.Repo.PlainURL(target)}
	if urls, err := s.Repo.PushURLs(ctx, target); err == nil {
		for _, u := range urls {
			names = append(names, s.Repo.PlainURL(u))
		}
	}
	var gone []string
	err := updateDestinations(ctx, s, func(d *maintain.Destinations) {
		d.Agreed = slices.DeleteFunc(d.Agreed, func(a maintain.Destination) bool {
			if !slices.Contains(names, a.URL) {
				return false
			}
			gone = append(gone, a.URL)
			return true
		})
		d.Told = append(d.Told, gone...) // the user knows, and need not be told
	})
	return gone, err
}

// resolve returns the URLs to which a push to a remote or a URL goes. A word that is neither, nor
// the path of a repository, is an error: it is a misspelt name.
func resolve(ctx context.Context, s *sessionstate.Env, target string) ([]string, error) {
	remotes, err := s.Repo.Remotes(ctx)
	if err != nil {
		return nil, err
	}
	urls, err := s.Repo.PushURLs(ctx, target)
	if err != nil {
		return nil, err
	}
	if !slices.Contains(remotes, target) && !strings.Contains(urls[0], ":") {
		if _, err := os.Stat(s.Repo.PlainURL(urls[0])); err != nil {
			return nil, fmt.Errorf("no remote and no repository is called %q", target)
		}
	}
	return urls, nil
}

// remoteOf returns the remote whose push URL is plain, and the URL as configured, which may hold
// credentials. Without such a remote it returns "" and plain.
func remoteOf(ctx context.Context, s *sessionstate.Env, plain string) (remote, url string) {
	remotes, err := s.Repo.Remotes(ctx)
	if err != nil {
		s.Log.Warn("remotes not listed", "err", err)
	}
	for _, name := range remotes {
		urls, err := s.Repo.PushURLs(ctx, name)
		for _, u := range urls {
			if err == nil && s.Repo.PlainURL(u) == plain {
				return name, u
			}
		}
	}
	return "", plain
}
