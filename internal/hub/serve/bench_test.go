//go:build unix

package serve_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime/pprof"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"entire/internal/hub/hubtest"
	"entire/internal/hub/index"
	"entire/internal/hub/settings"
)

// TestBench measures a hub with HUB_REPOSITORIES repositories of HUB_CHECKPOINTS checkpoints each: reading all of them into an
// empty PostgreSQL, as `entire hub rebuild` does, and then questions. With HUB_COPIES, the rows of each repository are first
// copied so many times, to ask a larger index. HUB_DATABASE is the address of a database that stays; one that a former run
// has filled is only asked. HUB_ANSWERS is a file of answers to compare. It asserts nothing about time; `make hub-bench` prints it.
func TestBench(t *testing.T) {
	repositories, _ := strconv.Atoi(os.Getenv("HUB_REPOSITORIES"))
	checkpoints, _ := strconv.Atoi(os.Getenv("HUB_CHECKPOINTS"))
	if repositories < 1 || checkpoints < 1 {
		t.Skip("`make hub-bench` sets HUB_REPOSITORIES and HUB_CHECKPOINTS")
	}
	o := hubtest.Options{Postgres: os.Getenv("HUB_DATABASE"), Data: t.TempDir(), Change: func(h *settings.Hub, _ map[string]string) { h.Poll = settings.Duration(10 * time.Hour) }}
	if o.Postgres == "" {
		o.Postgres = hubtest.Postgres(t)
	}
	r := hubtest.NewRepository(t, "bench")
	urls, want := filled(t, o.Postgres), map[string]int{}
	for name := range urls {
		want[name] = checkpoints
	}
	if len(urls) == 0 {
		r.Add(checkpoints)
		fill(t, o, r, repositories, urls, want)
	}
	s := hubtest.Serve(t, urls, o)
	s.AwaitFor(want, time.Hour)
	t.Logf("the index has %d checkpoints", len(urls)*checkpoints)
	if err := s.Index.Analyze(t.Context()); err != nil {
		t.Fatal(err)
	}
	sameAnswers(t, s, r)
	ask(t, s, newCosts(t, o.Postgres), r, checkpoints)
}

// sameAnswers compares the answers with those in the file HUB_ANSWERS, which it writes if there is none: so that an index can be
// compared with one that was made again after its database was dropped.
func sameAnswers(t *testing.T, s *hubtest.Server, r *hubtest.Repository) {
	path := os.Getenv("HUB_ANSWERS")
	if path == "" {
		return
	}
	got := map[string]string{}
	for _, q := range questions(r) {
		if q = strings.NewReplacer("shop", "repository02", "secret", "repository03").Replace(q); q != "/api/v1/repositories" {
			_, got[q] = s.Get(s.Tokens["all"], q)
		}
	}
	data, err := os.ReadFile(path)
	if err != nil {
		if data, err = json.Marshal(got); err == nil {
			err = os.WriteFile(path, data, 0o600)
		}
		t.Logf("%d answers kept in %s: %v", len(got), path, err)
		return
	}
	var before map[string]string
	if err := json.Unmarshal(data, &before); err != nil {
		t.Fatal(err)
	}
	compare(t, before, got)
	t.Logf("%d answers compared with those in %s; failed so far: %v", len(got), path, t.Failed())
}

