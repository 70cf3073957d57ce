package summarize

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"entire/id"
	"entire/internal/durable"
)

// Job is a checkpoint to summarize.
type Job struct {
	Checkpoint id.CheckpointID `json:"checkpoint_id"`
	Sessions   []id.SessionID  `json:"session_ids"` // sessions with new content
}

// maxQueue is the most waiting jobs, because each costs money.
const maxQueue = 50

// errQueueFull is returned by Enqueue if too many jobs are waiting.
var errQueueFull = errors.New("too many summaries are waiting")

// queueDir has one file per job. The process that works on the jobs holds queueLock.
func queueDir(commonDir string) string  { return filepath.Join(commonDir, "entire", "summarize") }
func queueLock(commonDir string) string { return filepath.Join(commonDir, "entire", "summarize.lock") }

// Enqueue adds a job for the next [Drain] of the repository.
func Enqueue(commonDir string, job Job, now time.Time) error {
	names, err := jobNames(commonDir)
	if err == nil && len(names) >= maxQueue {
		err = errQueueFull
	}
	var data []byte
	if err == nil {
		data, err = json.Marshal(job)
	}
	if err == nil {
		name := fmt.Sprintf("%020d-%s.json", now.UnixNano(), job.Checkpoint)
		err = durable.WriteCache(filepath.Join(queueDir(commonDir), name), data, 0o600)
	}
	if err != nil {
		return fmt.Errorf("queue summary of checkpoint %s: %w", job.Checkpoint, err)
	}
	return nil
}

// Drain does the repository's jobs, oldest first, until there are none. If another process is doing
// so, Drain returns, and that process does all jobs. Each job is tried once; it stays in the queue
// only if ctx is done.
func Drain(ctx context.Context, commonDir string, do func(context.Context, Job)) error {
	for {
		names, err := jobNames(commonDir)
		if err != nil || len(names) == 0 || ctx.Err() != nil {
			return err
		}
		lock, err := durable.AcquireWithin(queueLock(commonDir), 0)
		if errors.Is(err, durable.ErrHeld) {
			return nil
		}
		if err != nil {
			return err
		}
		err = drainLocked(ctx, commonDir, do)
		// A process that queued a job while the lock was held relies on this second check.
		if err = errors.Join(err, lock.Release()); err != nil {
			return err
		}
	}
}

func drainLocked(ctx context.Context, commonDir string, do func(context.Context, Job)) error {
	for {
		names, err := jobNames(commonDir)
		if err != nil || len(names) == 0 {
			return err
		}
		path := filepath.Join(queueDir(commonDir), names[0])
		if job, ok := readJob(path); ok {
			do(ctx, job)
		}
		if ctx.Err() != nil {
			return nil
		}
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("take job from the queue: %w", err)
		}
	}
}

// readJob reads a job; ok is false for other files.
func readJob(path string) (job Job, ok bool) {
	data, err := durable.ReadOwn(path)
	if err != nil {
		return job, false
	}
	err = json.Unmarshal(data, &job)
	return job, err == nil && !job.Checkpoint.IsZero()
}

// jobNames lists the files of the queue, oldest first.
func jobNames(commonDir string) ([]string, error) {
	entries, err := os.ReadDir(queueDir(commonDir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read queue of summaries: %w", err)
	}
	var names []string
	for _, e := range entries {
		if e.Type().IsRegular() && strings.HasSuffix(e.Name(), ".json") && !strings.HasPrefix(e.Name(), ".") {
			names = append(names, e.Name())
		}
	}
	slices.Sort(names)
	return names, nil
}
