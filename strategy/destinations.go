package strategy

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"entire/internal/durable"
	"entire/internal/git"
)

// ErrNotAgreed is returned for a destination to which the user has not agreed to send sessions.
var ErrNotAgreed = errors.New("you have not agreed to send sessions there")

// Destination is a place to which the user agreed to send sessions. Destinations are identified
// by the URL that a push resolves to, without its credentials.
type Destination struct {
	URL    string    `json:"url"`
	Agreed time.Time `json:"agreed_at"`
	Sent   git.OID   `json:"sent,omitzero"` // the tip that the destination had when it was last seen
}

// destinations is the file with the user's answers. It belongs to this clone: no file that can be
// committed says where sessions are sent.
type destinations struct {
	Version int           `json:"version"` // 1
	Agreed  []Destination `json:"agreed"`
	Told    []string      `json:"told,omitempty"` // URLs for which the user was told that sessions are held back
}

// find returns the agreement for a URL without credentials, nil if there is none.
func (d *destinations) find(plain string) *Destination {
	for i := range d.Agreed {
		if d.Agreed[i].URL == plain {
			return &d.Agreed[i]
		}
	}
	return nil
}

func (s *ManualCommitStrategy) destinationsFile() string {
	return filepath.Join(s.repo.CommonDir, "entire", "destinations.json")
}

// readDestinations reads the answers. A missing file is no answer; a file that cannot be read is
// an error, and nothing counts as agreed to.
func (s *ManualCommitStrategy) readDestinations() (destinations, error) {
	d := destinations{Version: 1}
	data, err := os.ReadFile(s.destinationsFile())
	if errors.Is(err, fs.ErrNotExist) {
		return d, nil
	}
	if err == nil {
		err = json.Unmarshal(data, &d)
	}
	if err != nil {
		return destinations{}, fmt.Errorf("read where sessions may go: %w", err)
	}
	return d, nil
}

// updateDestinations changes the answers under a lock.
func (s *ManualCommitStrategy) updateDestinations(ctx context.Context, change func(*destinations)) error {
	path := s.destinationsFile()
	lock, err := durable.Acquire(ctx, path+".lock")
	if err != nil {
		return fmt.Errorf("lock where sessions may go: %w", err)
	}
	defer lock.Release()
	d, err := s.readDestinations()
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
func (s *ManualCommitStrategy) Destinations() ([]Destination, error) {
	d, err := s.readDestinations()
	return d.Agreed, err
}

// Agreed returns the names of the destinations: the remote's name where there is one, otherwise
// the URL.
func (s *ManualCommitStrategy) Agreed(ctx context.Context) ([]string, error) {
	list, err := s.Destinations()
	var names []string
	for _, d := range list {
		remote, url := s.remoteOf(ctx, d.URL)
		if remote == "" {
			remote = s.repo.PlainURL(url)
		}
		names = append(names, remote)
	}
	slices.Sort(names)
	return slices.Compact(names), err
}

// Agree notes that sessions may be sent to a URL, or to all push URLs of a remote, and returns
// the URLs as they are stored.
func (s *ManualCommitStrategy) Agree(ctx context.Context, target string) ([]string, error) {
	urls, err := s.resolve(ctx, target)
	if err != nil {
		return nil, err
	}
	var plain []string
	for _, u := range urls {
		plain = append(plain, s.repo.PlainURL(u))
	}
	return plain, s.updateDestinations(ctx, func(d *destinations) {
		for _, u := range plain {
			if d.find(u) == nil {
				d.Agreed = append(d.Agreed, Destination{URL: u, Agreed: s.Now().UTC()})
			}
			d.Told = slices.DeleteFunc(d.Told, func(told string) bool { return told == u })
		}
	})
}

// Revoke withdraws agreements and returns the URLs that had one. What was already sent stays
// there.
func (s *ManualCommitStrategy) Revoke(ctx context.Context, target string) ([]string, error) {
	names := []string{target, s.repo.PlainURL(target)}
	if urls, err := s.repo.PushURLs(ctx, target); err == nil {
		for _, u := range urls {
			names = append(names, s.repo.PlainURL(u))
		}
	}
	var gone []string
	err := s.updateDestinations(ctx, func(d *destinations) {
		d.Agreed = slices.DeleteFunc(d.Agreed, func(a Destination) bool {
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
func (s *ManualCommitStrategy) resolve(ctx context.Context, target string) ([]string, error) {
	remotes, err := s.repo.Remotes(ctx)
	if err != nil {
		return nil, err
	}
	urls, err := s.repo.PushURLs(ctx, target)
	if err != nil {
		return nil, err
	}
	if !slices.Contains(remotes, target) && !strings.Contains(urls[0], ":") {
		if _, err := os.Stat(s.repo.PlainURL(urls[0])); err != nil {
			return nil, fmt.Errorf("no remote and no repository is called %q", target)
		}
	}
	return urls, nil
}

// remoteOf returns the remote whose push URL is plain, and the URL as configured, which may hold
// credentials. Without such a remote it returns "" and plain.
func (s *ManualCommitStrategy) remoteOf(ctx context.Context, plain string) (remote, url string) {
	remotes, err := s.repo.Remotes(ctx)
	if err != nil {
		s.Log.Warn("remotes not listed", "err", err)
	}
	for _, name := range remotes {
		urls, err := s.repo.PushURLs(ctx, name)
		for _, u := range urls {
			if err == nil && s.repo.PlainURL(u) == plain {
				return name, u
			}
		}
	}
	return "", plain
}
