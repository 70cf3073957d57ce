package files

import (
	"context"
	"errors"
	"fmt"
)

// rewind restores files to a checkpoint. It writes nothing before it has checked, as far as
// possible, that the whole rewind can succeed.
func (w *fileOperation) rewind(ctx context.Context, id string, dryRun bool) (*RewindFilesResult, error) {
	if err := checkCheckpointID(id); err != nil {
		return nil, err
	}
	all, err := w.Checkpoints(ctx)
	if err != nil {
		return nil, err
	}
	entries, ok := entriesSince(all, id)
	if !ok {
		return nil, ErrNoCheckpoint
	}
	steps, err := w.plan(ctx, goals(entries))
	if err != nil {
		return nil, err
	}
	result, err := w.preview(ctx, steps)
	if err != nil || dryRun || len(steps) == 0 {
		return result, err
	}
	if err := w.copyForeignBlobs(steps); err != nil {
		return nil, err
	}
	safety, err := w.makeSafetyCheckpoint(ctx, steps)
	if err != nil {
		return nil, err
	}
	if err := w.perform(ctx, &rewindJournal{Version: 1, Checkpoint: id, Safety: safety, Steps: steps}); err != nil {
		return nil, err
	}
	result.SafetyCheckpoint = safety
	return result, nil
}

// copyForeignBlobs copies the new contents into the session's blobs folder if another program stored them
// elsewhere.
func (w *fileOperation) copyForeignBlobs(steps []rewindStep) error {
	for _, s := range steps {
		if !isFile(s.New) || w.hasBlob(s.New.Hash) {
			continue
		}
		r, err := w.OpenBlob(s.New.Hash, s.from)
		if err == nil {
			err = w.keepBlob(s.New.Hash, s.New.Size, r)
			r.Close()
		}
		if err != nil {
			return fmt.Errorf("%q: %w", clipped(s.path()), err)
		}
	}
	return nil
}

// makeSafetyCheckpoint makes the safety checkpoint of everything the steps are about to replace. It fails if
// a file has changed since the plan.
func (w *fileOperation) makeSafetyCheckpoint(ctx context.Context, steps []rewindStep) (string, error) {
	snaps := make([]FileSnapshot, len(steps))
	for i, s := range steps {
		now, at, err := w.snapshot(ctx, s.path(), true)
		if err == nil && (now.Exists != s.Old.Exists || isFolder(now) != isFolder(s.Old) || isFile(now) && !sameFile(now, s.Old)) {
			err = errChangedNow
		}
		if err != nil {
			w.removeStored()
			return "", fmt.Errorf("keep %q: %w", clipped(s.path()), err)
		}
		steps[i].info, steps[i].seen = at.info, true
		if now.Mode == "" && isFolder(s.New) {
			now.Mode = modeFolder
		}
		snaps[i] = now
	}
	return w.recordSafety(ctx, snaps)
}

func (w *fileOperation) recordSafety(ctx context.Context, snaps []FileSnapshot) (string, error) {
	now, err := w.nextTime(ctx)
	if err != nil {
		return "", err
	}
	id := safetyPrefix + now.Format("20060102T150405.000000000Z")
	return id, w.writeManifest(&CheckpointManifest{id, id, now, nil}, nil, snaps)
}

// perform carries out a rewind, or undoes the part it did.
func (w *fileOperation) perform(ctx context.Context, j *rewindJournal) error {
	if err := w.prepare(ctx, j); err != nil {
		return errors.Join(err, w.endJournal(j))
	}
	j.Placing = true
	err := w.writeJournal(j)
	if err != nil {
		return errors.Join(err, w.endJournal(j))
	}
	// From here on it is quicker to finish than to undo.
	ctx = context.WithoutCancel(ctx)
	if err = w.place(ctx, j); err == nil {
		return w.endJournal(j)
	}
	if back := w.takeBack(ctx, j); back != nil {
		return fmt.Errorf("%w; and what was done of it could not be taken back, which the next call tries again: %w", err, back)
	}
	return fmt.Errorf("%w; what was done of it was taken back", err)
}

// takeBack restores from the safety checkpoint what the steps replaced.
func (w *fileOperation) takeBack(ctx context.Context, j *rewindJournal) error {
	w.removeTemps(j)
	back := &rewindJournal{Version: 1, Checkpoint: j.Checkpoint, Safety: j.Safety, Placing: true, Back: !j.Back}
	for _, s := range j.Steps {
		back.Steps = append(back.Steps, rewindStep{Old: s.New, New: s.Old})
	}
	if err := w.resume(ctx, back); err != nil {
		return err
	}
	return w.endJournal(back)
}

// resume does the rest of a rewind that stopped at an unknown point.
func (w *fileOperation) resume(ctx context.Context, j *rewindJournal) error {
	w.removeTemps(j)
	if err := w.skipFinished(ctx, j); err != nil {
		return err
	}
	if err := w.prepare(ctx, j); err != nil {
		return err
	}
	return w.place(ctx, j)
}

// skipFinished marks the steps that are done already. A file that somebody wrote since the
// interruption stays if the rewind is being undone; otherwise skipFinished first keeps it in a
// safety checkpoint of its own.
func (w *fileOperation) skipFinished(ctx context.Context, j *rewindJournal) error {
	var snaps []FileSnapshot
	for i := range j.Steps {
		s := &j.Steps[i]
		now, _, err := w.snapshot(ctx, s.path(), false)
		foreign := isFile(now) && !sameFile(now, s.Old) && !sameFile(now, s.New)
		if err == nil && foreign && !j.Back {
			now, _, err = w.snapshot(ctx, s.path(), true)
			snaps = append(snaps, now)
		}
		if err != nil {
			return fmt.Errorf("keep %q: %w", clipped(s.path()), err)
		}
		s.skip = foreign && j.Back || isFile(now) && sameFile(now, s.New)
	}
	if len(snaps) == 0 {
		return nil
	}
	_, err := w.recordSafety(ctx, snaps)
	return err
}

// recover ends an interrupted rewind. It drops one that had replaced nothing, and finishes any
// other; if finishing fails, it undoes it.
func (w *fileOperation) recover(ctx context.Context) (string, error) {
	j, err := w.readJournal()
	if err != nil || j == nil {
		return "", err
	}
	if !j.Placing {
		return fmt.Sprintf("an interrupted rewind to %s was dropped; it had changed nothing", j.Checkpoint), w.endJournal(j)
	}
	if err := w.resume(ctx, j); err != nil {
		if ctx.Err() != nil {
			return "", err
		}
		if back := w.takeBack(ctx, j); back != nil {
			return "", fmt.Errorf("end the interrupted rewind to %s: %w; take it back: %w", j.Checkpoint, err, back)
		}
		j.Back = !j.Back
	} else if err := w.endJournal(j); err != nil {
		return "", err
	}
	if j.Back {
		return fmt.Sprintf("an interrupted rewind to %s was taken back", j.Checkpoint), nil
	}
	return fmt.Sprintf("an interrupted rewind to %s was finished; what was there before is checkpoint %s", j.Checkpoint, j.Safety), nil
}
