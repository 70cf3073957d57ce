package settings

import (
	"bytes"
	"strings"

	"github.com/tidwall/gjson"
)

// Has reports whether settings have the value, true or false, at a path of members.
func Has(src []byte, path string, value bool) bool {
	src = bytes.TrimPrefix(src, []byte("\ufeff"))
	v := gjson.GetBytes(src, path)
	return gjson.ValidBytes(src) && (value && v.Type == gjson.True || !value && v.Type == gjson.False)
}

// HasTOML is Has for settings in TOML: a section has a key with a value, each on a line of its own or under
// a dotted key.
func HasTOML(src []byte, section, key, value string) bool {
	in := ""
	for line := range strings.Lines(string(src)) {
		line, _, _ = strings.Cut(line, "#")
		line = strings.Join(strings.Fields(line), "")
		switch {
		case strings.HasPrefix(line, "["):
			in = line
		case in == "["+section+"]" && line == key+"="+value, in == "" && line == section+"."+key+"="+value:
			return true
		}
	}
	return false
}
