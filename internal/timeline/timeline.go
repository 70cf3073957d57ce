package timeline

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"entire/agent"
	"entire/id"
	"entire/internal/git"
	"entire/strategy/rewind"
	"entire/strategy/sessionstate"
	"entire/strategy/step"
)

// ErrNoPoint is returned when no point of the past has the given ID.
var ErrNoPoint = errors.New("no such point")

const (
	filledMax = 1000 // points that are kept with everything a window shows
	scanBatch = 2000 // entries read at once while a point is searched for
	// objectsMax is how many objects of git stay cached from one call to the next.
	objectsMax = 2000
)

// A Timeline is the past of one worktree.
type Timeline struct {
	env *sessionstate.Env

	mu     sync.Mutex
	list   *list
	state  string // what list was read from
	filled map[git.OID]Point
	agents map[string]agent.AgentType
	only   map[string]bool // the checkpoints whose records are read; nil for all
}

// New returns the timeline of a worktree. It reads nothing. The Timeline must be the only user of env.
func New(env *sessionstate.Env) *Timeline {
	return &Timeline{env: env, filled: map[git.OID]Point{}, agents: map[string]agent.AgentType{}}
}

// ReadOnly limits the commits whose sessions, prompts and tokens are read to those with one of these checkpoints. Call
// it before anything is read.
func (t *Timeline) ReadOnly(checkpoints []id.CheckpointID) {
	t.only = make(map[string]bool, len(checkpoints))
	for _, cp := range checkpoints {
		t.only[cp.String()] = true
	}
}

// A Window is a part of the past.
type Window struct {
	From    int     `json:"from"`
	Points  []Point `json:"points"`
	Lanes   []Lane  `json:"lanes"` // of the sessions in the window
	Known   int     `json:"known"` // how many points were read so far
	More    bool    `json:"more"`  // there are points after those that were read
	Present string  `json:"present,omitempty"`
}

// Close ends the reading. The Timeline may still be used; it begins anew.
func (t *Timeline) Close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.forget()
}

func (t *Timeline) forget() {
	if t.list != nil {
		t.list.close()
	}
	t.list, t.filled = nil, map[git.OID]Point{}
}

// Refresh forgets the list if the repository has changed since it was read, and reports whether it has.
func (t *Timeline) Refresh(ctx context.Context) (changed bool, err error) {
	t.lock(ctx)
	defer t.mu.Unlock()
	state, err := readState(ctx, t.env)
	if err != nil {
		return false, err
	}
	if state == t.state {
		return false, nil
	}
	t.forget()
	clear(t.agents)
	t.state = state
	return true, nil
}

// lock takes the lock for a call. The process that reads objects belongs to the Timeline and not to the
// call that needs it first: the end of that call must not end what the list still reads.
func (t *Timeline) lock(ctx context.Context) {
	t.mu.Lock()
	t.env.Repo.Reader(context.WithoutCancel(ctx)).Trim(objectsMax)
}

// opened returns the list with at least n entries, or all. The caller holds the lock. After an error the
// list begins anew, because what reads it has ended.
func (t *Timeline) opened(ctx context.Context, n int) (*list, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if t.list == nil {
		var err error
		if t.state, err = readState(ctx, t.env); err != nil {
			return nil, err
		}
		if t.list, err = open(ctx, t.env); err != nil {
			return nil, fmt.Errorf("read the past: %w", err)
		}
	}
	if err := t.list.read(ctx, n); err != nil {
		if t.list.failed {
			t.forget()
		}
		return nil, fmt.Errorf("read the past: %w", err)
	}
	return t.list, nil
}

// Window returns at most limit points from the index from on, with everything that a list shows of
// them. A window after the end is empty.
func (t *Timeline) Window(ctx context.Context, from, limit int) (Window, error) {
	return t.window(ctx, from, limit, true)
}

// Outline is Window without what costs most: the counts of files and lines.
func (t *Timeline) Outline(ctx context.Context, from, limit int) (Window, error) {
	return t.window(ctx, from, limit, false)
}

func (t *Timeline) window(ctx context.Context, from, limit int, counted bool) (Window, error) {
	t.lock(ctx)
	defer t.mu.Unlock()
	from, limit = max(from, 0), max(limit, 0)
	l, err := t.opened(ctx, from+limit)
	if err != nil {
		return Window{}, err
	}
	from = min(from, len(l.entries))
	w := Window{From: from, Known: len(l.entries), More: l.next != nil, Lanes: []Lane{}}
	if w.Points, err = t.points(ctx, from, min(from+limit, len(l.entries)), counted); err != nil {
		return Window{}, err
	}
	lane := map[Lane]bool{}
	for _, p := range w.Points {
		if at := (Lane{p.Lane, p.Session}); p.Lane > 0 && !lane[at] {
			lane[at] = true
			w.Lanes = append(w.Lanes, at)
		}
	}
	return w, nil
}

