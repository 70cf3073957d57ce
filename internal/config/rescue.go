package config

import "github.com/tidwall/gjson"

// rescueDaily is a member of the rescue option in the settings files.
const rescueDaily = "daily"

// wrongRescue returns what a member of the rescue option must be, or "" if v is valid.
func wrongRescue(key string, v gjson.Result) string {
	if key == rescueDaily && !v.IsBool() {
		return wantBool
	}
	return ""
}

// SetRescueDaily switches the daily import on or off in a settings file.
func SetRescueDaily(f *File, on bool) error {
	return f.SetOption(optionRescue, map[string]bool{rescueDaily: on})
}
