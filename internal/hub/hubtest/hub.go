//go:build unix

package hubtest

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net"
	"net/http"
	"path/filepath"
	"testing"
	"time"

	"entire/internal/hub/access"
	"entire/internal/hub/serve"
	"entire/internal/hub/settings"
	"entire/internal/testrepo"
)

// A Server is a hub that serves on a port of this machine until the test ends.
type Server struct {
	*serve.Hub
	URL    string
	Tokens map[string]string // by name; "all" reads everything, and each repository has one of its name

	t     testing.TB
	env   map[string]string
	stop  context.CancelFunc
	ended chan error
}

// Options change a Server.
type Options struct {
	Postgres string // address of the database; "" for SQLite
	Data     string // the folder of the mirrors; "" for one of the test's
	Change   func(*settings.Hub, map[string]string)
	Client   *http.Client
	Log      io.Writer
}

// Token returns a token and what the configuration says of it: always the same, so that several hubs of a test have the same.
func Token(name string) (token, sum string) { return access.TokenOf("hubtest " + name) }

// Serve starts a hub for repositories, whose URLs are given by name.
func Serve(t testing.TB, urls map[string]string, o Options) *Server {
	t.Helper()
	conf := &settings.Hub{Listen: "127.0.0.1:0", Data: o.Data, Poll: settings.Duration(50 * time.Millisecond), Limits: settings.Limits{PerSecond: 1e6, Burst: 1e6},
		Teams: []settings.Team{{Name: "pay", Paths: []string{"services/pay"}}, {Name: "web", Authors: []string{"@web.example"}}, {Name: "core", Authors: []string{"@core.example"}}}}
	if o.Data == "" {
		conf.Data = filepath.Join(t.TempDir(), "data")
	}
	s := &Server{t: t, Tokens: map[string]string{}, env: map[string]string{}}
	token := func(name string, repositories ...string) {
		token, sum := Token(name)
		s.Tokens[name] = token
		conf.Tokens = append(conf.Tokens, settings.Token{Name: name, SHA256: sum, Repositories: repositories})
	}
	token("all", settings.Everything)
	for name, url := range urls {
		conf.Repositories = append(conf.Repositories, settings.Repository{Name: name, URL: url})
		token(name, name)
	}
	if o.Postgres != "" {
		conf.DatabaseEnv, s.env["HUB_DATABASE"] = "HUB_DATABASE", o.Postgres
	}
	if o.Change != nil {
		o.Change(conf, s.env)
	}
	conf.Complete()
	s.start(conf, o)
	return s
}

func (s *Server) start(conf *settings.Hub, o Options) {
	s.t.Helper()
	log := slog.New(slog.DiscardHandler)
	if o.Log != nil {
		log = slog.New(slog.NewJSONHandler(o.Log, nil))
	}
	ctx, stop := context.WithCancel(s.t.Context())
	home := testrepo.NewHome(s.t)
	h, err := serve.New(ctx, conf, serve.World{Environ: testrepo.Environ(home), Getenv: func(name string) string { return s.env[name] }, Now: time.Now, Log: log, Version: "test", Client: o.Client})
	if err != nil {
		s.t.Fatal(err)
	}
	l, err := net.Listen("tcp", conf.Listen)
	if err != nil {
		s.t.Fatal(err)
	}
	s.Hub, s.URL, s.stop, s.ended = h, "http://"+l.Addr().String(), stop, make(chan error, 1)
	go func() { s.ended <- h.Serve(ctx, l, nil) }()
	s.t.Cleanup(s.Stop)
}

// Stop ends the hub in order.
func (s *Server) Stop() {
	if s.stop == nil {
		return
	}
	s.stop()
	if err := <-s.ended; err != nil {
		s.t.Error(err)
	}
	s.Close()
	s.stop = nil
}

// Get asks with a token ("" for none) and returns the status and the answer.
func (s *Server) Get(token, path string) (int, string) {
	s.t.Helper()
	r, err := http.NewRequest(http.MethodGet, s.URL+path, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	return s.Do(r)
}

// Do sends a request and returns the status and the answer.
func (s *Server) Do(r *http.Request) (int, string) {
	s.t.Helper()
	res, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return res.StatusCode, string(body)
}

// Await waits until the repositories have as many checkpoints in the index as wanted.
func (s *Server) Await(want map[string]int) {
	s.t.Helper()
	s.AwaitFor(want, 2*time.Minute)
}

// AwaitFor is Await with another patience.
func (s *Server) AwaitFor(want map[string]int, patience time.Duration) {
	s.t.Helper()
	var last string
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		var got struct {
			Repositories []struct {
				Name        string
				Checkpoints int
				IndexedAt   time.Time `json:"indexed_at"`
			}
		}
		_, last = s.Get(s.Tokens["all"], "/api/v1/repositories")
		if json.Unmarshal([]byte(last), &got) != nil {
			continue
		}
		fits := len(got.Repositories) == len(want)
		for _, r := range got.Repositories {
			fits = fits && r.Checkpoints == want[r.Name] && !r.IndexedAt.IsZero()
		}
		if fits {
			return
		}
	}
	s.t.Fatalf("waited for %v; the hub has %s", want, last)
}
