package mcp

import (
	"bytes"
	"errors"
	"regexp"
	"strings"
)

// table is our server in a configuration in TOML.
const table = "[mcp_servers." + Name + "]\ncommand = \"" + Program + "\"\nargs = [\"" + Argument + "\"]\n"

// addTable appends our table to a configuration in TOML.
func addTable(src []byte) ([]byte, int, error) {
	switch {
	case bytes.Contains(src, []byte(table)):
		return src, 0, nil
	case hasTable(src):
		return nil, 0, ErrForeign
	case inlineServers(src):
		return nil, 0, errors.New("mcp_servers is written as one value; add the table [mcp_servers." + Name + "] by hand")
	case src == nil:
		return []byte(table), 1, nil
	}
	return append(append(bytes.Clone(src), '\n'), table...), 1, nil
}

// dropTable removes our table and the line break that addTable put before it. A table in which somebody has
// set more stays.
func dropTable(src []byte) ([]byte, int, error) {
	at := bytes.Index(src, []byte(table))
	if at < 0 {
		return src, 0, nil
	}
	rest := src[at+len(table):]
	if next := bytes.TrimLeft(rest, " \t\r\n"); len(next) > 0 && next[0] != '[' && next[0] != '#' {
		return src, 0, nil
	}
	if at == 0 && len(rest) == 0 {
		return nil, 1, nil
	}
	if at > 0 && src[at-1] == '\n' {
		at--
	}
	return append(bytes.Clone(src[:at]), rest...), 1, nil
}

// hasTable reports whether a table of our name is there.
func hasTable(src []byte) bool {
	return regexp.MustCompile(`(?m)^[ \t]*(\[[ \t]*mcp_servers[ \t]*\.[ \t]*"?` + Name + `"?[ \t]*[\].]|mcp_servers[ \t]*\.[ \t]*"?` + Name + `"?[ \t]*[.=])`).Match(src)
}

// inlineServers reports whether all servers are one value, to which no table can be added.
func inlineServers(src []byte) bool {
	for line := range strings.Lines(string(src)) {
		key, _, ok := strings.Cut(line, "=")
		if strings.HasPrefix(strings.TrimSpace(line), "[") {
			return false // below a table, the key belongs to that
		}
		if ok && strings.TrimSpace(key) == "mcp_servers" {
			return true
		}
	}
	return false
}
