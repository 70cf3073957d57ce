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

// unit is one step of indentation in what we write.
const unit = "  "

// lockWait is how long Update waits for another Update of the same repository.
const lockWait = 5 * time.Second

// keyOrder is the order in which known keys are written.
var keyOrder = []string{keyStrategy, keyEnabled, keyLocalDev, keyLogLevel, keyOptions, keyTelemetry}

// A File is one settings file being edited. It knows nothing of the other file.
type File struct {
	head   string // before the object
	object string // "{}" for a new file
	tail   string
}

// Update lets fn edit one settings file and then replaces the file, durably, if
// anything changed; an absent file is created. It refuses a file that is not a
// JSON object rather than lose what is in it. fn's error is returned as it is
// and nothing is written. Two Updates of one repository wait for each other.
func Update(top string, t Target, fn func(*File) error) error {
	path := Path(top, t)
	unlock, err := lock(top)
	if err != nil {
		return fmt.Errorf("edit settings %s: %w", path, err)
	}
	defer unlock()

	data, err := readPlain(path)
	if err != nil {
		return fmt.Errorf("edit settings %s: %w", path, err)
	}
	f, err := parseFile(data)
	if err != nil {
		return fmt.Errorf("edit settings %s: %w", path, err)
	}
	if err := fn(f); err != nil {
		return err
	}
	out := f.bytes()
	if bytes.Equal(out, data) || data == nil && f.object == "{}" {
		return nil
	}
	return durable.WriteFile(path, out, modeOf(path))
}

// lock takes the lock that guards both settings files and .entire/.gitignore.
// Its file is deleted afterwards, because .gitignore may not cover it yet.
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

// modeOf keeps the mode of a file that exists.
func modeOf(path string) os.FileMode {
	if info, err := os.Lstat(path); err == nil {
		return info.Mode().Perm()
	}
	return 0o644
}

// Get returns the JSON text of a key of this file.
func (f *File) Get(key string) (json.RawMessage, bool) { return get(f.object, key) }

// Set gives a key a value. Only the keys of the format are accepted, because
// other readers refuse a file with any other; our own go to SetOption.
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

// Delete removes a key; an absent one is fine.
func (f *File) Delete(key string) { f.object = removeMember(f.object, key) }

// Option returns the JSON text of a member of strategy_options.
func (f *File) Option(name string) (json.RawMessage, bool) {
	options, ok := get(f.object, keyOptions)
	if !ok || options[0] != '{' {
		return nil, false
	}
	return get(string(options), name)
}

// SetOption gives a member of strategy_options a value and leaves the others
// alone. It fails if strategy_options is there and no object.
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

// DeleteOption removes a member of strategy_options, and strategy_options with
// its last member.
func (f *File) DeleteOption(name string) {
	raw, ok := f.Option(name)
	if !ok || raw == nil {
		return
	}
	options, _ := get(f.object, keyOptions)
	rest := removeMember(string(options), name)
	if rest == "{}" {
		f.Delete(keyOptions)
		return
	}
	f.object = setMember(f.object, keyOptions, rest, "", keyOrder)
}

// step is the indentation of the file's first key, the unit for a new file.
func (f *File) step() string {
	list := members(f.object)
	if len(list) == 0 {
		return unit
	}
	space := f.object[1:list[0].start]
	return space[strings.LastIndexByte(space, '\n')+1:]
}

// encode writes a value whose first line is indented by indent already.
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
