package serve

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"
)

const (
	endWithin  = 25 * time.Second       // less than the 30 seconds after which Kubernetes kills
	drainFirst = 500 * time.Millisecond // so that a balancer sees /readyz say no before the listener closes
)

// Serve answers requests at l, and for metrics at m unless that is nil, and keeps the index up to date, until ctx ends.
func (h *Hub) Serve(ctx context.Context, l, m net.Listener) error {
	reading, stop := context.WithCancel(ctx)
	defer stop()
	var all sync.WaitGroup
	all.Go(func() { h.Runner.Run(reading) })
	servers := []*http.Server{h.server(ctx, h.handlerFor())}
	failed := make(chan error, 2)
	go func() { failed <- servers[0].Serve(l) }()
	if m != nil {
		servers = append(servers, h.server(ctx, h.metricsHandler()))
		go func() { failed <- servers[1].Serve(m) }()
	}
	h.world.Log.Info("serving", "address", l.Addr().String(), "repositories", len(h.Service.Names), "postgres", h.Index.Postgres())
	var err error
	select {
	case <-ctx.Done():
	case err = <-failed:
	}
	h.ending.Store(true)
	h.world.Log.Info("ending")
	stop()
	err = errors.Join(err, h.end(ctx, servers))
	all.Wait()
	h.world.Log.Info("ended")
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}

// end lets requests finish.
func (h *Hub) end(ctx context.Context, servers []*http.Server) error {
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), endWithin)
	defer cancel()
	select {
	case <-time.After(drainFirst):
	case <-last.Done():
	}
	var errs []error
	for _, s := range servers {
		if err := s.Shutdown(last); err != nil {
			errs = append(errs, err, s.Close())
		}
	}
	return errors.Join(errs...)
}

// server returns a server with limits of time and size. Its requests outlive ctx, until they are finished.
func (h *Hub) server(ctx context.Context, handler http.Handler) *http.Server {
	return &http.Server{
		Handler: handler, BaseContext: func(net.Listener) context.Context { return context.WithoutCancel(ctx) },
		ReadHeaderTimeout: 10 * time.Second, ReadTimeout: 30 * time.Second, WriteTimeout: time.Minute, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 32 << 10,
		ErrorLog: slog.NewLogLogger(h.world.Log.Handler(), slog.LevelWarn),
	}
}
