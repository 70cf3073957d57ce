package settings

import (
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
)

var plainName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$`) })

// check returns what is wrong with a configuration, all of it.
func (h *Hub) check() error {
	var errs []error
	bad := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if h.Data == "" {
		bad(`"data" names no folder for the mirrors`)
	}
	if len(h.Repositories) == 0 {
		bad(`"repositories" is empty: there is nothing to serve`)
	}
	h.checkAddresses(bad)
	if h.Workers < 0 || h.Workers > workersMax {
		bad(`"workers" is %d, not from 1 to %d`, h.Workers, workersMax)
	}
	if h.Limits.PerSecond < 0 || h.Limits.Burst < 0 {
		bad(`"limits" has a number below 0`)
	}
	names := map[string]bool{}
	for _, r := range h.Repositories {
		if names[r.Name] {
			bad("the repository %q is there twice", r.Name)
		}
		names[r.Name] = true
		r.check(bad)
	}
	for _, t := range h.Teams {
		t.check(bad)
	}
	for _, t := range h.Tokens {
		if sum, err := hex.DecodeString(t.SHA256); t.Name == "" || err != nil || len(sum) != 32 {
			bad(`the token %q needs a name and its "sha256" as 64 hex digits; entire hub token makes both`, t.Name)
		}
		known(names, "token "+t.Name, t.Repositories, bad)
	}
	if h.OIDC != nil {
		h.checkLogin(names, bad)
	}
	return errors.Join(errs...)
}

// workersMax bounds how many repositories are read at once: each holds a connection to the database.
const workersMax = 1000

// checkAddresses checks the addresses at which the hub answers. A host is looked up when it listens.
func (h *Hub) checkAddresses(bad func(string, ...any)) {
	for _, at := range [][2]string{{"listen", h.Listen}, {"metrics_listen", h.MetricsOn}} {
		if at[1] == "" {
			continue
		}
		_, port, err := net.SplitHostPort(at[1])
		if err == nil {
			_, err = net.LookupPort("tcp", port)
		}
		if err != nil {
			bad("%q is %q, not a host and a port as 127.0.0.1:8080", at[0], at[1])
		}
	}
	if u, err := url.Parse(h.URL); h.URL != "" && (err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http") {
		bad(`"url" is %q, not an address as https://hub.example.com`, h.URL)
	}
}

func (r Repository) check(bad func(string, ...any)) {
	if !plainName().MatchString(r.Name) {
		bad("the repository's name %q is not one of letters, digits, dots, dashes and underscores", r.Name)
	}
	if r.URL == "" || strings.HasPrefix(r.URL, "-") {
		bad("the repository %s has no URL", r.Name)
	}
	if u, err := url.Parse(r.URL); err == nil && u.User != nil && strings.HasPrefix(u.Scheme, "http") {
		bad(`the URL of %s has a user or password in it: use "user" and "password_env"`, r.Name)
	}
	if r.Forge != "" && !slices.Contains(Forges, r.Forge) {
		bad("the repository %s has the forge %q, not one of %s", r.Name, r.Forge, strings.Join(Forges, ", "))
	}
	if (r.Forge == "") != (r.WebhookSecretEnv == "") {
		bad(`the repository %s needs "forge" and "webhook_secret_env" together`, r.Name)
	}
}

// Forges are the forges whose webhooks are understood.
var Forges = []string{"github", "gitlab", "gitea"}

func (t Team) check(bad func(string, ...any)) {
	if strings.TrimSpace(t.Name) == "" || len(t.Name) > 100 {
		bad("a team needs a name of at most 100 characters")
		return
	}
	if len(t.Paths)+len(t.Authors) == 0 {
		bad("the team %s has neither paths nor authors", t.Name)
	}
	for _, p := range t.Paths {
		if _, err := path.Match(p, ""); err != nil {
			bad("the team %s has the path %q: %v", t.Name, p, err)
		}
	}
}

func (h *Hub) checkLogin(names map[string]bool, bad func(string, ...any)) {
	o := h.OIDC
	if o.Issuer == "" || o.ClientID == "" || o.SessionKeyEnv == "" {
		bad(`"oidc" needs "issuer", "client_id" and "session_key_env"`)
	}
	if h.URL == "" {
		bad(`"url" says where browsers reach the hub, and is needed for logging in`)
	}
	for _, a := range o.Access {
		if (a.Group == "") == (a.Email == "") {
			bad(`each entry of "access" needs either "group" or "email"`)
		}
		known(names, "access of "+a.Group+a.Email, a.Repositories, bad)
	}
}

// known refuses names of repositories that the file does not have.
func known(names map[string]bool, of string, list []string, bad func(string, ...any)) {
	if len(list) == 0 {
		bad(`%s names no repositories; "*" is all of them`, of)
	}
	for _, name := range list {
		if name != Everything && !names[name] {
			bad("%s names the repository %q, which is not in the file", of, name)
		}
	}
}
