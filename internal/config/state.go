package config

import (
	"fmt"
	"regexp"
	"sync"

	"github.com/tidwall/gjson"
)

// stateEnvironment is a member of the session_state option. It reaches disk.
const stateEnvironment = "environment"

// maxVariables bounds how many are kept with a session.
const maxVariables = 50

var variable = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,99}$`) })

// environmentOf are the variables that a session_state option names; none where it is
// not as it should be.
func environmentOf(option gjson.Result) []string {
	list := option.Get(stateEnvironment)
	if !list.Exists() || wrongState(stateEnvironment, list) != "" {
		return nil
	}
	var names []string
	for _, v := range list.Array() {
		names = append(names, v.Str)
	}
	return names
}

// wrongState is what a member of the session_state option is to be, "" if it is that.
func wrongState(key string, v gjson.Result) string {
	if key != stateEnvironment {
		return ""
	}
	want := fmt.Sprintf("a list of at most %d names of variables", maxVariables)
	if !v.IsArray() || len(v.Array()) > maxVariables {
		return want
	}
	for _, name := range v.Array() {
		if name.Type != gjson.String || !variable().MatchString(name.Str) {
			return want
		}
	}
	return ""
}
