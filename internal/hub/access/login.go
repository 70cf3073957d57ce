package access

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"entire/internal/hub/settings"
)

// The paths of logging in and out.
const (
	LoginPath    = "/login"
	CallbackPath = "/login/callback"
	LogoutPath   = "/logout"
)

// attemptCookie is the cookie of a browser that was sent to the provider.
const (
	attemptCookie = "entire_hub_login"
	attemptFor    = 10 * time.Minute
)

type attempt struct {
	State    string `json:"s"`
	Nonce    string `json:"n"`
	Verifier string `json:"v"`
	Back     string `json:"b"`
}

func random() string {
	b := make([]byte, 32)
	_, _ = rand.Read(b) // never fails
	return base64.RawURLEncoding.EncodeToString(b)
}

// Login sends a browser to the provider. It returns an error if it has sent nothing.
func (d *Door) Login(w http.ResponseWriter, r *http.Request) error {
	p, err := d.reach(r.Context())
	if err != nil {
		return err
	}
	a := attempt{State: random(), Nonce: random(), Verifier: oauth2.GenerateVerifier(), Back: local(r.URL.Query().Get("back"))}
	if err := d.setCookie(w, attemptCookie, a, attemptFor); err != nil {
		return err
	}
	http.Redirect(w, r, d.oauth(p).AuthCodeURL(a.State, oidc.Nonce(a.Nonce), oauth2.S256ChallengeOption(a.Verifier)), http.StatusFound)
	return nil
}

// Callback takes a browser back from the provider and gives it a session. It returns an error if it has sent nothing.
func (d *Door) Callback(w http.ResponseWriter, r *http.Request) error {
	var a attempt
	if err := d.cookie(r, attemptCookie, &a); err != nil {
		return errors.New("this browser did not begin to log in here, or too long ago")
	}
	d.endCookie(w, attemptCookie)
	q := r.URL.Query()
	if subtle.ConstantTimeCompare([]byte(q.Get("state")), []byte(a.State)) != 1 {
		return errors.New("the provider's answer does not belong to this browser's question")
	}
	if q.Get("error") != "" {
		return fmt.Errorf("the provider refused: %.200s", q.Get("error"))
	}
	s, err := d.exchange(r.Context(), q.Get("code"), a)
	if err != nil {
		return err
	}
	if err := d.setCookie(w, sessionCookie, s, time.Duration(d.conf.OIDC.SessionFor)); err != nil {
		return err
	}
	http.Redirect(w, r, a.Back, http.StatusFound)
	return nil
}

// exchange gets the ID token for a code, and reads who it is about.
func (d *Door) exchange(ctx context.Context, code string, a attempt) (s session, err error) {
	p, err := d.reach(ctx)
	if err != nil {
		return s, err
	}
	ctx = oidc.ClientContext(ctx, d.client)
	token, err := d.oauth(p).Exchange(ctx, code, oauth2.VerifierOption(a.Verifier))
	if err != nil {
		return s, errors.New("the provider gave no token for its code")
	}
	raw, _ := token.Extra("id_token").(string)
	id, err := p.Verifier(&oidc.Config{ClientID: d.conf.OIDC.ClientID, Now: d.now}).Verify(ctx, raw)
	if err != nil {
		return s, fmt.Errorf("the provider's token is not valid: %w", err)
	}
	if subtle.ConstantTimeCompare([]byte(id.Nonce), []byte(a.Nonce)) != 1 {
		return s, errors.New("the provider's token is of another login")
	}
	var claims map[string]json.RawMessage
	if err := id.Claims(&claims); err != nil {
		return s, fmt.Errorf("read the provider's token: %w", err)
	}
	s.Subject = id.Subject
	read := func(name string, into any) { _ = json.Unmarshal(claims[name], into) } // what has another form is not there
	var verified bool
	read("name", &s.Name)
	read("email_verified", &verified)
	if verified {
		read("email", &s.Email)
	}
	read(d.conf.OIDC.GroupsClaim, &s.Groups)
	s.Groups = slices.DeleteFunc(s.Groups, func(g string) bool { // a cookie has little room, and others let nobody in
		return !slices.ContainsFunc(d.conf.OIDC.Access, func(a settings.Access) bool { return a.Group == g })
	})
	if s.Name == "" {
		s.Name = s.Subject
	}
	return s, nil
}

// tokenCookie is the cookie of a browser that uses a token.
const tokenCookie = "entire_hub_token"

// errForeign refuses a form of another site.
var errForeign = errors.New("this form was not sent by a page of this hub")

// foreign reports whether a page of another site sent a form.
func foreign(r *http.Request) bool {
	if site := r.Header.Get("Sec-Fetch-Site"); site != "" && site != "same-origin" && site != "none" {
		return true
	}
	origin := r.Header.Get("Origin")
	if origin == "" {
		return false
	}
	u, err := url.Parse(origin)
	return err != nil || u.Host != r.Host
}

// Enter lets a browser use the token that a person typed. It returns an error if it has sent nothing.
func (d *Door) Enter(w http.ResponseWriter, r *http.Request) error {
	if foreign(r) {
		return errForeign
	}
	r.Body = http.MaxBytesReader(w, r.Body, 4096)
	token := strings.TrimSpace(r.PostFormValue("token"))
	if _, ok := byToken(d.conf.Tokens, token, d.now()); !ok {
		return errors.New("this is not a token that is valid here")
	}
	http.SetCookie(w, &http.Cookie{Name: tokenCookie, Value: token, Path: "/", MaxAge: int((12 * time.Hour).Seconds()), HttpOnly: true, Secure: d.secure, SameSite: http.SameSiteStrictMode})
	http.Redirect(w, r, local(r.PostFormValue("back")), http.StatusSeeOther)
	return nil
}

// Logout ends the session of a browser.
func (d *Door) Logout(w http.ResponseWriter, r *http.Request) error {
	if foreign(r) {
		return errForeign
	}
	d.endCookie(w, sessionCookie)
	d.endCookie(w, tokenCookie)
	http.Redirect(w, r, "/", http.StatusSeeOther)
	return nil
}

// local returns target if it is a page of this hub, else the first page.
func local(target string) string {
	u, err := url.Parse(target)
	if err != nil || u.Scheme != "" || u.Host != "" || !strings.HasPrefix(target, "/") || strings.HasPrefix(target, "//") || strings.ContainsAny(target, "\\\r\n\t") {
		return "/"
	}
	return target
}
