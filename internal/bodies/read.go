package bodies

import (
	"context"
	"errors"
	"fmt"
	"os"

	"entire/internal/durable"
	"entire/internal/seal"
)

// ErrNotHere is the cause of an AbsentError of a body that is only not in this clone: nothing is wrong with it.
var ErrNotHere = errors.New("it is not in this clone")

// AbsentError says that a body could not be had.
type AbsentError struct {
	Pointer
	Why error
}

func (e *AbsentError) Error() string {
	return fmt.Sprintf("its text of %d KiB (body %.12s) is not to be had: %v", (e.Plain+1023)>>10, e.SHA256, e.Why)
}

func (e *AbsentError) Unwrap() error { return e.Why }

// Read returns the texts of bodies: from the folder and, for those that are not there, from the bucket, all in one go. A
// text that is not to be had is nil, and its error is an [AbsentError], or that of Open.
func (f *Folder) Read(ctx context.Context, pointers []Pointer) (texts [][]byte, errs []error) {
	texts, errs = make([][]byte, len(pointers)), make([]error, len(pointers))
	absent := map[string]Pointer{}
	for i, p := range pointers {
		if texts[i], errs[i] = f.local(ctx, p); errors.Is(errs[i], ErrNotHere) {
			absent[p.SHA256] = p
		}
	}
	if len(absent) == 0 {
		return texts, errs
	}
	why := f.fetch(ctx, absent)
	for i, p := range pointers {
		if _, asked := absent[p.SHA256]; !asked || !errors.Is(errs[i], ErrNotHere) {
			continue
		}
		if err := why[p.SHA256]; err != nil {
			errs[i] = &AbsentError{p, err}
			continue
		}
		texts[i], errs[i] = f.local(ctx, p)
	}
	return texts, errs
}

// local reads a body from the folder. One whose file is damaged counts as not there. Remove may put a body aside and back
// meanwhile.
func (f *Folder) local(ctx context.Context, p Pointer) ([]byte, error) {
	for _, folder := range []string{kept, waiting, leaving, waiting} {
		body, err := durable.ReadPlain(f.path(folder, p.SHA256), maxBody)
		if err != nil || NameOf(body) != p.SHA256 {
			continue
		}
		f.use(folder, p.SHA256)
		if f.Open != nil {
			if body, err = f.Open(ctx, body); err != nil {
				return nil, err
			}
		}
		text, err := f.decode(body, p.Plain)
		if err != nil {
			return nil, &AbsentError{p, fmt.Errorf("it cannot be decompressed: %w", err)}
		}
		return text, nil
	}
	return nil, &AbsentError{p, ErrNotHere}
}

// fetch gets bodies from the bucket into the folder, and says of each that did not come why.
func (f *Folder) fetch(ctx context.Context, absent map[string]Pointer) map[string]error {
	all := func(err error) map[string]error {
		why := map[string]error{}
		for name := range absent {
			why[name] = err
		}
		return why
	}
	if !f.Fetch {
		return all(ErrNotHere)
	}
	f.mu.Lock()
	failed := f.failed
	f.mu.Unlock()
	if failed.err != nil && (f.Now == nil || f.Now().Sub(failed.at) < failureStays) {
		return all(failed.err)
	}
	if err := os.MkdirAll(f.path(kept, ""), 0o700); err != nil {
		return all(err)
	}
	var jobs []Job
	for name, p := range absent {
		jobs = append(jobs, Job{Do: "get", SHA256: name, Size: p.Size, File: f.path(kept, name)})
	}
	if _, agreed, err := f.Bucket(); f.Tell != nil && err == nil && agreed {
		f.Tell(len(jobs))
	}
	why, err := f.run(ctx, jobs)
	if err != nil {
		f.mu.Lock()
		if f.failed.err = err; f.Now != nil { // the next bodies would wait for the same
			f.failed.at = f.Now()
		}
		f.mu.Unlock()
		return all(err)
	}
	return why
}

// Sealed reports whether the body that a blob stands for is here and sealed.
func (f *Folder) Sealed(blob []byte) bool {
	p, err := Parse(blob)
	if err != nil {
		return false
	}
	for _, folder := range []string{kept, waiting, leaving} {
		if body, err := durable.ReadPlain(f.path(folder, p.SHA256), maxBody); err == nil {
			return seal.Is(body)
		}
	}
	return false
}
