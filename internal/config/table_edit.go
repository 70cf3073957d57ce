package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"entire/internal/durable"
)

// ErrNotSet is the error of Unset for a key that the file does not have.
var ErrNotSet = errors.New("it is not set there")

// SetKey sets a key of the table in a settings file of the repository at top. The value must be valid.
func SetKey(top string, t Target, s Setting, key string, raw json.RawMessage) error {
	return Update(top, t, func(f *File) error { return f.setPath(s.segments(key), raw) })
}

// UnsetKey removes a key from a settings file of the repository at top, and the objects that it leaves empty.
func UnsetKey(top string, t Target, s Setting, key string) error {
	return Update(top, t, func(f *File) error { return f.unsetPath(s.segments(key)) })
}

// SetUserKey sets a key in the user's file in the data directory.
func SetUserKey(data string, s Setting, key string, raw json.RawMessage) error {
	path, inner := userFile(data, key)
	return updateUser(path, func(f *File) error { return f.setPath(s.segments(inner), raw) })
}

// UnsetUserKey removes a key from the user's file in the data directory.
func UnsetUserKey(data string, s Setting, key string) error {
	path, inner := userFile(data, key)
	return updateUser(path, func(f *File) error { return f.unsetPath(s.segments(inner)) })
}

// userFile returns the user's file that has a key, and its key there.
func userFile(data, key string) (path, inner string) {
	if rest, ok := strings.CutPrefix(key, globalPrefix); ok {
		return GlobalPath(data), rest
	}
	return filepath.Join(data, userRetention), strings.TrimPrefix(key, optionPrefix+optionRetention+".")
}

// updateUser is Update for a file in the data directory.
func updateUser(path string, fn func(*File) error) error {
	l, err := durable.AcquireWithin(path+".lock", lockWait)
	if err != nil {
		return fmt.Errorf("edit settings %s: %w", path, err)
	}
	defer l.Discard()
	data, f, err := edited(path, fn)
	if err != nil {
		return err
	}
	if out := f.bytes(); !bytes.Equal(out, data) {
		return durable.WriteFile(path, out, 0o600)
	}
	return nil
}

// setPath sets the value at a path of members, and makes the objects on the way.
func (f *File) setPath(path []string, raw json.RawMessage) error {
	object, err := f.setIn(f.object, path, raw, "")
	f.object = object
	return err
}

func (f *File) setIn(object string, path []string, raw json.RawMessage, indent string) (string, error) {
	if len(path) == 1 {
		text, err := f.encode(raw, indent+f.step())
		if err != nil {
			return object, err
		}
		return setMember(object, path[0], text, indent, orderAt(indent)), nil
	}
	inner := "{}"
	if has, ok := get(object, path[0]); ok && string(has) != "null" {
		inner = string(has)
	}
	if inner[0] != '{' {
		return object, fmt.Errorf("%q is not an object there but %s", path[0], inner)
	}
	inner, err := f.setIn(inner, path[1:], raw, indent+f.step())
	if err != nil {
		return object, err
	}
	return setMember(object, path[0], inner, indent, orderAt(indent)), nil
}

// orderAt returns the order of keys in an object of an indentation.
func orderAt(indent string) []string {
	if indent == "" {
		return keyOrder
	}
	return nil
}

// unsetPath removes the value at a path of members, and the objects that it leaves empty.
func (f *File) unsetPath(path []string) error {
	object, ok := unsetIn(f.object, path)
	if !ok {
		return ErrNotSet
	}
	f.object = object
	return nil
}

func unsetIn(object string, path []string) (string, bool) {
	if len(path) == 1 {
		return removeMember(object, path[0])
	}
	has, ok := get(object, path[0])
	if !ok || has[0] != '{' {
		return object, false
	}
	inner, ok := unsetIn(string(has), path[1:])
	switch {
	case !ok:
		return object, false
	case len(members(inner)) == 0:
		return removeMember(object, path[0])
	}
	list := members(object)
	m := list[find(list, path[0])]
	return object[:m.value] + inner + object[m.end:], true
}

// removeMember removes every member of a name with the comma that it needs no longer.
func removeMember(object, key string) (string, bool) {
	removed := false
	for {
		list := members(object)
		i := find(list, key)
		switch {
		case i < 0:
			return object, removed
		case len(list) == 1:
			object = "{}"
		case i == 0:
			object = object[:list[0].start] + object[list[1].start:]
		default:
			object = object[:list[i-1].end] + object[list[i].end:]
		}
		removed = true
	}
}
