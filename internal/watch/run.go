package watch

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/fsnotify/fsnotify"

	"entire/internal/durable"
)

// Intervals and limits of the loop.
const (
	lockWait = 300 * time.Millisecond // Status holds the lock for a moment
	look     = time.Second            // for a request to end
	lookHard = 30 * time.Second       // for settings that say so
	saveTime = 2 * time.Minute        // of one save
	lastSave = 1500 * time.Millisecond
)

// ErrWatched is returned by Run if another process watches the worktree.
var ErrWatched = errors.New("another process watches this worktree")

// A Saved is what a save did.
type Saved struct {
	Step  string // that it made, "" for none
	Bytes int64
	Busy  string // why nothing can be saved now, "" if it can
}

// Options say what Run watches.
type Options struct {
	Top     string                                  // the worktree
	Dir     string                                  // where the watch's own files are
	Ignored func(context.Context) ([]string, error) // paths below Top that git ignores, folders whole
	Save    func(context.Context) (Saved, error)
	Off     func() string // why the watch is to end, "" if it is not; asked now and then
	Now     func() time.Time
	Tell    func(State, Saved) // after the start and after each save that made a step; may be nil
	Failed  func(error)        // after a save that failed, unless the one before failed in the same way; may be nil

	Idle    time.Duration // without a new step, after which the watch ends
	Poll    time.Duration // between two saves where events cannot be used
	Folders int           // the most that are watched
	NoEvent bool          // poll only
}

type watch struct {
	Options
	state   State
	pace    pace
	written []byte // the state
	rescan  bool   // folders may have appeared
	active  time.Time
}

// Run watches until ctx ends or there is a reason to end, and returns the reason. It returns ErrWatched, and
// does nothing, if another process watches.
func Run(ctx context.Context, o Options) (string, error) {
	top, err := os.Stat(o.Top)
	if err != nil {
		return "", fmt.Errorf("watch %s: %w", o.Top, err)
	}
	lock, err := durable.AcquireWithin(filepath.Join(o.Dir, lockName), lockWait)
	if errors.Is(err, durable.ErrHeld) {
		return "", ErrWatched
	} else if err != nil {
		return "", fmt.Errorf("watch %s: %w", o.Top, err)
	}
	defer lock.Release()
	_ = os.Remove(filepath.Join(o.Dir, stopName)) // a request to an earlier watch
	before, _ := Status(o.Dir)
	w := &watch{Options: o, active: o.Now(), pace: pace{kept: before.Kept}}
	w.state = State{PID: os.Getpid(), Since: o.Now(), Way: ByEvents}
	in := w.events(ctx)
	defer func() {
		if in != nil {
			in.Close()
		}
	}()
	w.pace.changed(o.Now())
	w.write()
	w.tell(Saved{})
	why := w.loop(ctx, in, top)
	w.state.Ended, w.state.Waits = why, ""
	w.write()
	return why, nil
}

func (w *watch) tell(s Saved) {
	if w.Tell != nil {
		w.Tell(w.state, s)
	}
}

// events returns the source of events, nil if there is none and the watch polls.
func (w *watch) events(ctx context.Context) *fsnotify.Watcher {
	if w.NoEvent {
		w.state.Way, w.state.Why = ByPoll, "--poll says so"
		return nil
	}
	in, err := fsnotify.NewWatcher()
	if err == nil {
		w.state.Folders, err = w.watchFolders(ctx, in)
	}
	if err == nil {
		return in
	}
	if in != nil {
		in.Close()
	}
	w.state.Way, w.state.Why, w.state.Folders = ByPoll, w.whyPoll(err), 0
	return nil
}

