package serve

import (
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"entire/internal/hub/access"
	"entire/internal/hub/settings"
)

// A limiter counts the requests of each asker.
type limiter struct {
	conf settings.Limits
	now  func() time.Time

	mu     sync.Mutex
	askers map[string]*asker
}

type asker struct {
	*rate.Limiter
	last time.Time
}

// maxAskers bounds the memory for them; those who asked longest ago are forgotten.
const maxAskers = 10_000

func newLimiter(conf settings.Limits, now func() time.Time) *limiter {
	return &limiter{conf: conf, now: now, askers: map[string]*asker{}}
}

// allow reports whether an asker may ask now.
func (l *limiter) allow(name string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	a := l.askers[name]
	if a == nil {
		if len(l.askers) >= maxAskers {
			l.forget(now)
		}
		a = &asker{Limiter: rate.NewLimiter(rate.Limit(l.conf.PerSecond), l.conf.Burst)}
		l.askers[name] = a
	}
	a.last = now
	return a.AllowN(now, 1)
}

func (l *limiter) forget(now time.Time) {
	for name, a := range l.askers {
		if now.Sub(a.last) > time.Minute {
			delete(l.askers, name)
		}
	}
	if len(l.askers) >= maxAskers {
		clear(l.askers)
	}
}

// limited answers those who ask too often with 429. Probes are not counted.
func (h *Hub) limited(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/healthz" || r.URL.Path == "/readyz" || strings.HasPrefix(r.URL.Path, "/assets/") || h.limits.allow(who(r)) {
			next.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Retry-After", "1")
		http.Error(w, "Too many requests. Wait a second.", http.StatusTooManyRequests)
	})
}

// who names the asker: a principal, or for nobody the address.
func who(r *http.Request) string {
	if p := access.Of(r.Context()); p.Known() {
		return p.Kind + " " + p.Name + " " + p.Email
	}
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	return host
}
