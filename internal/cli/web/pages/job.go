package pages

import (
	"context"
	"net/http"
	"sync"
	"time"
)

// jobWait is how long a page waits for work that may take a minute. Then it says how far the work has come, and
// loads itself again.
const jobWait = 1500 * time.Millisecond

// A job is work that goes on when the browser that asked for it has gone. It runs once at a time.
type job[T any] struct {
	mu      sync.Mutex
	running chan struct{} // closed when it has ended; nil while nothing runs
	value   T
	err     error
	told    string // how far it has come
	version int64  // of the repository when the work began, for keep; 0 for none
}

// kept returns what the work found last, if that was for the same version of the repository.
func (j *job[T]) kept(version int64) (value T, ok bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.value, j.running == nil && j.err == nil && version != 0 && j.version == version
}

// keep marks what the work finds as that of a version of the repository.
func (j *job[T]) keep(version int64) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.running == nil {
		j.version = version
	}
}

// works are the jobs that run. They end with the server, not with the request that began them.
type works struct {
	ctx context.Context
	sync.WaitGroup
}

// run begins the work, unless it runs, and waits for a while. done is false if it has not ended by then.
func (j *job[T]) run(ctx context.Context, all *works, do func(ctx context.Context, tell func(string)) (T, error)) (value T, done bool, err error) {
	j.mu.Lock()
	if j.running == nil {
		j.running, j.told = make(chan struct{}), ""
		all.Go(func() { j.work(all.ctx, do) })
	}
	running := j.running
	j.mu.Unlock()
	timer := time.NewTimer(jobWait)
	defer timer.Stop()
	select {
	case <-running:
	case <-timer.C:
		return value, false, nil
	case <-ctx.Done():
		return value, false, ctx.Err()
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.value, true, j.err
}

func (j *job[T]) work(ctx context.Context, do func(context.Context, func(string)) (T, error)) {
	value, err := do(ctx, func(told string) {
		j.mu.Lock()
		defer j.mu.Unlock()
		j.told = told
	})
	j.mu.Lock()
	defer j.mu.Unlock()
	j.value, j.err = value, err
	close(j.running)
	j.running = nil
}

// progress says how far the work has come.
func (j *job[T]) progress() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.told
}

// again lets the page load itself again after a while, with script or without.
func again(w http.Header) { w.Set("Refresh", "2") }
