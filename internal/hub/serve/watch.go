package serve

import (
	"crypto/rand"
	"encoding/hex"
	"net/http"
	"runtime/debug"
)

// An answer notes what was sent.
type answer struct {
	http.ResponseWriter
	status int
	size   int64
}

func (a *answer) WriteHeader(status int) {
	if a.status == 0 {
		a.status = status
	}
	a.ResponseWriter.WriteHeader(status)
}

func (a *answer) Write(p []byte) (int, error) {
	if a.status == 0 {
		a.status = http.StatusOK
	}
	n, err := a.ResponseWriter.Write(p)
	a.size += int64(n)
	return n, err
}

// watched logs and counts every request, and survives a failure of the program in one. The log has the path and not the
// parameters, which may have words of a person.
func (h *Hub) watched(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began, a := h.world.Now(), &answer{ResponseWriter: w}
		id := requestID()
		w.Header().Set("X-Request-Id", id)
		defer func() {
			if why := recover(); why != nil {
				h.world.Log.Error("the program failed", "request", id, "path", r.URL.Path, "why", why, "stack", string(debug.Stack()))
				if a.status == 0 {
					http.Error(a, "The hub failed. Its log says why.", http.StatusInternalServerError)
				}
			}
			took := h.world.Now().Sub(began)
			h.metrics.answered(r, a.status, took)
			if r.URL.Path != "/healthz" && r.URL.Path != "/readyz" && r.URL.Path != "/metrics" {
				h.world.Log.Info("request", "request", id, "method", r.Method, "path", clip(r.URL.Path), "status", a.status, "bytes", a.size, "ms", took.Milliseconds())
			}
		}()
		next.ServeHTTP(a, r)
	})
}

func clip(s string) string { return s[:min(len(s), 300)] }

func requestID() string {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}
