package gate

import (
	"crypto/sha256"
	"net/http"
	"sync"
	"time"
)

// The maps are keyed by hashes, so that looking a value up tells nothing about the others.
type digest [sha256.Size]byte

func digestOf(secret string) digest { return sha256.Sum256([]byte(secret)) }

// tokens are those that no browser has used.
type tokens struct {
	mu    sync.Mutex
	until map[digest]time.Time // zero for ever
}

func (t *tokens) add(token string, until time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.until == nil {
		t.until = map[digest]time.Time{}
	}
	t.until[digestOf(token)] = until
}

// use reports whether a token is valid, and makes it invalid.
func (t *tokens) use(token string, now time.Time) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	key := digestOf(token)
	until, ok := t.until[key]
	delete(t.until, key)
	return ok && (until.IsZero() || now.Before(until))
}

// A visit is what a browser got for a token.
type visit struct {
	form  string // carried by every form
	began int    // number of the visit
}

// visitsMax bounds the browsers; the oldest has to enter again.
const visitsMax = 64

type visits struct {
	mu  sync.Mutex
	all map[digest]visit
	n   int
}

func (v *visits) add(cookie, form string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.all == nil {
		v.all = map[digest]visit{}
	}
	v.n++
	v.all[digestOf(cookie)] = visit{form, v.n}
	for key, one := range v.all {
		if one.began <= v.n-visitsMax {
			delete(v.all, key)
		}
	}
}

// cookieName is also sent by programs on other ports, which may set it; so each of that name is tried.
const cookieName = "entire"

func (v *visits) of(r *http.Request) (visit, bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, c := range r.CookiesNamed(cookieName) {
		if one, ok := v.all[digestOf(c.Value)]; ok {
			return one, true
		}
	}
	return visit{}, false
}
