package config

import (
	"encoding/json"
	"slices"

	"github.com/tidwall/gjson"
)

// agentsPlugins is a member of the agents option in the settings files.
const agentsPlugins = "plugins"

// maxPlugins is the most plug-ins that the settings allow.
const maxPlugins = 50

// pluginsOf returns the plug-ins that an agents option allows, or none if the option is invalid.
func pluginsOf(option gjson.Result) []string {
	list := option.Get(agentsPlugins)
	if !list.Exists() || wrongAgents(agentsPlugins, list) != "" {
		return nil
	}
	return textsIn(list)
}

// wrongAgents returns what a member of the agents option must be, or "" if v is valid.
func wrongAgents(key string, v gjson.Result) string {
	if key != agentsPlugins {
		return ""
	}
	return wrongTexts(v, maxPlugins, "names of plug-ins", isText)
}

// AllowPlugin allows a plug-in in the local settings.
func AllowPlugin(top, name string) error {
	return Update(top, Local, func(f *File) error {
		options, _ := f.Get(keyOptions)
		names := pluginsOf(gjson.GetBytes(options, optionAgents))
		if slices.Contains(names, name) {
			return nil
		}
		have := map[string]json.RawMessage{}
		if option := gjson.GetBytes(options, optionAgents); option.IsObject() {
			if err := json.Unmarshal([]byte(option.Raw), &have); err != nil {
				return err
			}
		}
		list, err := json.Marshal(append(names, name))
		if err != nil {
			return err
		}
		have[agentsPlugins] = list
		return f.SetOption(optionAgents, have)
	})
}
