package web

import (
	"context"
	"io"
	"log"
	"net"
	"net/http"
	"strconv"
	"time"

	"entire/internal/cli/cliui"
	"entire/internal/cli/web/gate"
	"entire/internal/cli/web/pages"
	"entire/internal/cli/web/view"
)

// Options are what a person chooses.
type Options struct {
	Port     int // 0 for any free one
	ReadOnly bool
	Zone     *time.Location
	Entered  func(*Server) // called when a browser has entered
}

// A Server serves the pages of one worktree.
type Server struct {
	Origin string
	*gate.Gate
	pages    *pages.Pages
	listener net.Listener
	cancel   context.CancelFunc
}

// Start opens the worktree around the current directory and listens. Requests are answered by Serve.
func Start(ctx context.Context, env *cliui.Env, o Options) (*Server, error) {
	l, origin, err := gate.Listen(ctx, strconv.Itoa(o.Port))
	if err != nil {
		return nil, cliui.Failf("choose another with --port, or leave it out", "listen on port %d: %w", o.Port, err)
	}
	ctx, cancel := context.WithCancel(ctx)
	s := &Server{Origin: origin, listener: l, cancel: cancel}
	inside := &struct{ http.Handler }{} // known after the gate, whose folder is part of every page
	s.Gate = gate.New(gate.Options{Origin: origin, ReadOnly: o.ReadOnly, Now: env.Now, Entered: func() {
		if o.Entered != nil {
			o.Entered(s)
		}
	}}, inside)
	links := view.Links{Base: s.Base()}
	views := view.New(view.Options{Links: links, Zone: o.Zone, Now: env.Now, ReadOnly: o.ReadOnly})
	s.pages, err = pages.Open(ctx, pages.Options{Env: env, Views: views, Links: links, ReadOnly: o.ReadOnly, Form: gate.FormToken})
	if err != nil {
		cancel()
		l.Close()
		return nil, err
	}
	inside.Handler = s.pages
	return s, nil
}

// Serve answers requests until ctx ends, and closes everything.
func (s *Server) Serve(ctx context.Context) error {
	defer s.pages.Close()
	defer s.cancel()
	return gate.Serve(ctx, s.listener, s.Gate, log.New(io.Discard, "", 0))
}
