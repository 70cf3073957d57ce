package hubserver

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"

	"entire/internal/cli/cliui"
	"entire/internal/cli/hubcmd"
	"entire/internal/durable"
	"entire/internal/git"
	"entire/internal/hub/access"
	"entire/internal/hub/index"
	"entire/internal/hub/serve"
	"entire/internal/hub/settings"
	"entire/internal/term"
)

// Actions returns what the commands do.
func Actions(env *cliui.Env) hubcmd.Actions {
	s := &server{env}
	return hubcmd.Actions{Serve: s.serve, Rebuild: s.rebuild, Check: s.check, Export: s.export, Token: s.token}
}

// maxConfig is the most bytes of a configuration that are read.
const maxConfig = 4 << 20

type server struct{ env *cliui.Env }

// configuration reads the configuration that the options or the environment name.
func (s *server) configuration(o hubcmd.Options) (*settings.Hub, error) {
	path := o.Config
	if path == "" {
		path = s.env.Getenv("ENTIRE_HUB_CONFIG")
	}
	if path == "" {
		return nil, cliui.Failf("name a file with --config; to try the hub out: `entire hub serve --try .`", "there is no configuration")
	}
	path, err := s.env.Abs(path)
	if err != nil {
		return nil, err
	}
	data, err := durable.Read(path, maxConfig)
	if err != nil {
		return nil, cliui.Failf("docs/hub.md has an example", "read the configuration: %w", err)
	}
	conf, err := settings.Read(data)
	if err != nil {
		return nil, cliui.Failf("docs/hub.md lists the members", "%s: %w", cliui.ShownName(path), err)
	}
	if !filepath.IsAbs(conf.Data) {
		conf.Data = filepath.Join(filepath.Dir(path), conf.Data)
	}
	return conf, nil
}

// world returns the surroundings of a hub.
func (s *server) world() serve.World {
	return serve.World{Environ: s.env.Environ, Getenv: s.env.Getenv, Now: s.env.Now, Version: s.env.Version,
		Log: slog.New(slog.NewJSONHandler(term.Raw(s.env.Err), nil))}
}

// serve answers requests until ctx ends.
func (s *server) serve(ctx context.Context, o hubcmd.Options) error {
	if o.Try != "" {
		return s.try(ctx, o)
	}
	conf, err := s.configuration(o)
	if err != nil {
		return err
	}
	if o.Listen != "" {
		conf.Listen = o.Listen
	}
	if len(conf.Tokens) == 0 && conf.OIDC == nil {
		return cliui.Failf("`entire hub token` makes one", "the configuration lets nobody in: it has neither tokens nor oidc")
	}
	return s.run(ctx, conf, s.world(), func(string) {})
}

// run listens and serves.
func (s *server) run(ctx context.Context, conf *settings.Hub, w serve.World, started func(address string)) error {
	h, err := patiently(ctx, conf, w)
	if err != nil {
		return err
	}
	defer h.Close()
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", conf.Listen)
	if err != nil {
		return cliui.Failf("choose another address with --listen", "listen on %s: %w", conf.Listen, err)
	}
	defer l.Close()
	var m net.Listener
	if conf.MetricsOn != "" {
		if m, err = lc.Listen(ctx, "tcp", conf.MetricsOn); err != nil {
			return fmt.Errorf("listen on %s for metrics: %w", conf.MetricsOn, err)
		}
		defer m.Close()
	}
	started(l.Addr().String())
	return h.Serve(ctx, l, m)
}

// startPatience is how long a hub that starts waits for its database, which may be starting as well.
const startPatience = time.Minute

// patiently makes a hub as soon as the database answers.
func patiently(ctx context.Context, conf *settings.Hub, w serve.World) (*serve.Hub, error) {
	for end := w.Now().Add(startPatience); ; {
		h, err := serve.New(ctx, conf, w)
		if err == nil || !index.Unreachable(err) || ctx.Err() != nil || w.Now().After(end) {
			return h, err
		}
		w.Log.Warn("the database does not answer yet", "error", err.Error())
		if err := durable.Pause(ctx, time.Second); err != nil {
			return nil, err
		}
	}
}

var notInName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[^A-Za-z0-9._-]+`) })

// try shows a person's own repository, with an index that is gone afterwards.
func (s *server) try(ctx context.Context, o hubcmd.Options) error {
	var err error
	if o.Try, err = s.env.Abs(o.Try); err != nil {
		return err
	}
	repo, err := git.Discover(ctx, o.Try, s.env.Environ)
	if errors.Is(err, git.ErrNotRepository) {
		return cliui.Failf("name the folder of a repository where Entire is enabled", "%s is not in a git repository", cliui.ShownName(o.Try))
	}
	if err != nil {
		return err
	}
	where := repo.Dir()
	repo.Close()
	data, err := os.MkdirTemp("", "entire-hub-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(data)
	token, sum := access.NewToken()
	name := strings.TrimLeft(notInName().ReplaceAllString(filepath.Base(where), "-"), "._-")
	if name == "" {
		name = "repository"
	}
	conf := &settings.Hub{Listen: "127.0.0.1:0", Data: data, Poll: settings.Duration(5 * time.Second), Repositories: []settings.Repository{{Name: name, URL: where}},
		Tokens: []settings.Token{{Name: "try", SHA256: sum, Repositories: []string{settings.Everything}}}}
	if o.Listen != "" {
		conf.Listen = o.Listen
	}
	conf.Complete()
	w := s.world()
	w.Try, w.Log = where, slog.New(slog.NewJSONHandler(term.Raw(s.env.Err), &slog.HandlerOptions{Level: slog.LevelWarn}))
	return s.run(ctx, conf, w, func(address string) {
		fmt.Fprintf(s.env.Out, "The checkpoints of %s are at http://%s\nThe token to log in with: %s\nCtrl-C ends it and removes its index.\n", cliui.ShownName(where), address, token)
		s.env.Flush()
	})
}
