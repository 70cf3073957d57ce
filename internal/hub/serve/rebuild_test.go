//go:build unix

package serve_test

import (
	"path/filepath"
	"testing"
	"time"

	"entire/internal/hub/hubtest"
	"entire/internal/hub/settings"
)

// TestRebuild: an index that was dropped and made again gives the same answers, all of them, in SQLite and PostgreSQL alike.
func TestRebuild(t *testing.T) {
	shop, secret := hubtest.NewRepository(t, "shop"), hubtest.NewRepository(t, "secret")
	urls := map[string]string{"shop": "file://" + shop.Dir, "secret": "file://" + secret.Dir}
	databases(t, func(t *testing.T, o hubtest.Options) {
		s := hubtest.Serve(t, urls, o)
		for range 3 { // it grows while it is served
			shop.Add(20)
			secret.Add(10)
			s.Await(map[string]int{"shop": shop.Count(), "secret": secret.Count()})
		}
		before := answers(s, shop)
		s.Stop()
		s = hubtest.Serve(t, urls, o)
		if err := s.Index.Drop(t.Context()); err != nil {
			t.Fatal(err)
		}
		s.Stop()
		again := o
		again.Data = filepath.Join(t.TempDir(), "data")
		s = hubtest.Serve(t, urls, again)
		s.Await(map[string]int{"shop": shop.Count(), "secret": secret.Count()})
		compare(t, before, answers(s, shop))
	})
	t.Run("sqlite beside postgres", func(t *testing.T) {
		want := map[string]int{"shop": shop.Count(), "secret": secret.Count()}
		lite := hubtest.Serve(t, urls, hubtest.Options{})
		lite.Await(want)
		big := hubtest.Serve(t, urls, hubtest.Options{Postgres: hubtest.Postgres(t)})
		big.Await(want)
		compare(t, answers(lite, shop), answers(big, shop))
	})
}

// answers asks every question, and leaves out when the repositories were fetched.
func answers(s *hubtest.Server, shop *hubtest.Repository) map[string]string {
	got := map[string]string{}
	for _, q := range questions(shop) {
		if q != "/api/v1/repositories" {
			_, got[q] = s.Get(s.Tokens["all"], q)
		}
	}
	return got
}

func compare(t *testing.T, before, after map[string]string) {
	t.Helper()
	if len(before) < 30 {
		t.Errorf("only %d questions", len(before))
	}
	for q, want := range before {
		if after[q] != want {
			t.Errorf("%s:\n%.600s\nbefore:\n%.600s", q, after[q], want)
		}
	}
}

// TestBehindNginx: a hub reads from git's http-backend behind nginx with a password, and answers behind nginx itself.
func TestBehindNginx(t *testing.T) {
	shop := hubtest.NewRepository(t, "shop")
	shop.Add(25)
	folder := filepath.Dir(shop.Dir)
	n := hubtest.ServeNginx(t, folder)
	databases(t, func(t *testing.T, o hubtest.Options) {
		o.Change = func(h *settings.Hub, env map[string]string) {
			r := &h.Repositories[0]
			r.User, r.PasswordEnv, env["PASSWORD"] = n.User, "PASSWORD", n.Password
		}
		s := hubtest.Serve(t, map[string]string{"shop": n.URL + "/git/shop.git"}, o)
		s.Await(map[string]int{"shop": shop.Count()})
		shop.Add(5)
		s.Await(map[string]int{"shop": shop.Count()})
		n.Proxy(folder, s)
		direct := answers(s, shop)
		s.URL = n.URL
		for end := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) { // until the new configuration is used
			if status, _ := s.Get("", "/healthz"); status == 200 {
				break
			}
			if time.Now().After(end) {
				t.Fatal("nginx does not reach the hub")
			}
		}
		compare(t, direct, answers(s, shop))
		if status, _ := s.Get("", "/api/v1/me"); status != 401 {
			t.Errorf("without a token: %d", status)
		}
	})
}

// TestOverHTTP: a hub reads from git's http-backend with a password, and reads again when a webhook tells it to.
func TestOverHTTP(t *testing.T) {
	shop := hubtest.NewRepository(t, "shop")
	shop.Add(15)
	g := hubtest.ServeGit(t, filepath.Dir(shop.Dir), shop.Env)
	s := hubtest.Serve(t, map[string]string{"shop": g.URL + "/shop.git"}, hubtest.Options{Change: func(h *settings.Hub, env map[string]string) {
		h.Poll = settings.Duration(time.Hour)
		r := &h.Repositories[0]
		r.User, r.PasswordEnv, env["PASSWORD"] = g.User, "PASSWORD", g.Password
		r.Forge, r.WebhookSecretEnv, env["SECRET"] = "gitea", "SECRET", "hook secret"
	}})
	s.Await(map[string]int{"shop": 15})
	shop.Add(5)
	if status, body := s.Do(hook(t, s, "shop", "gitea", "hook secret", "{}")); status != 202 {
		t.Errorf("%d %s", status, body)
	}
	s.Await(map[string]int{"shop": 20})
}
