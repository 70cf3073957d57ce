//go:build unix

package serve_test

import (
	"io"
	"net/http"
	"os"
	"testing"

	"entire/internal/hub/hubtest"
)

func TestMain(m *testing.M) { os.Exit(hubtest.Run(m)) }

// databases calls test with SQLite, and with PostgreSQL.
func databases(t *testing.T, test func(t *testing.T, o hubtest.Options)) {
	t.Run("sqlite", func(t *testing.T) { test(t, hubtest.Options{}) })
	t.Run("postgres", func(t *testing.T) { test(t, hubtest.Options{Postgres: hubtest.Postgres(t)}) })
}

// two serves two repositories.
func two(t *testing.T, o hubtest.Options) (*hubtest.Server, *hubtest.Repository, *hubtest.Repository) {
	t.Helper()
	shop, secret := hubtest.NewRepository(t, "shop"), hubtest.NewRepository(t, "secret")
	shop.Add(60)
	secret.Add(40)
	s := hubtest.Serve(t, map[string]string{"shop": "file://" + shop.Dir, "secret": "file://" + secret.Dir}, o)
	s.Await(map[string]int{"shop": 60, "secret": 40})
	return s, shop, secret
}

func readAll(t *testing.T, res *http.Response) string {
	t.Helper()
	data, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
