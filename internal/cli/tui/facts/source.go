package facts

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"entire/internal/cli/cliui"
	"entire/internal/cli/sessionlib"
	"entire/internal/cli/workplace"
	"entire/internal/git"
	"entire/internal/timeline"
	"entire/strategy/rewind"
)

// A Source reads one worktree.
type Source struct {
	env     *cliui.Env
	wp      *workplace.Workplace
	tl      *timeline.Timeline
	perform Performer
	program string // the path of this program, "" if it is not known
	place   atomic.Pointer[Place]
	changes atomic.Int64 // how often the timeline was found changed
	reader  sessionlib.PartReader
}

// A Performer runs a command of this program, whose words do not include the program's name.
type Performer func(ctx context.Context, env *cliui.Env, words []string) error

// Open opens the worktree around the current directory. perform runs the commands that a person chooses;
// program is the path of this program, "" if all is to be done in this process.
func Open(ctx context.Context, env *cliui.Env, perform Performer, program string) (*Source, error) {
	said := &notes{}
	quiet := *env
	quiet.Out, quiet.Err = said, said
	wp, err := workplace.OpenWithoutRecovery(ctx, &quiet)
	if err != nil {
		return nil, err
	}
	s := &Source{env: &quiet, wp: wp, tl: timeline.New(wp.Engine), perform: perform, program: program}
	s.readPlace(ctx)
	return s, nil
}

// Close ends the reading.
func (s *Source) Close() {
	s.tl.Close()
	s.wp.Close()
}

// Now returns the time.
func (s *Source) Now() time.Time { return s.env.Now() }

// A Place is where the program runs.
type Place struct {
	Name, Top, Branch string
	SetUp             bool
}

// Place returns where the program runs, as it was when the past was read last: frames ask for it, and wait for no
// file.
func (s *Source) Place() Place { return *s.place.Load() }

func (s *Source) readPlace(ctx context.Context) {
	s.place.Store(&Place{Name: filepath.Base(s.wp.Repo.Top), Top: s.wp.Repo.Top, Branch: s.wp.Repo.Branch(ctx), SetUp: s.wp.Place.SetUp})
}

// Watch sends a value whenever the past, the sessions or HEAD may have changed.
func (s *Source) Watch(ctx context.Context) (<-chan struct{}, error) {
	return timeline.Watch(ctx, s.wp.Repo)
}

// Window returns points of the timeline.
func (s *Source) Window(ctx context.Context, from, limit int) (timeline.Window, error) {
	return s.tl.Window(ctx, from, limit)
}

// Outline is Window without how much each point changed, which costs most.
func (s *Source) Outline(ctx context.Context, from, limit int) (timeline.Window, error) {
	return s.tl.Outline(ctx, from, limit)
}

// Count returns the number of points, for which it reads the whole past.
func (s *Source) Count(ctx context.Context) (int, error) {
	w, err := s.tl.Outline(ctx, math.MaxInt32, 0)
	return w.Known, err
}

// Refresh forgets what was read of the timeline if it has changed since. It returns how often it was found changed: who
// asks may not be told of a change, because another question came before the answer.
func (s *Source) Refresh(ctx context.Context) (changes int64, err error) {
	s.readPlace(ctx)
	changed, err := s.tl.Refresh(ctx)
	if changed {
		s.changes.Add(1)
	}
	return s.changes.Load(), err
}

// Find returns the point with an ID.
func (s *Source) Find(ctx context.Context, name string) (timeline.Point, error) {
	return s.tl.Find(ctx, name)
}

// Present returns the ID of the newest point whose files are those of the worktree.
func (s *Source) Present(ctx context.Context) (string, error) { return s.tl.Present(ctx) }

// Details returns what a point alone shows.
func (s *Source) Details(ctx context.Context, id string) (timeline.Details, error) {
	return s.tl.Details(ctx, id)
}

// A Back says where undo and redo lead.
type Back struct{ Undo, Redo string } // in words; "" where there is none

// Back returns where undo and redo lead.
func (s *Source) Back() (Back, error) {
	undo, redo, err := rewind.NextBack(s.wp.Engine)
	if err != nil {
		return Back{}, err
	}
	return Back{Undo: entryWords(undo), Redo: entryWords(redo)}, nil
}

// opened opens a workplace of its own for one piece of work.
func (s *Source) opened(ctx context.Context, do func(*workplace.Workplace) error) error {
	wp, err := workplace.OpenWithoutRecovery(ctx, s.env)
	if err != nil {
		return err
	}
	defer wp.Close()
	return do(wp)
}

// Words returns an error in words for people, with its hint.
func Words(err error) string {
	if errors.Is(err, git.ErrMissing) {
		return fmt.Sprintf("%v: git has removed it", err)
	}
	hint := cliui.HintOf(err)
	if hint != "" {
		return err.Error() + " (" + hint + ")"
	}
	return err.Error()
}

// notes collects what is printed.
type notes struct {
	mu   sync.Mutex
	text strings.Builder
}

func (n *notes) Write(p []byte) (int, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.text.Len() < notesMax {
		n.text.Write(p)
	}
	return len(p), nil
}

const notesMax = 16 << 10
