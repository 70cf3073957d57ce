package config

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tidwall/gjson"
)

// Find returns the setting that a name stands for: its key, with or without "strategy_options.". Key is the
// path of that name, where the setting's own ends in "*".
func Find(name string) (s Setting, key string, ok bool) {
	for _, key := range []string{optionPrefix + name, name} {
		for _, s := range Table {
			prefix, any := strings.CutSuffix(s.Key, "*")
			if s.Key == key || any && len(key) > len(prefix) && strings.HasPrefix(key, prefix) {
				return s, key, true
			}
		}
	}
	return Setting{}, "", false
}

// segments returns the members through which a key leads. What follows the prefix of a "*" is one member.
func (s Setting) segments(key string) []string {
	if prefix, any := strings.CutSuffix(s.Key, ".*"); any {
		return append(strings.Split(prefix, "."), key[len(prefix)+1:])
	}
	return strings.Split(key, ".")
}

// Foreign reports whether the setting is another version's, which is read and not written.
func (s Setting) Foreign() bool { return s.Key == keyLinking }

// WrongFor returns what the value of a key must be, or "" if raw, which is JSON, is valid.
func (s Setting) WrongFor(key string, raw json.RawMessage) string {
	v := gjson.ParseBytes(raw)
	if len(s.Values) > 0 && (v.Type != gjson.String || !slices.Contains(s.Values, v.Str) && !(s.Key == keyLogLevel && isLogLevel(v.Str))) {
		return strings.Join(quoted(s.Values), " or ")
	}
	if want := s.wrongKind(v); want != "" {
		return want
	}
	if strings.HasPrefix(key, globalPrefix) {
		return ""
	}
	object := string(raw)
	path := s.segments(key)
	for _, member := range slices.Backward(path) {
		object = "{" + quote(member) + ":" + object + "}"
	}
	for _, w := range (&Settings{}).merge(object, Local) {
		return w.want
	}
	return ""
}

// wrongKind returns what the value must be, as far as its type says it, or "".
func (s Setting) wrongKind(v gjson.Result) string {
	ok := true
	switch s.Kind {
	case Bool:
		ok = v.IsBool()
	case String:
		ok = v.Type == gjson.String && v.Str != ""
	case Number, Whole:
		ok = v.Type == gjson.Number
	case Texts:
		ok = v.IsArray()
		for _, one := range v.Array() {
			ok = ok && one.Type == gjson.String && one.Str != "" && (s.Key != globalPrefix+"exclude.paths" || filepath.IsAbs(one.Str))
		}
	}
	switch {
	case ok:
		return ""
	case s.Key == globalPrefix+"exclude.paths":
		return "a list of absolute paths"
	case s.Kind == Bool:
		return wantBool
	case s.Kind == String:
		return wantText
	}
	return "a " + string(s.Kind)
}

func quoted(list []string) (out []string) {
	for _, one := range list {
		out = append(out, quote(one))
	}
	return out
}
