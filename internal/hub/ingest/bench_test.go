//go:build unix

package ingest_test

import (
	"fmt"
	"log/slog"
	"os"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"entire/internal/hub/hubtest"
	"entire/internal/hub/index"
	"entire/internal/hub/ingest"
)

// BenchmarkIngest reads HUB_REPOSITORIES (4) repositories of HUB_CHECKPOINTS (5,000) checkpoints over git's protocol into an
// empty PostgreSQL, two at a time.
func BenchmarkIngest(b *testing.B) {
	number := func(name string, n int) int {
		if v, err := strconv.Atoi(os.Getenv(name)); err == nil {
			n = v
		}
		return n
	}
	count, n := number("HUB_REPOSITORIES", 4), number("HUB_CHECKPOINTS", 5000)
	r := hubtest.NewRepository(b, "bench")
	r.Add(n)
	x, err := index.Open(b.Context(), index.Options{Postgres: hubtest.Postgres(b)})
	if err != nil {
		b.Fatal(err)
	}
	defer x.Close()
	for b.Loop() {
		if err := x.Drop(b.Context()); err != nil {
			b.Fatal(err)
		}
		urls := map[string]string{}
		for i := range count {
			urls[fmt.Sprintf("bench%d", i)] = "file://" + r.Dir
		}
		numbers, err := x.Register(b.Context(), urls)
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(count*n)/ingestAll(b, x, r, numbers).Seconds(), "checkpoints/s")
	}
}

// ingestAll reads each repository once, and returns how long all took.
func ingestAll(b *testing.B, x *index.Index, r *hubtest.Repository, numbers map[string]int64) time.Duration {
	run := &ingest.Runner{Every: time.Hour, Workers: 2, Log: slog.New(slog.DiscardHandler)}
	for name, number := range numbers {
		s := &ingest.Source{Number: number, Name: name, URL: "file://" + r.Dir, Folder: b.TempDir(), Environ: r.Env, Index: x, Teams: teams, Now: time.Now}
		run.Sources = append(run.Sources, s)
	}
	var left atomic.Int64
	left.Store(int64(len(numbers)))
	done := make(chan struct{})
	run.Observe = func(_ *ingest.Source, _ ingest.Result, _ time.Duration, err error) {
		if err != nil {
			b.Error(err)
		}
		if left.Add(-1) == 0 {
			close(done)
		}
	}
	began := time.Now()
	go run.Run(b.Context())
	<-done
	return time.Since(began)
}
