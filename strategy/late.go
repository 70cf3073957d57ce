package strategy

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"entire/internal/git"
)

// whyLate is the reason stated for a file that a step lacks because the hook's time ran out.
const whyLate = "it was not read in the time that a hook has"

// lateFiles are files that a step left out because the time to read them had run out. They changed
// before the step was made, so they belong to the author of that step. The session's next event
// reads them.
type lateFiles struct {
	Count  int   `json:"count"`
	Until  int64 `json:"until"`            // when the last of them changed, in nanoseconds
	People bool  `json:"people,omitempty"` // they changed before the turn began
}

// inTime returns a context that ends after limit in a hook, which has a deadline, so that there is
// time left to save what was read. Elsewhere it returns ctx.
func (s *ManualCommitStrategy) inTime(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	if _, limited := ctx.Deadline(); !limited || s.auto || s.ReadWithin == 0 {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, limit)
}

// soon takes a snapshot for an event: files that cannot be read in time are left out and noted as
// late.
func (s *ManualCommitStrategy) soon(ctx context.Context) (*snapshot, error) {
	reading, cancel := s.inTime(ctx, s.ReadWithin)
	defer cancel()
	return s.nowReading(ctx, reading)
}

// leaveLate leaves a file out of the snapshot for lack of time: it stays as it is in the last step.
func (snap *snapshot) leaveLate(f *finding, last *worktreeCache) {
	snap.late.Count++
	snap.late.Until = max(snap.late.Until, f.key.changed())
	snap.uncaptured = append(snap.uncaptured, Uncaptured{Path: f.path, Gap: GapLate, Why: whyLate})
	was, ok := last.files.find(f.path)
	if f.drop = !ok || last.head != snap.head; !f.drop {
		f.mode, f.oid = was.mode, was.oid
	}
}

// changed returns when a file last changed, in nanoseconds, as far as the system tells.
func (k statKey) changed() int64 { return max(k.mtime, k.ctime) }

// wasLate records the files that a snapshot left out for lack of time. people states that they
// changed before the turn began.
func (o *open) wasLate(snap *snapshot, people bool) {
	if snap.late.Count == 0 {
		return
	}
	late := snap.late
	late.People = people
	if n := len(o.side.Late); n > 0 && o.side.Late[n-1].People == people {
		o.side.Late = o.side.Late[:n-1]
	}
	o.side.Late = append(o.side.Late, late)
}

// catchUp moves the session to HEAD and saves what earlier events had no time for: late files, as
// steps of their authors, and the end of the transcript.
func (s *ManualCommitStrategy) catchUp(ctx context.Context, o *open, snap *snapshot) error {
	if err := s.followHead(ctx, o, snap); err != nil {
		return err
	}
	for _, late := range o.side.Late {
		if err := s.saveLate(ctx, o, snap, late); err != nil {
			return fmt.Errorf("save the files that were late: %w", err)
		}
	}
	if snap.late.Count == 0 {
		o.side.Late = nil
	}
	return s.readRest(ctx, o)
}

// saveLate makes a step of the late files, as the snapshot has them.
func (s *ManualCommitStrategy) saveLate(ctx context.Context, o *open, snap *snapshot, late lateFiles) error {
	last, err := s.stepFiles(ctx, snap.head, git.OID{})
	if err != nil {
		return err
	}
	saved := map[string]fileState{}
	for _, f := range snap.files {
		if was, _ := last.find(f.path); was != f && !s.changedAfter(f.path, snap, late.Until) {
			saved[f.path] = f
		}
	}
	if len(saved) == 0 {
		return nil
	}
	part := *snap
	part.late = lateFiles{}
	part.files = slices.DeleteFunc(slices.Clone(last), func(f fileState) bool { _, ok := saved[f.path]; return ok })
	part.files = sortStates(slices.AppendSeq(part.files, maps.Values(saved)))
	if !late.People {
		return s.agentStep(ctx, o, &part)
	}
	step, err := s.humanStep(ctx, o, &part)
	if err != nil {
		return err
	}
	o.side.Turn.Head, o.side.Turn.Step, o.side.Turn.Digest = snap.head, step, part.files.digest()
	return nil
}

// changedAfter reports whether a file changed after a moment in nanoseconds, or is gone.
func (s *ManualCommitStrategy) changedAfter(path string, snap *snapshot, moment int64) bool {
	if st, known := snap.stats[path]; known {
		return st.key.changed() > moment
	}
	fi, err := os.Lstat(filepath.Join(s.repo.Top, filepath.FromSlash(path)))
	return err != nil || keyOf(fi).changed() > moment
}

// readRest reads the end of a transcript that an earlier hook had no time for.
func (s *ManualCommitStrategy) readRest(ctx context.Context, o *open) error {
	if !o.side.TalkLate {
		return nil
	}
	err := s.readTranscript(ctx, o)
	if err != nil && !errors.Is(err, errTranscript) {
		return err
	}
	if c := &o.side.Capture; c.Doc == "" && c.Talk != nil && len(c.Log.Entries()) > 0 {
		return s.keepBacklog(ctx, o)()
	}
	return nil
}

// lateProblems returns what the session still has to save.
func (o *open) lateProblems() []Problem {
	const hint = "the session's next event saves it"
	var out []Problem
	files := 0
	for _, l := range o.side.Late {
		files = max(files, l.Count)
	}
	if files > 0 {
		out = append(out, Problem{Kind: "not-captured", Subject: counted(files, "file"), Why: "a hook had no time to read them", Hint: hint})
	}
	if o.side.TalkLate {
		out = append(out, Problem{Kind: "not-captured", Subject: o.id.Short(), Why: "a hook had no time to read the end of its conversation", Hint: hint})
	}
	return out
}

// hasLate reports whether catchUp has anything to save, from any turn.
func (o *open) hasLate() bool { return len(o.side.Late) > 0 || o.side.TalkLate }
