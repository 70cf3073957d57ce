package config

import (
	"path/filepath"
	"strings"

	"github.com/tidwall/gjson"
)

// An Unfollowed is a setting of other versions that asks for something which this one does not do.
type Unfollowed struct {
	Path  string // of the file
	Key   string // the key's path, separated by dots
	Why   string // what is so instead
	Hint  string // what has that effect here; "" for nothing
	Loses bool   // what it protects is not protected
}

// unfollowed are the settings that are named where a file has them. A value that asks for nothing (false, 0, empty,
// "enabled": false) is not.
var unfollowed = []Unfollowed{
	{Key: "checkpoints.mirrors", Why: "a checkpoint is written to one place", Hint: "`entire share push --agree REMOTE` sends it to others, too"},
	{Key: "sign_checkpoint_commits", Why: "strategy_options.audit.sign decides here"},
	{Key: "summary_generation", Why: "strategy_options.summarize says who summarises here"},
	{Key: "summary_timeout_seconds", Why: "strategy_options.summarize.timeout_seconds says how long a summary may take here"},
	{Key: "external_agents", Why: "a plug-in runs only if it is allowed by its name", Hint: "entire agent add NAME --allow-plugin"},
	{Key: "review", Why: "no agents are run for a review here"},
	{Key: "strategy_options.filtered_fetches", Why: "a fetch takes the whole of each checkpoint"},
	{Key: "redaction.packs", Why: "what only these rules find is stored", Loses: true},
	{Key: "redaction.openai_privacy_filter", Why: "what only this filter finds is stored, and sent where you agreed to", Loses: true},
	{Key: "redaction.externalize_images", Why: "images stay in the transcript"},
	{Key: "redaction.goredact", Why: "secrets are found by this program's own rules"},
}

const userHint = "`entire enable --global` records every repository of yours"

// NotFollowed returns the settings in the files of the repository at top, and in the user's own file of other
// versions, that are not followed; user is that file's path, "" for none. What cannot be read is left out.
func NotFollowed(top, user string) (list []Unfollowed) {
	for _, t := range []Target{Project, Local} {
		object, err := read(top, t)
		if err != nil || object == "" {
			continue
		}
		for _, u := range unfollowed {
			if asks(valueAt(object, u.Key)) {
				u.Path = Path(top, t)
				list = append(list, u)
			}
		}
	}
	if user == "" {
		return list
	}
	if data, err := readPlain(user); err == nil && data != nil {
		if object, err := decode(data); err == nil && asks(gjson.Parse(object)) {
			list = append(list, Unfollowed{Path: user, Key: "the whole file", Why: "settings of a person are kept elsewhere here", Hint: userHint})
		}
	}
	return list
}

// ForeignUserPath returns the path of the user's own settings file of other versions, "" if home is unknown.
func ForeignUserPath(home, configHome string) string {
	switch {
	case filepath.IsAbs(configHome):
		return filepath.Join(configHome, "entire", "settings.json")
	case home != "":
		return filepath.Join(home, ".config", "entire", "settings.json")
	}
	return ""
}

// valueAt returns the value at a path of keys. Of equal keys, the last counts.
func valueAt(object, path string) (v gjson.Result) {
	v = gjson.Parse(object)
	for key := range strings.SplitSeq(path, ".") {
		if !v.IsObject() {
			return gjson.Result{}
		}
		list := members(v.Raw)
		i := find(list, key)
		if i < 0 {
			return gjson.Result{}
		}
		v = gjson.Parse(list[i].raw(v.Raw))
	}
	return v
}

// asks reports whether a value asks for anything.
func asks(v gjson.Result) bool {
	switch {
	case v.IsObject():
		enabled := v.Get(keyEnabled)
		return len(members(v.Raw)) > 0 && enabled.Type != gjson.False
	case v.IsArray():
		return len(v.Array()) > 0
	}
	return v.Type == gjson.True || v.Type == gjson.Number && v.Num != 0 || v.Str != ""
}