// loop returns why the watch ends.
func (w *watch) loop(ctx context.Context, in *fsnotify.Watcher, top os.FileInfo) string {
	ticks := time.NewTicker(look)
	defer ticks.Stop()
	save := time.NewTimer(time.Hour)
	defer save.Stop()
	asked, polled := w.Now(), w.Now()
	for {
		w.arm(save)
		var events chan fsnotify.Event
		var errs chan error
		if in != nil {
			events, errs = in.Events, in.Errors
		}
		select {
		case <-ctx.Done():
			w.atEnd(ctx)
			return "a signal"
		case ev := <-events:
			w.note(ev)
		case <-errs: // such as an overflow: anything may have changed
			w.rescan = true
			w.pace.changed(w.Now())
		case <-save.C:
			in = w.save(ctx, in)
		case <-ticks.C:
			hard := w.Now().Sub(asked) >= lookHard
			if why := w.ends(ctx, top, hard); why != "" {
				return why
			}
			if hard {
				asked = w.Now()
			}
			if in == nil && w.Now().Sub(polled) >= w.Poll {
				polled = w.Now()
				w.pace.empty = 0
				w.pace.changed(polled)
			}
		}
	}
}

// arm sets the timer to the next save.
func (w *watch) arm(t *time.Timer) {
	if due := w.pace.due(); due.IsZero() {
		t.Stop()
	} else {
		t.Reset(max(due.Sub(w.Now()), 0))
	}
}

// note notes what an event tells.
func (w *watch) note(ev fsnotify.Event) {
	if ev.Name == "" || ev.Name == filepath.Join(w.Top, ".entire") || filepath.Base(ev.Name) == ".git" {
		return
	}
	if ev.Has(fsnotify.Create) {
		info, err := os.Lstat(ev.Name)
		w.rescan = w.rescan || err == nil && info.IsDir()
	}
	w.rescan = w.rescan || filepath.Base(ev.Name) == ".gitignore"
	w.pace.changed(w.Now())
}

// ends returns why the watch ends, "" if it goes on. hard also asks what costs more.
func (w *watch) ends(ctx context.Context, top os.FileInfo, hard bool) string {
	if now, err := os.Stat(w.Top); err != nil || !os.SameFile(now, top) {
		return "the worktree is gone"
	}
	if _, err := os.Stat(w.Dir); err != nil {
		return "the worktree's git directory is gone"
	}
	stop := filepath.Join(w.Dir, stopName)
	if _, err := os.Lstat(stop); err == nil {
		w.atEnd(ctx)
		_ = os.Remove(stop)
		return "entire watch --stop"
	}
	if w.Now().Sub(w.active) >= w.Idle {
		return fmt.Sprintf("nothing changed for %s", w.Idle)
	}
	if hard {
		return w.Off()
	}
	return ""
}

// atEnd saves what waits, if that can be done at once.
func (w *watch) atEnd(ctx context.Context) {
	if w.pace.first.IsZero() || w.pace.room(w.Now()).After(w.Now()) {
		return
	}
	limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastSave)
	defer cancel()
	w.keep(limited)
}

// save saves, after it has found new folders. It returns the source of events that is left.
func (w *watch) save(ctx context.Context, in *fsnotify.Watcher) *fsnotify.Watcher {
	if in != nil && w.rescan {
		n, err := w.watchFolders(ctx, in)
		if err != nil && ctx.Err() == nil {
			in.Close()
			in = nil
			n, w.state.Way, w.state.Why = 0, ByPoll, w.whyPoll(err)
			w.tell(Saved{})
		}
		w.state.Folders, w.rescan = n, false
	}
	limited, cancel := context.WithTimeout(ctx, saveTime)
	defer cancel()
	w.keep(limited)
	return in
}

// keep calls for a save and notes what it did.
func (w *watch) keep(ctx context.Context) {
	began := w.Now()
	got, err := w.Save(ctx)
	before := w.state.Error
	w.state.Waits, w.state.Error = got.Busy, ""
	switch {
	case err != nil:
		if w.state.Error = err.Error(); w.Failed != nil && w.state.Error != before {
			w.Failed(err)
		}
		w.pace.postpone(w.Now(), failPause)
	case got.Busy != "":
		w.pace.postponeBusy(w.Now())
	default:
		w.pace.saved(began, got.Step != "", got.Bytes)
	}
	if got.Step != "" {
		w.active = w.Now()
		w.state.Steps++
		w.state.Bytes += got.Bytes
		w.state.Last, w.state.LastAt = got.Step, began
		w.tell(got)
	}
	w.write()
}