// filled returns the repositories that a database has, with their addresses.
func filled(t *testing.T, address string) map[string]string {
	t.Helper()
	x, err := index.Open(t.Context(), index.Options{Postgres: address})
	if err != nil {
		t.Fatal(err)
	}
	x.Close()
	conn, err := pgx.Connect(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	rows, err := conn.Query(t.Context(), "SELECT name, url FROM repository")
	if err != nil {
		t.Fatal(err)
	}
	urls, name, url := map[string]string{}, "", ""
	if _, err := pgx.ForEachRow(rows, []any{&name, &url}, func() error { urls[name] = url; return nil }); err != nil {
		t.Fatal(err)
	}
	return urls
}

// fill reads repositories into an empty index, and copies their rows.
func fill(t *testing.T, o hubtest.Options, r *hubtest.Repository, repositories int, urls map[string]string, want map[string]int) {
	checkpoints := r.Count()
	for i := range repositories {
		name := fmt.Sprintf("repository%02d", i)
		urls[name], want[name] = "file://"+r.Dir, checkpoints
	}
	c := newCosts(t, o.Postgres)
	stop := profiled(t)
	s := hubtest.Serve(t, urls, o)
	s.AwaitFor(want, 3*time.Hour)
	stop()
	took, hub, database := c.since()
	n := repositories * checkpoints
	each := func(d time.Duration) string { return fmt.Sprintf("%.0f µs", float64(d.Microseconds())/float64(n)) }
	t.Logf("%d checkpoints of %d repositories read in %s: %.0f a second; processor time for each: hub and git %s, database %s; two idle cores would read %.0f a second", n, repositories,
		took.Round(time.Second), float64(n)/took.Seconds(), each(hub), each(database), 2*float64(n)/(hub+database).Seconds())
	if problems, err := s.Index.Check(t.Context()); err != nil || len(problems) > 0 {
		t.Errorf("%v %v", problems, err)
	}
	s.Stop()
	copies, _ := strconv.Atoi(os.Getenv("HUB_COPIES"))
	for i := range repositories * copies {
		base, name := fmt.Sprintf("repository%02d", i%repositories), fmt.Sprintf("repository%02d", repositories+i)
		urls[name], want[name] = urls[base], checkpoints
		duplicate(t, o.Postgres, base, name)
	}
}

// profiled writes a profile of this process's processor time to the file HUB_PROFILE, until it is stopped.
func profiled(t *testing.T) (stop func()) {
	path := os.Getenv("HUB_PROFILE")
	if path == "" {
		return func() {}
	}
	f, err := os.Create(path)
	if err == nil {
		err = pprof.StartCPUProfile(f)
	}
	if err != nil {
		t.Fatal(err)
	}
	return func() { pprof.StopCPUProfile(); f.Close() }
}

// duplicate gives a repository of the index another name as well, with rows of its own.
func duplicate(t *testing.T, address, base, name string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	if _, err := conn.Exec(t.Context(), "INSERT INTO repository (id, name, url, rules) SELECT $1, $2, url, rules FROM repository WHERE name = $3", index.Number(name), name, base); err != nil {
		t.Fatal(err)
	}
	for _, table := range index.Tables()[1:] {
		var columns []string
		for _, c := range index.Columns(table)[1:] {
			columns = append(columns, c.Name)
		}
		list := strings.Join(columns, ", ")
		if _, err := conn.Exec(t.Context(), fmt.Sprintf("INSERT INTO %s (repo, %s) SELECT $1, %s FROM %s WHERE repo = $2", table, list, list, table), index.Number(name), index.Number(base)); err != nil {
			t.Fatal(err)
		}
	}
}

// ask asks each kind of question with many values, and prints how long the answers took.
func ask(t *testing.T, s *hubtest.Server, c *costs, r *hubtest.Repository, checkpoints int) {
	rng := rand.New(rand.NewPCG(1, 2))
	id := func() string { return r.ID(rng.IntN(checkpoints)) }
	repo := func() string { return fmt.Sprintf("repository%02d", rng.IntN(len(s.Conf.Repositories))) }
	word := func() string { return []string{"invoice", "parser", "cache", "login", "upload", "metric"}[rng.IntN(6)] }
	kinds := []struct {
		what string
		make func() string
	}{
		{"newest checkpoints", func() string { return "/api/v1/checkpoints" }},
		{"search: a common word", func() string { return "/api/v1/checkpoints?q=" + word() }},
		{"search: two words", func() string { return "/api/v1/checkpoints?q=" + word() + "+" + word() }},
		{"search: a rare word", func() string { return fmt.Sprintf("/api/v1/checkpoints?q=ticket%d", rng.IntN(checkpoints)) }},
		{"search in one repository", func() string { return "/api/v1/checkpoints?q=" + word() + "&repository=" + repo() }},
		{"checkpoints of an author", func() string {
			n := rng.IntN(hubtest.People)
			return fmt.Sprintf("/api/v1/checkpoints?author=dev%d@%s.example", n, []string{"pay", "web", "core"}[n%3])
		}},
		{"checkpoints of a team", func() string { return "/api/v1/checkpoints?team=web" }},
		{"checkpoints of a file", func() string { return fmt.Sprintf("/api/v1/checkpoints?path=docs/file%d.go", rng.IntN(40)) }},
		{"checkpoints of a folder", func() string { return "/api/v1/checkpoints?path=internal/auth/" }},
		{"a folder, branch or agent that is not there", func() string {
			return "/api/v1/checkpoints?" + []string{"path=nowhere/", "branch=nothing", "agent=nobody"}[rng.IntN(3)]
		}},
		{"newest of one repository", func() string { return "/api/v1/checkpoints?repository=" + repo() }},
		{"one checkpoint", func() string { return "/api/v1/repositories/" + repo() + "/checkpoints/" + id() }},
		{"repositories", func() string { return "/api/v1/repositories" }},
		{"attribution by path", func() string { return "/api/v1/attribution" }},
		{"attribution by team", func() string { return "/api/v1/attribution?by=team" }},
		{"attribution by author", func() string { return "/api/v1/attribution?by=author" }},
		{"usage by day", func() string { return "/api/v1/usage?by=day" }},
		{"usage by author", func() string { return "/api/v1/usage?by=author" }},
		{"usage by team", func() string { return "/api/v1/usage?by=team" }},
		{"audit", func() string { return "/api/v1/audit" }},
		{"audit of a repository", func() string { return "/api/v1/audit?repository=" + repo() }},
		{"page: search", func() string { return "/search?q=" + word() }},
	}
	var all []time.Duration
	for _, k := range kinds {
		var times []time.Duration
		for i := range 43 {
			if i == 3 {
				c.since()
			}
			path := k.make()
			began := time.Now()
			if status, body := s.Get(s.Tokens["all"], path); status != 200 {
				t.Errorf("%s: %d %.200s", path, status, body)
			}
			if i >= 3 { // the first fill caches
				times = append(times, time.Since(began))
			}
		}
		all = append(all, times...)
		_, hub, database := c.since()
		t.Logf("| %s | %s | %s | %.1f ms |", k.what, ms(times, 50), ms(times, 95), float64((hub+database).Microseconds())/1000/float64(len(times)))
	}
	t.Logf("| all | %s | %s |", ms(all, 50), ms(all, 95))
	if status, err := os.ReadFile("/proc/self/status"); err == nil {
		for line := range strings.Lines(string(status)) {
			if strings.HasPrefix(line, "VmHWM") {
				t.Logf("most memory of this process, with the maker of the repository: %s", strings.TrimSpace(strings.TrimPrefix(line, "VmHWM:")))
			}
		}
	}
}

func ms(times []time.Duration, percent int) string {
	slices.Sort(times)
	return fmt.Sprintf("%.1f ms", float64(times[(len(times)-1)*percent/100].Microseconds())/1000)
}
