package config

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tidwall/gjson"
)

// A Value is what counts of a setting, or what of it is ignored.
type Value struct {
	Setting
	Name string          // of the key, as commands show it
	Raw  json.RawMessage // nil if it is not set and has no default
	From string          // default, project, local or user
	Path string          // of the file; "" for a default
	// Ignored says why the value in the file does not count; "" if it does.
	Ignored string
}

// The places that a value comes from.
const (
	FromDefault = "default"
	FromProject = "project"
	FromLocal   = "local"
	FromUser    = "user"
)

// A source is one settings file as it is read.
type source struct {
	place      Place
	from, path string
	object     string
	strip      string // the prefix of keys that the file has not
}

// sources reads the files of the repository at top, "" for none, and the user's in data, "" for none.
func sources(top, data string) (list []source, err error) {
	if top != "" {
		for _, t := range []Target{Local, Project} {
			object, err := read(top, t)
			if err != nil {
				return nil, err
			}
			s := source{place: InProject, from: FromProject, path: Path(top, t), object: object}
			if t == Local {
				s.place, s.from = InLocal, FromLocal
			}
			list = append(list, s)
		}
	}
	if data == "" {
		return list, nil
	}
	for name, strip := range map[string]string{globalName: globalPrefix, userRetention: optionPrefix + optionRetention + "."} {
		s := source{place: InUser, from: FromUser, path: filepath.Join(data, name), strip: strip}
		text, err := readPlain(s.path)
		if err == nil && text != nil {
			s.object, err = decode(text)
		}
		if err != nil {
			return nil, fmt.Errorf("read settings %s: %w", s.path, err)
		}
		list = append(list, s)
	}
	slices.SortStableFunc(list[len(list)-2:], func(a, b source) int { return strings.Compare(a.path, b.path) })
	return list, nil
}

// Values returns all settings with what counts here, in the order of the table. A setting that several files
// add to, or that a file has in vain, has a row for each.
func Values(top, data string) ([]Value, error) {
	files, err := sources(top, data)
	if err != nil {
		return nil, err
	}
	var all []Value
	for _, s := range Table {
		all = append(all, s.values(files)...)
	}
	return all, nil
}

func (s Setting) values(files []source) (all []Value) {
	counts := false
	for i, f := range files {
		for _, key := range s.keysIn(f) {
			raw, ok := f.valueOf(s, key)
			if !ok {
				continue
			}
			v := Value{Setting: s, Name: strings.TrimPrefix(key, optionPrefix), Raw: raw, From: f.from, Path: f.path}
			v.Ignored = s.ignored(f, key, raw, files[:i])
			counts = counts || v.Ignored == ""
			all = append(all, v)
		}
	}
	if !counts && !strings.HasSuffix(s.Key, "*") && !s.Foreign() {
		v := Value{Setting: s, Name: s.Name(), From: FromDefault}
		if s.Default != "" {
			v.Raw = json.RawMessage(s.Default)
		}
		all = append(all, v)
	}
	return all
}

// keysIn returns the keys of a file that the setting stands for.
func (s Setting) keysIn(f source) []string {
	prefix, any := strings.CutSuffix(s.Key, ".*")
	if !any {
		return []string{s.Key}
	}
	var keys []string
	for _, m := range members(valueAt(orEmpty(f.object), prefix).Raw) {
		if key := prefix + "." + m.key; !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	return keys
}

func orEmpty(object string) string {
	if object == "" {
		return "{}"
	}
	return object
}

// valueOf returns what a file says for a key; null counts as absent.
func (f source) valueOf(s Setting, key string) (json.RawMessage, bool) {
	if f.strip != "" && !strings.HasPrefix(key, f.strip) || f.strip == "" && strings.HasPrefix(key, globalPrefix) {
		return nil, false
	}
	v := gjson.Parse(orEmpty(f.object))
	for _, member := range s.segments(strings.TrimPrefix(key, f.strip)) {
		if !v.IsObject() {
			return nil, false
		}
		v = lastOf(v.Raw, member)
	}
	return json.RawMessage(v.Raw), v.Exists() && v.Type != gjson.Null
}

// ignored says why a value does not count, "" if it does. stronger are the files that count before it.
func (s Setting) ignored(f source, key string, raw json.RawMessage, stronger []source) string {
	if s.In&f.place == 0 {
		return s.Why
	}
	if want := s.WrongFor(key, raw); want != "" {
		return "it must be " + want
	}
	if s.adds() || f.place == InUser {
		return ""
	}
	option, isOption := s.option()
	for _, other := range stronger {
		if s.In&other.place == 0 {
			continue
		}
		if isOption && lastOf(lastOf(orEmpty(other.object), keyOptions).Raw, option).Exists() {
			return other.from + " settings have " + option + ", which counts as a whole"
		}
		if has, ok := other.valueOf(s, key); ok && s.WrongFor(key, has) == "" {
			return other.from + " settings come first"
		}
	}
	return ""
}

// adds reports whether what one file says is added to what the other says.
func (s Setting) adds() bool { return strings.HasPrefix(s.Key, keyRedaction+".") }

// option returns the name of the option that has the setting.
func (s Setting) option() (string, bool) {
	rest, ok := strings.CutPrefix(s.Key, optionPrefix)
	name, _, _ := strings.Cut(rest, ".")
	return name, ok
}

// Shadowed returns the settings of the project that stop counting when the local file begins to have the
// option of s.
func Shadowed(top string, s Setting) (names []string, err error) {
	files, err := sources(top, "")
	option, isOption := s.option()
	if err != nil || !isOption || lastOf(lastOf(orEmpty(files[0].object), keyOptions).Raw, option).Exists() {
		return nil, err
	}
	for _, other := range Table {
		name, ok := other.option()
		if _, has := files[1].valueOf(other, other.Key); ok && has && name == option && other.Key != s.Key && other.In == Both {
			names = append(names, other.Name())
		}
	}
	return names, nil
}
