package blameserve

import (
	"context"
	"slices"
	"sync"
)

// A job is a question that takes long. do runs in the queue's goroutine, and its result in the server's, once.
type job struct {
	id   string // of the request; "" for none
	path string // of the document whose owners it finds; "" for none
	stop *failure
	end  context.CancelFunc // nil until it begins
	do   func(ctx context.Context) (finish func() error)
	fail func(*failure) error // answers a job that was stopped
}

// A queue does jobs one after the other.
type queue struct {
	mu    sync.Mutex
	list  []*job // those that wait, and those that were begun and have no answer yet
	ready chan struct{}
	done  chan func() error
}

func newQueue() *queue {
	return &queue{ready: make(chan struct{}, 1), done: make(chan func() error)}
}

func (q *queue) add(j *job) {
	q.mu.Lock()
	q.list = append(q.list, j)
	q.mu.Unlock()
	select {
	case q.ready <- struct{}{}:
	default:
	}
}

func (q *queue) waiting() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.list)
}

// stop ends the jobs that match with an answer that says why; it reports whether there was one.
func (q *queue) stop(matches func(*job) bool, why *failure) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	found := false
	for _, j := range q.list {
		if j.stop == nil && matches(j) {
			found, j.stop = true, why
			if j.end != nil {
				j.end()
			}
		}
	}
	return found
}

// work does the jobs until ctx ends.
func (q *queue) work(ctx context.Context) {
	for {
		j, jobCtx := q.next(ctx)
		if j == nil {
			select {
			case <-q.ready:
				continue
			case <-ctx.Done():
				return
			}
		}
		var finish func() error
		if jobCtx.Err() == nil {
			finish = j.do(jobCtx)
		}
		select {
		case q.done <- q.result(j, finish):
		case <-ctx.Done():
			return
		}
	}
}

// next begins the first job that waits; nil if there is none.
func (q *queue) next(ctx context.Context) (*job, context.Context) {
	q.mu.Lock()
	defer q.mu.Unlock()
	i := slices.IndexFunc(q.list, func(j *job) bool { return j.end == nil })
	if i < 0 {
		return nil, nil
	}
	j := q.list[i]
	ctx, j.end = context.WithCancel(ctx)
	if j.stop != nil {
		j.end()
	}
	return j, ctx
}

// result returns what the server does with a finished job. Until the server does it, the job can still be stopped.
func (q *queue) result(j *job, finish func() error) func() error {
	return func() error {
		q.mu.Lock()
		j.end()
		why := j.stop
		q.list = slices.DeleteFunc(q.list, func(o *job) bool { return o == j })
		q.mu.Unlock()
		switch {
		case why != nil:
			return j.fail(why)
		case finish == nil:
			return nil
		}
		return finish()
	}
}
