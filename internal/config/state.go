package config

import (
	"regexp"
	"sync"

	"github.com/tidwall/gjson"
)

// stateEnvironment is a member of the session_state option in the settings files.
const stateEnvironment = "environment"

// maxVariables is the most variables recorded with a session.
const maxVariables = 50

var variable = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,99}$`) })

// environmentOf returns the variables named in a session_state option, or none if the option is
// invalid.
func environmentOf(option gjson.Result) []string {
	list := option.Get(stateEnvironment)
	if !list.Exists() || wrongState(stateEnvironment, list) != "" {
		return nil
	}
	return textsIn(list)
}

// wrongState returns what a member of the session_state option must be, or "" if v is valid.
func wrongState(key string, v gjson.Result) string {
	if key != stateEnvironment {
		return ""
	}
	return wrongTexts(v, maxVariables, "names of variables", variable().MatchString)
}
