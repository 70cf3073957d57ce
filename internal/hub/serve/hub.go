package serve

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"time"

	"entire/internal/hub/access"
	"entire/internal/hub/api"
	"entire/internal/hub/index"
	"entire/internal/hub/ingest"
	"entire/internal/hub/pages"
	"entire/internal/hub/rows"
	"entire/internal/hub/settings"
	"entire/internal/usage"
)

// World is what a hub knows of its surroundings.
type World struct {
	Environ []string // for git
	Getenv  func(string) string
	Now     func() time.Time
	Log     *slog.Logger
	Version string
	Client  *http.Client // for the OIDC provider; nil for the usual one

	// Try is the folder of a person's own repository, which is read and not fetched; "" for a hub.
	Try string
}

// A Hub is one replica.
type Hub struct {
	Conf    *settings.Hub
	Index   *index.Index
	Runner  *ingest.Runner
	Service *api.Service

	world   World
	door    *access.Door
	pages   *pages.Pages
	metrics *metrics
	limits  *limiter
	ending  atomic.Bool
}

// New opens the index and makes a hub. It must be closed.
func New(ctx context.Context, conf *settings.Hub, w World) (*Hub, error) {
	h := &Hub{Conf: conf, world: w, limits: newLimiter(conf.Limits, w.Now)}
	var err error
	if h.door, err = access.NewDoor(conf, access.Options{Now: w.Now, Getenv: w.Getenv, Client: w.Client}); err != nil {
		return nil, err
	}
	for _, r := range conf.Repositories {
		if r.WebhookSecretEnv != "" && w.Getenv(r.WebhookSecretEnv) == "" {
			return nil, fmt.Errorf("the variable %s, which should have the secret of the webhook of %s, is not set", r.WebhookSecretEnv, r.Name)
		}
	}
	if h.Index, err = OpenIndex(ctx, conf, w.Getenv); err != nil {
		return nil, err
	}
	if err := h.prepare(ctx); err != nil {
		h.Close()
		return nil, err
	}
	return h, nil
}

// OpenIndex opens the index of a configuration.
func OpenIndex(ctx context.Context, conf *settings.Hub, getenv func(string) string) (*index.Index, error) {
	o := index.Options{File: filepath.Join(conf.Data, "index.sqlite"), Limit: time.Duration(conf.Limits.Query), Conns: int32(10 + conf.Workers)}
	if conf.DatabaseEnv != "" {
		if o.Postgres = getenv(conf.DatabaseEnv); o.Postgres == "" {
			return nil, fmt.Errorf("the variable %s, which should have the address of PostgreSQL, is not set", conf.DatabaseEnv)
		}
	}
	if err := os.MkdirAll(conf.Data, 0o700); err != nil {
		return nil, fmt.Errorf("make the folder of the mirrors: %w", err)
	}
	return index.Open(ctx, o)
}

// prepare registers the repositories, and makes what answers and what reads.
func (h *Hub) prepare(ctx context.Context) error {
	prices, err := usage.Builtin()
	if err != nil {
		return err
	}
	sources, err := Sources(ctx, h.Conf, h.Index, h.world)
	if err != nil {
		return err
	}
	h.Service = &api.Service{Index: h.Index, Prices: prices}
	for _, s := range sources {
		h.Service.Names = append(h.Service.Names, s.Name)
	}
	h.metrics = newMetrics(h.world.Version)
	h.Runner = &ingest.Runner{Sources: sources, Every: time.Duration(h.Conf.Poll), Workers: h.Conf.Workers, Log: h.world.Log, Observe: h.metrics.synced}
	h.pages, err = pages.New(pages.Options{Service: h.Service, Door: h.door, Teams: teamNames(h.Conf), Log: h.world.Log})
	return err
}

// Sources registers the repositories of a configuration and returns them, by name.
func Sources(ctx context.Context, conf *settings.Hub, x *index.Index, w World) ([]*ingest.Source, error) {
	urls := map[string]string{}
	for _, r := range conf.Repositories {
		urls[r.Name] = r.URL
	}
	numbers, err := x.Register(ctx, urls)
	if err != nil {
		return nil, err
	}
	var list []*ingest.Source
	var errs []error
	for _, r := range conf.Repositories {
		s := &ingest.Source{Number: numbers[r.Name], Name: r.Name, URL: r.URL, User: r.User, Folder: filepath.Join(conf.Data, "mirrors", r.Name),
			Environ: w.Environ, Index: x, Teams: rows.Teams(conf.Teams), Now: w.Now}
		if w.Try != "" {
			s.Local, s.Folder = true, w.Try
		}
		if r.PasswordEnv != "" {
			if s.Password = w.Getenv(r.PasswordEnv); s.Password == "" {
				errs = append(errs, fmt.Errorf("the variable %s, which should have the password for %s, is not set", r.PasswordEnv, r.Name))
			}
		}
		list = append(list, s)
	}
	slices.SortFunc(list, func(a, b *ingest.Source) int { return int(a.Number - b.Number) })
	return list, errors.Join(errs...)
}

func teamNames(conf *settings.Hub) (names []string) {
	for _, t := range conf.Teams {
		names = append(names, t.Name)
	}
	return names
}

// Close ends the connections to the database.
func (h *Hub) Close() {
	if h.Index != nil {
		h.Index.Close()
	}
}
