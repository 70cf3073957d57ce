package pages

import (
	"context"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"entire/internal/timeline"
)

// changes tells every page that listens when the repository or the store has changed.
type changes struct {
	mu    sync.Mutex
	heard map[chan struct{}]bool
	done  chan struct{}
	live  bool // false where the system cannot watch files
	n     atomic.Int64
}

// version is another number after each change; 0 where changes are not seen.
func (c *changes) version() int64 {
	if !c.live {
		return 0
	}
	return 1 + c.n.Load()
}

// watch watches the worktree's repository until ctx ends.
func watch(ctx context.Context, p *past) *changes {
	c := &changes{heard: map[chan struct{}]bool{}, done: make(chan struct{})}
	told, err := timeline.Watch(ctx, p.places[0].Repo)
	if err != nil {
		p.places[0].Log.Warn("the repository is not watched", "err", err)
		close(c.done)
		return c
	}
	c.live = true
	go func() {
		defer close(c.done)
		for range told {
			p.forgetPresent()
			c.tell()
		}
	}()
	return c
}

// wait returns when nothing is watched any more, after the context of watch has ended.
func (c *changes) wait() { <-c.done }

func (c *changes) tell() {
	c.n.Add(1)
	c.mu.Lock()
	defer c.mu.Unlock()
	for ch := range c.heard {
		select {
		case ch <- struct{}{}:
		default: // it has not yet looked at the change before, and will see this one with it
		}
	}
}

func (c *changes) listen() (<-chan struct{}, func()) {
	ch := make(chan struct{}, 1)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.heard[ch] = true
	return ch, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.heard, ch)
	}
}

// beat is how often a page is told that the server still runs.
const beat = 20 * time.Second

// events answers with an event for each change, until the browser goes.
func (p *Pages) events(w http.ResponseWriter, r *http.Request) {
	told, end := p.changes.listen()
	defer end()
	out := http.NewResponseController(w)
	_ = out.SetReadDeadline(time.Time{}) // that of a request is for its head and body
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("X-Accel-Buffering", "no")
	_, err := io.WriteString(w, "retry: 2000\n\n")
	ticks := time.NewTicker(beat)
	defer ticks.Stop()
	for err == nil {
		if err = out.Flush(); err != nil {
			return
		}
		select {
		case <-r.Context().Done():
			return
		case <-told:
			_, err = io.WriteString(w, "event: changed\ndata: \n\n")
		case <-ticks.C:
			_, err = io.WriteString(w, ": here\n\n")
		}
	}
}
