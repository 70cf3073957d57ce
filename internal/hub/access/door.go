package access

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"entire/internal/hub/settings"
)

// A Door recognises principals.
type Door struct {
	conf   *settings.Hub
	now    func() time.Time
	secret string // of the client at the provider
	sealer sealer
	secure bool // browsers reach us over TLS
	client *http.Client

	mu       sync.Mutex
	provider *oidc.Provider // nil until it was reached
}

// Options are what a Door needs beside the configuration.
type Options struct {
	Now    func() time.Time
	Getenv func(string) string
	Client *http.Client // for the provider
}

// NewDoor returns the door of a hub. The provider need not be up yet.
func NewDoor(conf *settings.Hub, o Options) (*Door, error) {
	d := &Door{conf: conf, now: o.Now, client: o.Client, secure: strings.HasPrefix(conf.URL, "https://")}
	if d.client == nil {
		d.client = &http.Client{Timeout: 10 * time.Second}
	}
	if conf.OIDC == nil {
		return d, nil
	}
	var err error
	if d.sealer, err = newSealer(o.Getenv(conf.OIDC.SessionKeyEnv)); err != nil {
		return nil, fmt.Errorf("read %s: %w", conf.OIDC.SessionKeyEnv, err)
	}
	if name := conf.OIDC.ClientSecretEnv; name != "" {
		if d.secret = o.Getenv(name); d.secret == "" {
			return nil, fmt.Errorf("the variable %s, which should have the client's secret, is not set", name)
		}
	}
	return d, nil
}

// CanLogIn reports whether people can log in.
func (d *Door) CanLogIn() bool { return d.conf.OIDC != nil }

// TakesTokens reports whether there are tokens, which a browser may use as well.
func (d *Door) TakesTokens() bool { return len(d.conf.Tokens) > 0 }

// sessionCookie is the cookie of whoever is logged in.
const sessionCookie = "entire_hub_session"

// session is what the cookie holds: who it is, and not what they may read.
type session struct {
	Subject string   `json:"s"`
	Name    string   `json:"n"`
	Email   string   `json:"m"` // only if the provider has verified it
	Groups  []string `json:"g"`
}

// Principal returns who a request is from; the zero one for nobody. A request with a token in its header is from the token,
// whatever its cookies say.
func (d *Door) Principal(r *http.Request) Principal {
	if header := r.Header.Get("Authorization"); header != "" {
		scheme, token, _ := strings.Cut(header, " ")
		if !strings.EqualFold(scheme, "Bearer") {
			return Principal{}
		}
		p, _ := byToken(d.conf.Tokens, strings.TrimSpace(token), d.now())
		return p
	}
	if c, err := r.Cookie(tokenCookie); err == nil {
		p, _ := byToken(d.conf.Tokens, c.Value, d.now())
		return p
	}
	if d.conf.OIDC == nil {
		return Principal{}
	}
	var s session
	if err := d.cookie(r, sessionCookie, &s); err != nil {
		return Principal{}
	}
	return d.person(s)
}

// person returns what the configuration lets somebody read.
func (d *Door) person(s session) Principal {
	p := Principal{Kind: "person", Name: s.Name, Email: s.Email}
	for _, a := range d.conf.OIDC.Access {
		if a.Group != "" && slices.Contains(s.Groups, a.Group) || a.Email != "" && strings.EqualFold(a.Email, s.Email) {
			p.repos = append(p.repos, a.Repositories...)
		}
	}
	return p
}

// reach returns the provider, and asks it for its addresses the first time.
func (d *Door) reach(ctx context.Context) (*oidc.Provider, error) {
	if d.conf.OIDC == nil {
		return nil, errors.New("nobody can log in here: the configuration has no oidc")
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.provider != nil {
		return d.provider, nil
	}
	p, err := oidc.NewProvider(oidc.ClientContext(ctx, d.client), d.conf.OIDC.Issuer)
	if err != nil {
		return nil, fmt.Errorf("reach the provider %s: %w", d.conf.OIDC.Issuer, err)
	}
	d.provider = p
	return p, nil
}

// oauth returns how tokens are got from the provider.
func (d *Door) oauth(p *oidc.Provider) *oauth2.Config {
	scopes := append([]string{oidc.ScopeOpenID, "profile", "email"}, d.conf.OIDC.Scopes...)
	return &oauth2.Config{ClientID: d.conf.OIDC.ClientID, ClientSecret: d.secret, Endpoint: p.Endpoint(), Scopes: scopes,
		RedirectURL: strings.TrimSuffix(d.conf.URL, "/") + CallbackPath}
}
