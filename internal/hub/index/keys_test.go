//go:build unix

package index_test

import (
	"fmt"
	"net/url"
	"os"
	"strings"
	"testing"

	"entire/internal/hub/hubtest"
	"entire/internal/hub/index"
)

func TestMain(m *testing.M) { os.Exit(hubtest.Run(m)) }

// TestWays: whichever way checkpoints are found, by an index of words or files, in each repository or in all, the answer is
// the one that SQLite gives by reading back in time.
func TestWays(t *testing.T) {
	shop, site := hubtest.NewRepository(t, "shop"), hubtest.NewRepository(t, "website")
	shop.Add(150)
	site.Add(90)
	urls, want := map[string]string{"shop": "file://" + shop.Dir, "website": "file://" + site.Dir}, map[string]int{"shop": 150, "website": 90}
	address := hubtest.Postgres(t)
	hubtest.Serve(t, urls, hubtest.Options{Postgres: address}).Await(want)
	lite := hubtest.Serve(t, urls, hubtest.Options{})
	lite.Await(want)
	defer index.SetBounds(index.SetBounds(0, 0))
	expected, found := map[string]string{}, 0
	for _, q := range lists() {
		expected[q] = all(t, lite, q)
		if strings.Contains(expected[q], `"repository":"shop"`) {
			found++
		}
	}
	if found < len(expected)/2 {
		t.Errorf("only %d of %d lists have something", found, len(expected))
	}
	for _, bounds := range [][4]int{{0, 0, 0, 0}, {10_000, 200, 5000, 16}, {0, 200, 0, 16}, {10_000, 0, 30, 0}, {40, 200, 60, 16}} {
		index.SetBounds(bounds[0], bounds[1])
		s := hubtest.Serve(t, urls, hubtest.Options{Postgres: fmt.Sprintf("%s options='-c hub.few=%d -c hub.each=%d'", address, bounds[2], bounds[3])})
		s.Await(want)
		for _, q := range lists() {
			if got := all(t, s, q); got != expected[q] {
				t.Errorf("%v: %s:\n%.300s\nbut SQLite:\n%.300s", bounds, q, got, expected[q])
			}
		}
		s.Stop()
	}
}

// lists are the parameters of lists with and without each kind of filter.
func lists() (list []string) {
	for _, words := range []string{"", "invoice", "ticket7", "invoice -login"} {
		for _, path := range []string{"", "docs/file3.go", "docs/", "services/", "services/pay/"} {
			for _, more := range []string{"", "team=web", "agent=Codex", "branch=main", "author=dev1@web.example&since=2026-01-05", "repository=shop", "branch=nothing"} {
				if (words == "ticket7" || path == "docs/file3.go") && more != "" && more != "branch=nothing" || words+path == "" && more == "" {
					continue
				}
				list = append(list, "q="+url.QueryEscape(words)+"&path="+url.QueryEscape(path)+"&"+more)
			}
		}
	}
	return append(list, "", "until=2026-01-06")
}

// all returns the answers of two pages.
func all(t *testing.T, s *hubtest.Server, q string) string {
	t.Helper()
	status, first := s.Get(s.Tokens["all"], "/api/v1/checkpoints?limit=7&"+q)
	if status != 200 {
		t.Fatalf("%s: %d %s", q, status, first)
	}
	_, after, found := strings.Cut(first, `"next":"`)
	if !found {
		return first
	}
	after, _, _ = strings.Cut(after, `"`)
	_, second := s.Get(s.Tokens["all"], "/api/v1/checkpoints?limit=7&"+q+"&after="+after)
	return first + second
}
