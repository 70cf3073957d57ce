package git

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"entire/internal/git/object"
	"entire/internal/git/store"
)

// Remotes returns the names of the remotes.
func (r *Repo) Remotes(ctx context.Context) ([]string, error) {
	out, err := r.Run(ctx, "remote")
	if err != nil {
		return nil, fmt.Errorf("list remotes: %w", err)
	}
	return strings.Fields(string(out)), nil
}

// PushURLs returns the URLs of a push to a remote, as git passes them to the pre-push
// hook. A name that is not a remote is a URL itself.
func (r *Repo) PushURLs(ctx context.Context, remote string) ([]string, error) {
	return r.urls(ctx, remote, true)
}

// FetchURL returns the URL of a fetch from a remote.
func (r *Repo) FetchURL(ctx context.Context, remote string) (string, error) {
	list, err := r.urls(ctx, remote, false)
	if err != nil {
		return "", err
	}
	return list[0], nil
}

func (r *Repo) urls(ctx context.Context, remote string, push bool) ([]string, error) {
	if remote == "" || strings.HasPrefix(remote, "-") {
		return nil, fmt.Errorf("%q is not a remote", object.Clip(remote))
	}
	args := []string{"remote", "get-url"}
	if push {
		args = append(args, "--push", "--all")
	}
	out, err := r.Run(ctx, append(args, "--", remote)...)
	if err == nil {
		list := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
		if list[0] != "" {
			return list, nil
		}
	}
	var exit *store.ExitError
	if err != nil && !errors.As(err, &exit) {
		return nil, err
	}
	rewritten, err := r.rewrite(ctx, remote, push)
	return []string{rewritten}, err
}

// rewrite applies the user's url.<base>.insteadOf, and for a push first pushInsteadOf, to
// a URL that belongs to no remote. The longest match counts.
func (r *Repo) rewrite(ctx context.Context, raw string, push bool) (string, error) {
	out, err := r.Run(ctx, "config", "-z", "--get-regexp", `^url\..*\.(push)?insteadof$`)
	var exit *store.ExitError
	if errors.As(err, &exit) && exit.Code == 1 {
		return raw, nil
	}
	if err != nil {
		return "", fmt.Errorf("read configuration: %w", err)
	}
	if push {
		if url, ok := rewriteBy(string(out), ".pushinsteadof", raw); ok {
			return url, nil
		}
	}
	url, _ := rewriteBy(string(out), ".insteadof", raw)
	return url, nil
}

func rewriteBy(config, suffix, raw string) (url string, ok bool) {
	longest := 0
	url = raw
	for _, rec := range strings.Split(config, "\x00") {
		key, prefix, _ := strings.Cut(rec, "\n")
		base, found := strings.CutSuffix(strings.TrimPrefix(key, "url."), suffix)
		if found && len(prefix) > longest && strings.HasPrefix(raw, prefix) {
			longest, url, ok = len(prefix), base+raw[len(prefix):], true
		}
	}
	return url, ok
}

// PlainURL returns a URL as it may be stored, shown and compared with other destinations:
// without password or token, without any user for the web, its host in lower case. A path
// relative to the worktree's top is made absolute.
func (r *Repo) PlainURL(raw string) string {
	raw = strings.TrimRight(raw, "/")
	if !strings.Contains(raw, "://") {
		if isLocalPath(raw) && !filepath.IsAbs(raw) {
			return filepath.Join(r.Dir(), raw)
		}
		return raw
	}
	u, err := url.Parse(raw)
	if err != nil {
		return withoutUserinfo(raw)
	}
	u.Host = strings.ToLower(u.Host)
	switch {
	case u.User == nil:
	case slices.Contains([]string{"http", "https", "ftp", "ftps"}, strings.ToLower(u.Scheme)):
		u.User = nil
	default:
		u.User = url.User(u.User.Username())
	}
	if u.Scheme != "file" {
		u.RawQuery, u.Fragment = "", ""
	}
	return strings.TrimRight(u.String(), "/")
}

// withoutUserinfo removes everything up to the last @ of the host from a URL that cannot
// be parsed.
func withoutUserinfo(raw string) string {
	scheme, rest, _ := strings.Cut(raw, "://")
	host, path, found := strings.Cut(rest, "/")
	host = host[strings.LastIndexByte(host, '@')+1:]
	if found {
		path = "/" + path
	}
	return scheme + "://" + host + path
}

// credentials match what precedes the host of a URL within a text: for the web all of it,
// for others a password.
var (
	webCredentials   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)\b((?:https?|ftps?)://)[^\s/'"]*@`) })
	otherCredentials = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)\b([a-z][a-z0-9+.-]*://[^\s/'":@]*):[^\s/'"]*@`)
	})
)

// withoutCredentials removes passwords and tokens from the URLs in a text.
func withoutCredentials(text string) string {
	return otherCredentials().ReplaceAllString(webCredentials().ReplaceAllString(text, "$1"), "$1@")
}

// isLocalPath applies git's rule: no colon before the first slash.
func isLocalPath(raw string) bool {
	colon, slash := strings.IndexByte(raw, ':'), strings.IndexByte(raw, '/')
	return colon < 0 || slash >= 0 && slash < colon
}
