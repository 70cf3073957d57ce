package config

import "github.com/tidwall/gjson"

// mcpRewind is a member of the mcp option in the settings files.
const mcpRewind = "rewind"

// wrongMCP returns what a member of the mcp option must be, or "" if v is valid.
func wrongMCP(key string, v gjson.Result) string {
	if key == mcpRewind && !v.IsBool() {
		return wantBool
	}
	return ""
}
