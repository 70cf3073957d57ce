package bodies

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"entire/internal/durable"
)

// forgotten is the folder with an empty file for each body that may have to leave the bucket.
const forgotten = "forgotten"

// Used reports whether the clone ever had a body, or knows of a bucket.
func (f *Folder) Used() bool {
	_, err := os.Lstat(f.dir)
	return err == nil
}

// NoteForgotten notes that a body may have to leave the bucket.
func (f *Folder) NoteForgotten(name string) error {
	return durable.WriteFile(f.path(forgotten, name), nil, 0o600)
}

// Forgotten returns the bodies that NoteForgotten noted.
func (f *Folder) Forgotten() ([]string, error) {
	names, err := f.list(forgotten)
	var list []string
	for name := range names {
		list = append(list, name)
	}
	return list, err
}

// ForgottenDone removes a note.
func (f *Folder) ForgottenDone(name string) error {
	return durable.Remove(f.path(forgotten, name))
}

// Fresh reports whether a body waits that was needed after a time: nothing may name it yet.
func (f *Folder) Fresh(name string, after time.Time) bool {
	info, err := os.Stat(f.path(waiting, name))
	return err == nil && info.ModTime().After(after)
}

// sweptName is a file with what was forgotten when the folder was last cleaned.
const sweptName = "swept"

const maxSwept = 4096

// Swept returns what SetSwept stored; "" if nothing.
func (f *Folder) Swept() (string, error) {
	data, err := durable.ReadPlain(filepath.Join(f.dir, sweptName), maxSwept)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return string(data), err
}

// SetSwept stores what was forgotten when the folder was cleaned.
func (f *Folder) SetSwept(state string) error {
	return durable.WriteFile(filepath.Join(f.dir, sweptName), []byte(state), 0o600)
}
