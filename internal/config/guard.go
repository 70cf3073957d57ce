package config

import (
	"encoding/json"
	"fmt"
	"maps"

	"github.com/tidwall/gjson"
)

// guardDeny is a member of the guard option in the settings files, beside "enabled".
const guardDeny = "deny"

// guardWatch is another: session starts start `entire watch`.
const guardWatch = "watch"

// maxDeny is the most patterns of commands that are refused.
const maxDeny = 100

// Guard reports whether the files are saved before a shell command that may lose work. They are, unless the
// settings say otherwise.
func (s Settings) Guard() bool { return s.Checkpoints().BeforeRisky }

// guarded returns the value of the guard option alone.
func (s Settings) guarded() bool {
	v := gjson.GetBytes(s.StrategyOptions[optionGuard], keyEnabled)
	return v.Type != gjson.False
}

// deniedBy returns the patterns in a guard option, or none if it is invalid.
func deniedBy(option gjson.Result) []string {
	list := option.Get(guardDeny)
	if !list.Exists() || wrongGuard(guardDeny, list) != "" {
		return nil
	}
	return texts(list)
}

// wrongGuard returns what a member of the guard option must be, or "" if v is valid.
func wrongGuard(key string, v gjson.Result) string {
	switch key {
	case keyEnabled, guardWatch:
		if !v.IsBool() {
			return wantBool
		}
	case guardDeny:
		return wrongTexts(v, maxDeny, `commands, such as "git push --force"`, isText)
	}
	return ""
}

// WithGuard returns the settings with the guard switched on or off.
func (s Settings) WithGuard(on bool) Settings {
	s.StrategyOptions = maps.Clone(s.StrategyOptions)
	if s.StrategyOptions == nil {
		s.StrategyOptions = map[string]json.RawMessage{}
	}
	s.StrategyOptions[optionGuard] = switched(gjson.ParseBytes(s.StrategyOptions[optionGuard]), on)
	return s
}

// SetGuard switches the guard on or off in a settings file. What else the file says of the guard stays.
func SetGuard(f *File, on bool) error {
	options, _ := f.Get(keyOptions)
	return f.SetOption(optionGuard, switched(gjson.GetBytes(options, optionGuard), on))
}

// switched returns a guard option with "enabled" set.
func switched(option gjson.Result, on bool) json.RawMessage {
	have := map[string]json.RawMessage{}
	if option.IsObject() && json.Unmarshal([]byte(option.Raw), &have) != nil {
		have = map[string]json.RawMessage{}
	}
	have[keyEnabled] = json.RawMessage(fmt.Sprint(on))
	text, err := json.Marshal(have)
	if err != nil {
		return json.RawMessage(`{}`) // no object that was parsed fails
	}
	return text
}
