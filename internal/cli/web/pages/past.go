package pages

import (
	"context"
	"errors"
	"sync"
	"time"

	"entire/internal/cli/cliui"
	"entire/internal/cli/workplace"
	"entire/internal/git"
	"entire/internal/timeline"
)

// A past is the timeline of a worktree, opened twice: to compare the worktree with the points takes as long as
// git status, and no page waits for that.
type past struct {
	places []*workplace.Workplace
	*timeline.Timeline

	now     *timeline.Timeline
	mu      sync.Mutex
	asked   chan struct{} // closed when the comparison that runs has ended; nil if none runs
	present string        // what the last one found
	err     error
	at      time.Time // when it ended
}

// openPast opens the worktree. What is finished after a crash is told to the person who started the command.
func openPast(ctx context.Context, env, told *cliui.Env) (*past, error) {
	first, err := openPlace(ctx, env, told)
	if err != nil {
		return nil, err
	}
	second, err := openPlace(ctx, env, env)
	if err != nil {
		first.Close()
		return nil, err
	}
	return &past{places: []*workplace.Workplace{first, second}, Timeline: timeline.New(first.Engine), now: timeline.New(second.Engine)}, nil
}

// openPlace opens the worktree or the folder, also while Entire is disabled there.
func openPlace(ctx context.Context, env, told *cliui.Env) (*workplace.Workplace, error) {
	quiet := *told
	quiet.Out = env.Out // where Entire is disabled, OpenEnabled says so
	wp, err := workplace.OpenEnabled(ctx, &quiet)
	if err != nil || wp != nil {
		return wp, err
	}
	return workplace.OpenWithoutRecovery(ctx, env)
}

func (p *past) close() {
	p.mu.Lock()
	running := p.asked
	p.mu.Unlock()
	if running != nil {
		<-running
	}
	p.Timeline.Close()
	p.now.Close()
	for _, wp := range p.places {
		wp.Close()
	}
}

// named returns the point with an ID, or the commit that git knows by a name such as HEAD~2, with its tree.
func (p *past) named(ctx context.Context, name string) (timeline.Point, git.OID, error) {
	point, err := p.Find(ctx, name)
	if errors.Is(err, timeline.ErrNoPoint) && name != "" {
		d, other := p.Details(ctx, name)
		if other != nil {
			return point, git.OID{}, err
		}
		if point, err = p.Find(ctx, d.ID); err != nil { // a commit of another branch
			return d.Point, d.Tree, nil
		}
	}
	if err != nil {
		return point, git.OID{}, err
	}
	tree, err := p.TreeOf(ctx, point.ID)
	return point, tree, err
}

// presentFor is how long what a comparison found is taken for true. Nobody tells us of a file that changes.
const presentFor = 2 * time.Second

// errNotYet is returned for a comparison that has not ended within the time that was given.
var errNotYet = errors.New("the worktree is still being compared")

// Present returns the ID of the newest point whose files are those of the worktree, "" for none. It waits for at
// most wait.
func (p *past) Present(ctx context.Context, now func() time.Time, wait time.Duration) (string, error) {
	p.mu.Lock()
	if p.asked == nil && (p.at.IsZero() || now().Sub(p.at) > presentFor) {
		p.asked = make(chan struct{})
		go p.compare(context.WithoutCancel(ctx), now)
	}
	running := p.asked
	p.mu.Unlock()
	if running != nil {
		timer := time.NewTimer(wait)
		defer timer.Stop()
		select {
		case <-running:
		case <-timer.C:
			return "", errNotYet
		case <-ctx.Done():
			return "", ctx.Err()
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.present, p.err
}

func (p *past) compare(ctx context.Context, now func() time.Time) {
	_, err := p.now.Refresh(ctx)
	found := ""
	if err == nil {
		found, err = p.now.Present(ctx)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.present, p.err, p.at = found, err, now()
	close(p.asked)
	p.asked = nil
}

// forgetPresent makes the next question compare anew.
func (p *past) forgetPresent() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.at = time.Time{}
}
