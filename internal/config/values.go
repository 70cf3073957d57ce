package config

import (
	"errors"
	"fmt"
	"iter"
	"strings"

	"github.com/tidwall/gjson"
)

// A WrongValue is a setting that is ignored because its value is invalid. The other settings apply.
type WrongValue struct {
	Path string // of the file
	Key  string // the key's path, separated by dots
	Want string // the valid values
}

func (v WrongValue) Error() string {
	return fmt.Sprintf("read settings %s: %q has a wrong value: it must be %s", v.Path, v.Key, v.Want)
}

// Why describes the problem without naming the file.
func (v WrongValue) Why() string {
	return fmt.Sprintf("%s must be %s; its value is ignored", v.Key, v.Want)
}

// WrongValues is the error of Load for readable files with invalid values.
type WrongValues []WrongValue

func (w WrongValues) Error() string {
	var all []string
	for _, v := range w {
		all = append(all, v.Error())
	}
	return strings.Join(all, "\n")
}

// Readable reports whether Load could read the files, given its error: what they say counts, except for wrong values.
func Readable(err error) bool {
	var wrong WrongValues
	return err == nil || errors.As(err, &wrong)
}

// wrong is a key and its valid values.
type wrong struct{ key, want string }

const (
	wantBool   = "true or false"
	wantText   = "a text"
	wantObject = "an object"
)

func wantOf(key string) string {
	switch key {
	case keyStrategy:
		return strings.Join(quoted(strategies), " or ")
	case keyLogLevel:
		return strings.Join(quoted(logLevels), " or ")
	case keyCheckpoints:
		return wantObject
	case keyOptions:
		return wantObject
	case keyLinking:
		return quote(LinkAlways) + " or " + quote(LinkPrompt)
	}
	return wantBool
}

// wrongOption returns the invalid values of an option. null counts as absent.
func wrongOption(key string, v gjson.Result) []wrong {
	if v.Type == gjson.Null {
		return nil
	}
	name := keyOptions + "." + key
	switch {
	case key == optionPushSessions && !v.IsBool():
		return []wrong{{name, wantBool}}
	case key == optionCommitLinking && v.String() != LinkAlways && v.String() != LinkPrompt:
		return []wrong{{name, quote(LinkAlways) + " or " + quote(LinkPrompt)}}
	case key == optionTrailers && wrongTrailers(v) != "":
		return []wrong{{name, wrongTrailers(v)}}
	case key == optionCheckpointRemote, key == optionCheckpointPushRemote:
		if want := wrongRemote(v); want != "" {
			return []wrong{{name, want}}
		}
		return nil
	case !objectOptions[key]:
		return nil
	case !v.IsObject():
		return []wrong{{name, wantObject}}
	}
	var out []wrong
	for _, m := range members(v.Raw) {
		if want := wrongMember(key, m.key, gjson.Parse(m.raw(v.Raw))); want != "" {
			out = append(out, wrong{name + "." + m.key, want})
		}
	}
	return out
}

// objectOptions are the options that are objects.
var objectOptions = map[string]bool{
	optionSummarize: true, optionSessionStore: true, optionCapture: true, optionRewind: true, optionTurns: true,
	optionRetention: true, optionCheckpoints: true, optionState: true, optionAgents: true, optionGuard: true,
	optionRescue: true, optionEncryption: true,
	optionMCP:   true,
	optionAudit: true, optionBucket: true, optionSeal: true,
}

// wrongMember returns what a member of an option must be, or "" if v is valid.
func wrongMember(option, key string, v gjson.Result) string {
	switch {
	case v.Type == gjson.Null:
	case option == optionCapture:
		return wrongCapture(key, v)
	case option == optionRewind:
		return wrongRewind(key, v)
	case option == optionTurns:
		return wrongTurns(key, v)
	case option == optionRetention:
		return wrongRetention(key, v)
	case option == optionCheckpoints:
		return wrongCheckpoints(key, v)
	case option == optionState:
		return wrongState(key, v)
	case option == optionRescue:
		return wrongRescue(key, v)
	case option == optionMCP:
		return wrongMCP(key, v)
	case option == optionAudit:
		return wrongAudit(key, v)
	case option == optionGuard:
		return wrongGuard(key, v)
	case option == optionAgents:
		return wrongAgents(key, v)
	case option == optionEncryption:
		return wrongEncryption(key, v)
	case option == optionBucket:
		return wrongBucket(key, v)
	case option == optionSeal:
		return wrongSeal(key, v)
	case option == optionSummarize:
		return wrongSummarize(key, v)
	case key == keyEnabled && !v.IsBool():
		return wantBool
	}
	return ""
}

// validMembers returns the members of an option with valid values, in the order of the file, where the
// last of equal keys counts. An option that is no object has none.
func validMembers(option gjson.Result, wrong func(key string, v gjson.Result) string) iter.Seq2[string, gjson.Result] {
	return func(yield func(string, gjson.Result) bool) {
		if !option.IsObject() {
			return
		}
		for _, m := range members(option.Raw) {
			v := gjson.Parse(m.raw(option.Raw))
			if v.Type != gjson.Null && wrong(m.key, v) == "" && !yield(m.key, v) {
				return
			}
		}
	}
}

// wrongSeal returns what a member of the seal option must be, or "" if v is valid.
func wrongSeal(key string, v gjson.Result) string {
	if key == sealOver && (v.Type != gjson.Number || v.Num < 0 || v.Num > maxSealOver || v.Num != float64(int(v.Num))) {
		return fmt.Sprintf("a whole number, at most %d; 0 for never", int(maxSealOver))
	}
	return ""
}
