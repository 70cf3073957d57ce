package config

import (
	"slices"
	"strings"

	"github.com/tidwall/gjson"
)

// providers are the forges whose repositories the settings of another version name without an address.
var providers = map[string]string{"github": "https://github.com/", "gitlab": "https://gitlab.com/", "bitbucket": "https://bitbucket.org/"}

// maxCheckpointRemotes bounds how many destinations the settings name.
const maxCheckpointRemotes = 10

// CheckpointRemotes returns the remotes or URLs to which sessions are sent in the place of the repository that is
// pushed to; none if the settings do not say so. Of an invalid value it returns none.
func (s Settings) CheckpointRemotes() []string {
	var list []string
	for _, option := range []string{optionCheckpointRemote, optionCheckpointPushRemote} {
		v := gjson.ParseBytes(s.StrategyOptions[option])
		if wrongRemote(v) != "" {
			continue
		}
		for _, name := range remotesIn(v) {
			if !slices.Contains(list, name) {
				list = append(list, name)
			}
		}
	}
	return list
}

// remotesIn returns the remotes that a value names: a text, an object with provider and repo, or a list of both.
func remotesIn(v gjson.Result) (list []string) {
	switch {
	case v.IsArray():
		for _, one := range v.Array() {
			list = append(list, remotesIn(one)...)
		}
	case v.IsObject():
		return []string{providers[v.Get("provider").Str] + v.Get("repo").Str + ".git"}
	case v.Type == gjson.String && v.Str != "":
		return []string{v.Str}
	}
	return list
}

// wrongRemote returns what a value must be, or "" if it is valid.
func wrongRemote(v gjson.Result) string {
	const want = "a remote, a URL, or a list of them"
	switch {
	case v.Type == gjson.Null:
		return ""
	case v.IsArray():
		list := v.Array()
		if len(list) > maxCheckpointRemotes || slices.ContainsFunc(list, func(one gjson.Result) bool { return one.IsArray() || wrongRemote(one) != "" }) {
			return want
		}
		return ""
	case v.IsObject():
		repo := v.Get("repo").Str
		if providers[v.Get("provider").Str] == "" || strings.Count(repo, "/") < 1 || strings.ContainsAny(repo, " :@?#\\") || strings.Contains(repo, "..") {
			return `a remote, a URL, or {"provider": "github", "repo": "OWNER/NAME"}`
		}
		return ""
	case v.Type == gjson.String && !strings.HasPrefix(v.Str, "-") && !strings.ContainsAny(v.Str, " \n\x00"):
		return ""
	}
	return want
}
