package gate

import (
	"context"
	"crypto/rand"
	"encoding/base32"
	"encoding/base64"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Options are what a Gate needs to know.
type Options struct {
	Origin   string // of the server, as in http://127.0.0.1:4321
	ReadOnly bool   // every POST is refused
	Random   io.Reader
	Now      func() time.Time
	// Entered is called when a browser has used a token. Nil for nothing.
	Entered func()
	// Refused shows why a request is refused; nil for plain text.
	Refused func(w http.ResponseWriter, r *http.Request, status int, why string)
}

// A Gate is an http.Handler that passes on the requests of browsers that have a visit.
type Gate struct {
	o      Options
	host   string
	base   string // the folder of all pages, as in "/k3jd8f2a"
	inside http.Handler
	tokens tokens
	visits visits
}

// New returns a gate before the handler of the pages. The paths that inside sees do not have the
// random folder of the URLs, which [Gate.Base] returns.
func New(o Options, inside http.Handler) *Gate {
	if o.Random == nil {
		o.Random = rand.Reader
	}
	if o.Refused == nil {
		o.Refused = func(w http.ResponseWriter, _ *http.Request, status int, why string) { http.Error(w, why, status) }
	}
	g := &Gate{o: o, host: strings.TrimPrefix(o.Origin, "http://"), inside: inside}
	g.base = "/" + strings.ToLower(base32.StdEncoding.EncodeToString(g.bits(10)))
	return g
}

// Base returns the folder that all pages are in, without a slash at its end.
func (g *Gate) Base() string { return g.base }

// bits returns n random bytes. A machine that has none to give cannot keep anybody out.
func (g *Gate) bits(n int) []byte {
	b := make([]byte, n)
	if _, err := io.ReadFull(g.o.Random, b); err != nil {
		panic("no random bytes: " + err.Error())
	}
	return b
}

func (g *Gate) secret() string { return base64.RawURLEncoding.EncodeToString(g.bits(32)) }

// Link returns a link to a page, such as "/status", that lets one browser in. With within, it does so
// for that long only; 0 is for as long as the server runs.
func (g *Gate) Link(page string, within time.Duration) string {
	token := g.secret()
	var until time.Time
	if within > 0 {
		until = g.o.Now().Add(within)
	}
	g.tokens.add(token, until)
	return g.o.Origin + page + "#" + token
}

// ServeHTTP passes a request on, asks for a token, or refuses the request.
func (g *Gate) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	protect(w.Header())
	if why := g.stranger(r); why != "" {
		status := http.StatusForbidden
		if r.Host != g.host {
			status = http.StatusMisdirectedRequest
		}
		g.o.Refused(w, r, status, why)
		return
	}
	switch path, within := strings.CutPrefix(r.URL.Path, g.base); {
	case r.URL.Path == doorStyle || r.URL.Path == doorScript:
		serveDoorFile(w, r)
	case r.Method == http.MethodPost && r.URL.Path == doorPost:
		g.enter(w, r)
	case r.URL.Path == g.base+doorVisit:
		g.tellVisit(w, r)
	case !within || path != "" && path[0] != '/':
		g.door(w, r, http.StatusOK, "", r.URL.Path)
	default:
		g.passOn(w, r, path)
	}
}

// passOn lets a request to a page through if its browser has a visit.
func (g *Gate) passOn(w http.ResponseWriter, r *http.Request, path string) {
	v, ok := g.visits.of(r)
	switch {
	case !ok:
		g.door(w, r, http.StatusUnauthorized, "", path)
		return
	case path == "":
		http.Redirect(w, r, g.base+"/", http.StatusSeeOther)
		return
	}
	if r.Method == http.MethodPost {
		r.Body = http.MaxBytesReader(w, r.Body, postMax)
		if why := g.forged(r, v); why != "" {
			g.o.Refused(w, r, http.StatusForbidden, why)
			return
		}
	}
	inner := r.Clone(context.WithValue(r.Context(), formKey{}, v.form))
	inner.URL.Path, inner.URL.RawPath = path, ""
	g.inside.ServeHTTP(w, inner)
}

const postMax = 1 << 20 // bytes of a form

type formKey struct{}

// formField is the name of the field in which a form carries its token.
const formField = "form"

// FormToken returns the token that the forms of the page for this request carry.
func FormToken(r *http.Request) string {
	token, _ := r.Context().Value(formKey{}).(string)
	return token
}

// local returns target if it is the path of a page of this server, else "/".
func local(target string) string {
	u, err := url.Parse(target)
	if err != nil || u.Scheme != "" || u.Host != "" || !strings.HasPrefix(target, "/") || strings.HasPrefix(target, "//") || strings.ContainsAny(target, "\\\r\n\t") {
		return "/"
	}
	return target
}