// points returns the points at the indexes from up to, but without, to.
func (t *Timeline) points(ctx context.Context, from, to int, counted bool) ([]Point, error) {
	out := make([]Point, 0, to-from)
	var missing []placed
	for i := from; i < to; i++ {
		e := t.list.entries[i]
		p, ok := t.filled[e.oid]
		if ok = ok && p.Kind == e.Kind() && (p.Files >= 0 || !counted); !ok {
			missing = append(missing, placed{e, i})
		}
		p.Index = i
		out = append(out, p)
	}
	if len(missing) == 0 {
		return out, nil
	}
	filled, err := t.fill(ctx, missing, counted)
	if err != nil {
		return nil, err
	}
	if len(t.filled) > filledMax {
		clear(t.filled)
	}
	for k, e := range missing {
		out[e.index-from] = filled[k]
		t.filled[e.oid] = filled[k]
	}
	if !counted {
		for i := range out {
			out[i].Files = max(out[i].Files, 0)
		}
	}
	return out, nil
}

// Find returns the point whose ID begins with name, or the commit of a checkpoint with that ID. It reads the
// past until it finds it: newest points are found first.
func (t *Timeline) Find(ctx context.Context, name string) (Point, error) {
	t.lock(ctx)
	defer t.mu.Unlock()
	i, err := t.find(ctx, name)
	if err != nil {
		return Point{}, err
	}
	points, err := t.points(ctx, i, i+1, true)
	if err != nil {
		return Point{}, err
	}
	return points[0], nil
}

func (t *Timeline) find(ctx context.Context, name string) (int, error) {
	none := fmt.Errorf("%w: %s", ErrNoPoint, name)
	if _, err := t.opened(ctx, 0); err != nil {
		return 0, err
	}
	if len(name) < step.MinPrefix || strings.Trim(name, "0123456789abcdef") != "" {
		return 0, none // no ID begins so
	}
	for from := 0; ; {
		l, err := t.opened(ctx, from+scanBatch)
		if err != nil {
			return 0, err
		}
		for i := from; i < len(l.entries); i++ {
			e := l.entries[i]
			if strings.HasPrefix(e.oid.String(), name) || e.more >= 0 && strings.HasPrefix(l.rewinds[e.more].ID, name) {
				return i, nil
			}
		}
		if from = len(l.entries); l.next == nil {
			break
		}
	}
	for i, e := range t.list.entries {
		if e.Kind() != Commit {
			continue
		}
		c, err := t.env.Repo.Reader(ctx).Commit(e.oid)
		if err != nil {
			continue
		}
		for _, cp := range t.checkpointsOf(c) {
			if strings.HasPrefix(cp.String(), name) {
				return i, nil
			}
		}
	}
	return 0, none
}

// presentMax bounds the points that Present compares with the worktree.
const presentMax = 200

// Present returns the ID of the newest point whose files are those of the worktree, "" for none. It
// reads the worktree, so it takes as long as git status.
func (t *Timeline) Present(ctx context.Context) (string, error) {
	t.lock(ctx)
	defer t.mu.Unlock()
	l, err := t.opened(ctx, presentMax)
	if err != nil {
		return "", err
	}
	tree, _, err := rewind.PresentTree(ctx, t.env)
	if err != nil {
		return "", err
	}
	now, err := t.files(ctx, tree)
	if err != nil {
		return "", err
	}
	for _, e := range l.entries[:min(len(l.entries), presentMax)] {
		c, err := t.env.Repo.Reader(ctx).Commit(e.oid)
		if err != nil {
			continue
		}
		if files, err := t.files(ctx, c.Tree); err == nil && files == now {
			return e.oid.String(), nil
		}
	}
	return "", nil
}

// files returns what identifies a tree's files, without our own folder.
func (t *Timeline) files(ctx context.Context, tree git.OID) (string, error) {
	entries, err := t.env.Repo.Reader(ctx).Tree(tree)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, e := range entries {
		if e.Name != ".entire" {
			fmt.Fprintf(&b, "%o %s %s\x00", e.Mode, e.OID, e.Name)
		}
	}
	return b.String(), nil
}

func (t *Timeline) agentOf(ctx context.Context, session string) agent.AgentType {
	if kind, known := t.agents[session]; known {
		return kind
	}
	kind := agent.AgentType("")
	if sid, err := id.ParseSessionID(session); err == nil {
		if st, err := t.env.Store.Load(ctx, sid); err == nil {
			kind = st.AgentType
		}
	}
	t.agents[session] = kind
	return kind
}
