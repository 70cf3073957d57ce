package bodies

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"entire/internal/durable"
)

// Send puts those of the named bodies that wait into the bucket, and returns how many are there now that were not known
// to be. A body that the bucket was seen to have waits no longer. After an error, the others wait on.
func (f *Folder) Send(ctx context.Context, names []string) (sent int, err error) {
	there, err := f.Waiting()
	if err != nil {
		return 0, err
	}
	var jobs []Job
	for _, name := range names {
		if size, waits := there[name]; waits {
			jobs = append(jobs, Job{Do: "put", SHA256: name, Size: size, File: f.path(waiting, name)})
		}
	}
	if len(jobs) == 0 {
		return 0, nil
	}
	if err := os.MkdirAll(f.path(kept, ""), 0o700); err != nil {
		return 0, err
	}
	failed, err := f.runEach(ctx, jobs, func(name string) error {
		sent++
		return os.Rename(f.path(waiting, name), f.path(kept, name))
	})
	return sent, firstOf("put", len(jobs), failed, err)
}

// Delete removes bodies from the bucket, and returns those that it does not have now. The folder keeps what it has of them.
func (f *Folder) Delete(ctx context.Context, names []string) (deleted []string, err error) {
	if len(names) == 0 {
		return nil, nil
	}
	var jobs []Job
	for _, name := range names {
		jobs = append(jobs, Job{Do: "delete", SHA256: name})
	}
	failed, err := f.runEach(ctx, jobs, func(name string) error {
		deleted = append(deleted, name)
		return nil
	})
	return deleted, firstOf("delete", len(jobs), failed, err)
}

// Confirm returns those of the named bodies that the bucket has. It gets again what it has lost and this clone keeps.
func (f *Folder) Confirm(ctx context.Context, names []string) (there []string, err error) {
	var jobs []Job
	for _, name := range names {
		jobs = append(jobs, Job{Do: "confirm", SHA256: name, File: f.path(kept, name)})
	}
	failed, err := f.runEach(ctx, jobs, func(name string) error {
		there = append(there, name)
		return nil
	})
	return there, firstOf("confirm", len(jobs), failed, err)
}

// Check asks the bucket for bodies, and says of each that it does not have as it should why.
func (f *Folder) Check(ctx context.Context, pointers []Pointer) (map[string]error, error) {
	var jobs []Job
	for _, p := range pointers {
		jobs = append(jobs, Job{Do: "check", SHA256: p.SHA256, Size: p.Size})
	}
	return f.run(ctx, jobs)
}

// WaitAgain makes a body that the bucket does not have, or soon will not, wait for being sent, if this clone has it.
func (f *Folder) WaitAgain(name string) error {
	return f.move(kept, waiting, name)
}

// Drop removes a body from the folder.
func (f *Folder) Drop(name string) error {
	return errors.Join(durable.Remove(f.path(kept, name)), durable.Remove(f.path(waiting, name)))
}

// Idle returns the bodies that the bucket has and that were not needed since a time.
func (f *Folder) Idle(since time.Time) (idle []string, err error) {
	names, err := f.Kept()
	for name := range names {
		if info, serr := os.Stat(f.path(kept, name)); serr == nil && info.ModTime().Before(since) {
			idle = append(idle, name)
		}
	}
	return idle, err
}

// Dir returns the folder.
func (f *Folder) Dir() string { return filepath.Clean(f.dir) }

// firstOf returns one error for all that failed.
func firstOf(do string, all int, failed map[string]error, err error) error {
	if err != nil {
		return err
	}
	for name, why := range failed {
		return fmt.Errorf("%s %d of %d bodies, such as %.12s: %w", do, len(failed), all, name, why)
	}
	return nil
}
