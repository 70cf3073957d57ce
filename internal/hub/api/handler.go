package api

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"strings"

	"entire/internal/hub/access"
)

//go:embed openapi.json
var document []byte

// Document is the OpenAPI document.
func Document() []byte { return document }

// Handler serves the questions below /api/v1.
func (s *Service) Handler(log *slog.Logger) http.Handler {
	mux := http.NewServeMux()
	get := func(path string, answer func(r *http.Request, p access.Principal) (any, error)) {
		mux.HandleFunc("GET "+path, func(w http.ResponseWriter, r *http.Request) {
			p := access.Of(r.Context())
			if !p.Known() {
				Refuse(w, r, log, Unknown())
				return
			}
			value, err := answer(r, p)
			if err != nil {
				Refuse(w, r, log, err)
				return
			}
			send(w, http.StatusOK, "application/json", value)
		})
	}
	get("/api/v1/me", ask(s.Me))
	get("/api/v1/repositories", ask(s.Repositories))
	get("/api/v1/checkpoints", ask(s.Checkpoints))
	get("/api/v1/attribution", ask(s.Attribution))
	get("/api/v1/usage", ask(s.Usage))
	get("/api/v1/audit", ask(s.Audit))
	get("/api/v1/repositories/{repository}/checkpoints/{id}", func(r *http.Request, p access.Principal) (any, error) {
		if _, err := parameters(r.URL.Query()); err != nil {
			return nil, err
		}
		return s.Checkpoint(r.Context(), p, r.PathValue("repository"), r.PathValue("id"))
	})
	mux.HandleFunc("GET /api/v1/openapi.json", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(document)
	})
	mux.HandleFunc("/api/", func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			w.Header().Set("Allow", "GET, HEAD")
			Refuse(w, r, log, problem(http.StatusMethodNotAllowed, "", "the hub changes nothing: it takes GET"))
			return
		}
		Refuse(w, r, log, problem(http.StatusNotFound, "GET /api/v1/openapi.json describes what there is", "there is nothing at this address"))
	})
	return mux
}

// ask makes an answer of a question whose parameters are all in the address.
func ask[T any](question func(context.Context, access.Principal, url.Values) (T, error)) func(*http.Request, access.Principal) (any, error) {
	return func(r *http.Request, p access.Principal) (any, error) {
		q, err := url.ParseQuery(r.URL.RawQuery)
		if err != nil {
			return nil, problem(http.StatusBadRequest, "", "the parameters cannot be read")
		}
		return question(r.Context(), p, q)
	}
}

// ProblemOf returns what an asker is told of an error. The cause of a failure of ours is for the log.
func ProblemOf(err error) *Problem {
	var p *Problem
	switch {
	case errors.As(err, &p):
		return p
	case errors.Is(err, context.DeadlineExceeded):
		return problem(http.StatusServiceUnavailable, "ask for less: one repository, or fewer months", "the answer took too long")
	}
	return problem(http.StatusServiceUnavailable, "try again later", "the index cannot answer now")
}

// Refuse tells an asker what is wrong.
func Refuse(w http.ResponseWriter, r *http.Request, log *slog.Logger, err error) {
	p := ProblemOf(err)
	if p.Status >= 500 && r.Context().Err() == nil {
		log.Error("request failed", "path", r.URL.Path, "error", err.Error())
	}
	if p.Status == http.StatusUnauthorized && !strings.HasPrefix(r.Header.Get("Accept"), "text/html") {
		w.Header().Set("WWW-Authenticate", `Bearer realm="entire-hub"`)
	}
	send(w, p.Status, "application/problem+json", p)
}

func send(w http.ResponseWriter, status int, kind string, value any) {
	w.Header().Set("Content-Type", kind)
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(value) // whoever asked has gone
}
