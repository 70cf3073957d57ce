package config

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"entire/internal/durable"
)

// unit is one level of indentation in new text.
const unit = "  "

// lockWait is how long Update waits for another Update of the same repository.
const lockWait = 5 * time.Second

// keyOrder is the order in which known keys are written.
var keyOrder = []string{keyStrategy, keyEnabled, keyLocalDev, keyLogLevel, keyOptions, keyTelemetry}

// A File is one settings file during an update, independent of the other file.
type File struct {
	head   string // text before the object
	object string // "{}" for a new file
	tail   string
}

// Update calls fn to edit one settings file, and durably replaces the file if it changed. It creates
// an absent file and refuses a file that is not a JSON object. If fn fails, Update returns fn's error
// and writes nothing. Concurrent Updates of one repository wait for each other.
func Update(top string, t Target, fn func(*File) error) error {
	path := Path(top, t)
	unlock, err := lock(top)
	if err != nil {
		return fmt.Errorf("edit settings %s: %w", path, err)
	}
	defer unlock()

	data, f, err := edited(path, fn)
	if err != nil {
		return err
	}
	out := f.bytes()
	if bytes.Equal(out, data) || data == nil && f.object == "{}" {
		return nil
	}
	return durable.WriteFile(path, out, modeOf(path))
}

// edited reads a settings file and lets fn edit it in memory. It also returns what the file has, nil for no file.
func edited(path string, fn func(*File) error) (data []byte, f *File, err error) {
	if data, err = readPlain(path); err == nil {
		f, err = parseFile(data)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("edit settings %s: %w", path, err)
	}
	return data, f, fn(f)
}

// lock takes the lock for both settings files and .entire/.gitignore. unlock deletes the lock file,
// because .gitignore may not cover it yet.
func lock(top string) (unlock func(), err error) {
	if info, err := os.Stat(top); err != nil {
		return nil, plain(err)
	} else if !info.IsDir() {
		return nil, fmt.Errorf("%s is not a directory", top)
	}
	tmp := filepath.Join(top, dirName, "tmp")
	for _, dir := range []string{filepath.Dir(tmp), tmp} {
		if err := checkDir(dir); err != nil {
			return nil, err
		}
	}
	l, err := durable.AcquireWithin(filepath.Join(tmp, "settings.lock"), lockWait)
	if err != nil {
		return nil, err
	}
	return func() { l.Discard() }, nil
}

func parseFile(data []byte) (*File, error) {
	if len(bytes.TrimSpace(data)) == 0 {
		return &File{object: "{}", tail: "\n"}, nil
	}
	object, err := decode(data)
	if err != nil {
		return nil, err
	}
	head, tail, _ := strings.Cut(string(data), object)
	return &File{head, object, tail}, nil
}

func (f *File) bytes() []byte { return []byte(f.head + f.object + f.tail) }

// modeOf returns the mode of an existing file, or the mode for a new one.
func modeOf(path string) os.FileMode {
	if info, err := os.Lstat(path); err == nil {
		return info.Mode().Perm()
	}
	return 0o644
}

// Get returns the JSON text of a key of this file.
func (f *File) Get(key string) (json.RawMessage, bool) { return get(f.object, key) }

// Set sets a key of the format. It refuses other keys, because other programs refuse a file with
// unknown keys; entire's own settings use SetOption.
func (f *File) Set(key string, value any) error {
	if !slices.Contains(keyOrder, key) {
		return fmt.Errorf("set %q: no such setting", key)
	}
	raw, err := f.encode(value, f.step())
	if err != nil {
		return fmt.Errorf("set %q: %w", key, err)
	}
	f.object = setMember(f.object, key, raw, "", keyOrder)
	return nil
}

// SetOption sets a member of strategy_options. It fails if strategy_options is not an object.
func (f *File) SetOption(name string, value any) error {
	options := "{}"
	if raw, ok := get(f.object, keyOptions); ok && string(raw) != "null" {
		options = string(raw)
	}
	if options[0] != '{' {
		return fmt.Errorf("set option %q: %q is not an object", name, keyOptions)
	}
	step := f.step()
	raw, err := f.encode(value, step+step)
	if err != nil {
		return fmt.Errorf("set option %q: %w", name, err)
	}
	options = setMember(options, name, raw, step, nil)
	f.object = setMember(f.object, keyOptions, options, "", keyOrder)
	return nil
}

// step returns the indentation of the file's first key, or unit for a new file.
func (f *File) step() string {
	list := members(f.object)
	if len(list) == 0 {
		return unit
	}
	space := f.object[1:list[0].start]
	return space[strings.LastIndexByte(space, '\n')+1:]
}

// encode returns a value as JSON for a line that is already indented by indent.
func (f *File) encode(value any, indent string) (string, error) {
	raw, err := json.MarshalIndent(value, indent, unit)
	return string(raw), err
}

func get(object, key string) (json.RawMessage, bool) {
	list := members(object)
	i := find(list, key)
	if i < 0 {
		return nil, false
	}
	return json.RawMessage(list[i].raw(object)), true
}

func quote(s string) string {
	raw, _ := json.Marshal(s) // a string always marshals
	return string(raw)
}
