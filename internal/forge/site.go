package forge

import (
	"fmt"
	"net/url"
	"strings"
)

// A Kind is a form of pages and of an interface for programs.
type Kind string

// The kinds. Forgejo has the pages of Gitea.
const (
	GitHub Kind = "github"
	GitLab Kind = "gitlab"
	Gitea  Kind = "gitea"
)

// Kinds returns the names of the kinds.
func Kinds() []string { return []string{string(GitHub), string(GitLab), string(Gitea)} }

// Site is the page of a repository at a forge. The zero Site makes no links.
type Site struct {
	Kind Kind
	Base string // as in https://github.com/owner/name, without a slash at its end
}

// SiteOf returns the page of the repository that a remote's URL means; the zero Site for a folder, or for a
// host whose kind its name does not tell.
func SiteOf(remote string) Site {
	host, path := hostAndPath(strings.TrimSpace(remote))
	kind := kindOf(host)
	if kind == "" || path == "" {
		return Site{}
	}
	return Site{kind, "https://" + host + "/" + path}
}

// SiteAt returns the page with a URL that a person gave. kind is "" if the host's name tells it, or GitHub's
// form is right.
func SiteAt(base string, kind Kind) (Site, error) {
	u, err := url.Parse(base)
	if err != nil || (u.Scheme != "https" && u.Scheme != "http") || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return Site{}, fmt.Errorf("%.200q is not the page of a repository, as in https://git.example.com/team/app", base)
	}
	if kind == "" {
		kind = kindOf(u.Hostname())
	}
	if kind == "" {
		kind = GitHub
	}
	return Site{kind, u.Scheme + "://" + u.Host + strings.TrimRight(u.EscapedPath(), "/")}, nil
}

// hostAndPath splits a remote's URL; both are "" for one that names no host.
func hostAndPath(remote string) (host, path string) {
	if !strings.Contains(remote, "://") {
		before, after, found := strings.Cut(remote, ":")
		if !found || strings.ContainsAny(before, "/\\") || len(before) < 2 {
			return "", ""
		}
		if _, name, at := strings.Cut(before, "@"); at {
			before = name
		}
		return cleaned(before, after)
	}
	u, err := url.Parse(remote)
	if err != nil || u.Scheme == "file" {
		return "", ""
	}
	host = u.Hostname()
	if (u.Scheme == "https" || u.Scheme == "http") && u.Port() != "" {
		host = u.Host
	}
	return cleaned(host, u.Path)
}

// cleaned returns a host and the escaped path of a repository; "" if they are none.
func cleaned(host, path string) (string, string) {
	path = strings.TrimSuffix(strings.Trim(path, "/"), ".git")
	if strings.Trim(strings.ToLower(host), "abcdefghijklmnopqrstuvwxyz0123456789.-:") != "" || !strings.Contains(path, "/") {
		return "", ""
	}
	return strings.ToLower(host), escaped(path)
}

// kindOf returns the kind that a host's name tells, or "".
func kindOf(host string) Kind {
	switch {
	case host == "codeberg.org", strings.Contains(host, "gitea"), strings.Contains(host, "forgejo"):
		return Gitea
	case strings.Contains(host, "gitlab"):
		return GitLab
	case strings.Contains(host, "github"):
		return GitHub
	}
	return ""
}

// Lines returns the page of lines of a file at a commit: count lines from start on, or the line start if
// count is 0. It returns "" for the zero Site.
func (s Site) Lines(commit, path string, start, count int) string {
	first, last := fmt.Sprintf("L%d", start), ""
	if count > 1 {
		last = fmt.Sprintf("%d", start+count-1)
	}
	dash := "-L"
	middle := "/blob/"
	switch s.Kind {
	case GitLab:
		dash, middle = "-", "/-/blob/"
	case Gitea:
		middle = "/src/commit/"
	case "":
		return ""
	}
	if last != "" {
		first += dash + last
	}
	return s.Base + middle + commit + "/" + escaped(path) + "#" + first
}

// Commit returns the page of a commit, "" for the zero Site.
func (s Site) Commit(id string) string {
	switch s.Kind {
	case "":
		return ""
	case GitLab:
		return s.Base + "/-/commit/" + id
	}
	return s.Base + "/commit/" + id
}

// escaped escapes a path so that it means nothing to a URL, to Markdown or to HTML.
func escaped(path string) string {
	var b strings.Builder
	for i := 0; i < len(path); i++ {
		c := path[i]
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', strings.IndexByte("/-._", c) >= 0:
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

// SiteOfKind is SiteOf for a host whose kind a person names.
func SiteOfKind(remote string, kind Kind) Site {
	host, path := hostAndPath(strings.TrimSpace(remote))
	if path == "" {
		return Site{}
	}
	return Site{kind, "https://" + host + "/" + path}
}
