package serve

import (
	"context"
	"net/http"
	"time"

	"entire/internal/hub/access"
	"entire/internal/hub/api"
)

// handlerFor answers all requests.
func (h *Hub) handlerFor() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { plain(w, http.StatusOK, "alive") })
	mux.HandleFunc("GET /readyz", h.ready)
	mux.HandleFunc("POST /hooks/{repository}", h.webhook)
	mux.Handle("GET /metrics", h.known(h.metrics.handler()))
	mux.Handle("/api/", h.Service.Handler(h.world.Log))
	mux.Handle("/", h.pages)
	return h.watched(protected(h.recognised(h.limited(mux))))
}

// metricsHandler answers at the second address, which nobody but the collector should reach.
func (h *Hub) metricsHandler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", h.metrics.handler())
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { plain(w, http.StatusOK, "alive") })
	mux.HandleFunc("GET /readyz", h.ready)
	return mux
}

func plain(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(text + "\n"))
}

// ready says whether this replica should get requests.
func (h *Hub) ready(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), 2*time.Second)
	defer cancel()
	switch {
	case h.ending.Load():
		plain(w, http.StatusServiceUnavailable, "ending")
	case h.Index.Ping(ctx) != nil:
		plain(w, http.StatusServiceUnavailable, "the database does not answer")
	default:
		plain(w, http.StatusOK, "ready")
	}
}

// recognised finds out who a request is from.
func (h *Hub) recognised(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(w, r.WithContext(access.With(r.Context(), h.door.Principal(r))))
	})
}

// known lets only requests of somebody through.
func (h *Hub) known(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if p := access.Of(r.Context()); !p.Known() || !p.MayReadAll() {
			api.Refuse(w, r, h.world.Log, api.Unknown())
			return
		}
		next.ServeHTTP(w, r)
	})
}

// protected sets the headers of every answer.
func protected(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		head := w.Header()
		head.Set("Content-Security-Policy", "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'")
		head.Set("X-Content-Type-Options", "nosniff")
		head.Set("X-Frame-Options", "DENY")
		head.Set("Referrer-Policy", "same-origin")
		head.Set("Cross-Origin-Opener-Policy", "same-origin")
		head.Set("Cross-Origin-Resource-Policy", "same-origin")
		head.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=()")
		head.Set("Cache-Control", "no-store")
		if r.TLS != nil || r.Header.Get("X-Forwarded-Proto") == "https" {
			head.Set("Strict-Transport-Security", "max-age=31536000")
		}
		next.ServeHTTP(w, r)
	})
}
