package ingest

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"entire/internal/hub/index"
)

// A Runner keeps the index equal to its sources.
type Runner struct {
	Sources []*Source
	Every   time.Duration
	Workers int
	Log     *slog.Logger
	// Observe is called after each Sync; nil for nothing.
	Observe func(s *Source, r Result, took time.Duration, err error)

	once  sync.Once
	wakes map[string]chan struct{}
}

func (r *Runner) prepare() {
	r.once.Do(func() {
		r.wakes = map[string]chan struct{}{}
		for _, s := range r.Sources {
			r.wakes[s.Name] = make(chan struct{}, 1)
		}
	})
}

// Wake makes the runner read a repository soon. Many calls before it does are one. It reports whether there is such a
// repository.
func (r *Runner) Wake(name string) bool {
	r.prepare()
	wake, ok := r.wakes[name]
	if ok {
		select {
		case wake <- struct{}{}:
		default:
		}
	}
	return ok
}

// Run reads every repository now, when it is woken, and again after a while, until ctx ends. A repository that fails is
// tried again, later each time.
func (r *Runner) Run(ctx context.Context) {
	r.prepare()
	slots := make(chan struct{}, max(r.Workers, 1))
	var all sync.WaitGroup
	for _, s := range r.Sources {
		all.Go(func() { r.follow(ctx, s, slots) })
	}
	all.Wait()
}

// follow keeps one repository up to date.
func (r *Runner) follow(ctx context.Context, s *Source, slots chan struct{}) {
	failures := 0
	for ctx.Err() == nil {
		select {
		case slots <- struct{}{}:
		case <-ctx.Done():
			return
		}
		err := r.one(ctx, s)
		<-slots
		wait := r.Every
		switch {
		case errors.Is(err, ErrBusy), errors.Is(err, index.ErrMoved):
			wait = min(wait, 5*time.Second) // what it reads may be older than what woke us
		case err != nil:
			failures++
			wait = min(r.Every<<min(failures, 5), 15*time.Minute)
		default:
			failures = 0
		}
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-r.wakes[s.Name]:
			timer.Stop()
		case <-ctx.Done():
			timer.Stop()
		}
	}
}

func (r *Runner) one(ctx context.Context, s *Source) error {
	began := s.Now()
	res, err := s.Sync(ctx)
	took := s.Now().Sub(began)
	if r.Observe != nil {
		r.Observe(s, res, took, err)
	}
	switch {
	case errors.Is(err, ErrBusy), ctx.Err() != nil:
	case err != nil:
		r.Log.Error("sync failed", "repository", s.Name, "error", err.Error(), "took", took.String())
	case !res.Same:
		r.Log.Info("synced", "repository", s.Name, "added", res.Added, "removed", res.Removed, "took", took.String())
	}
	return err
}
