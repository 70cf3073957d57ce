package mcp

import (
	"errors"

	"entire/agent"
	"entire/agent/internal/jsontext"
	"entire/agent/internal/settings"
)

// Name is what our server is called in configurations, and Program and Argument start it.
const (
	Name     = "entire"
	Program  = "entire"
	Argument = "mcp"
)

// ErrForeign is returned for a configuration in which another server has our name.
var ErrForeign = errors.New("another server is named " + Name)

// AddServer returns a configuration with our server, and 1; src and 0 if it has it. src is nil for a file
// that is not there.
func AddServer(f agent.MCPFile, src []byte) ([]byte, int, error) {
	if f.Key == "" {
		return addTable(src)
	}
	entry := jsontext.Field(Name, entryOf(f))
	whole := jsontext.Field(f.Key, jsontext.Object(entry))
	if jsontext.Blank(src) {
		end := "\n"
		if src != nil {
			end = settings.BlankEnd
		}
		return settings.NewFile(src, end, whole), 1, nil
	}
	root, err := settings.Parse(src)
	if err != nil {
		return nil, 0, err
	}
	style := jsontext.StyleOf(src, root)
	servers, ok, err := settings.Container(root, f.Key, '{')
	if err != nil {
		return nil, 0, err
	}
	if !ok {
		return jsontext.Insert(src, style, root, whole), 1, nil
	}
	has, ok := servers.Member(Name)
	switch {
	case !ok:
		return jsontext.Insert(src, style, servers, entry), 1, nil
	case isOurs(f, src, has):
		return src, 0, nil
	}
	return nil, 0, ErrForeign
}

// DropServer returns a configuration without our server, and 1; src and 0 if it is not there. The result is
// nil if the file held nothing else and was not there before.
func DropServer(f agent.MCPFile, src []byte) ([]byte, int, error) {
	if f.Key == "" {
		return dropTable(src)
	}
	dropped := 0
	out, err := settings.Remove(src, func(e *jsontext.Eraser, key string, servers jsontext.TextValue) bool {
		if key != f.Key || servers.Open != '{' {
			return false
		}
		return e.Items(servers, func(_ int, it jsontext.TextItem) bool {
			if it.Key != Name || !isOurs(f, src, it.Value) {
				return false
			}
			dropped++
			return true
		})
	})
	return out, dropped, err
}

func entryOf(f agent.MCPFile) jsontext.Render {
	var fields []jsontext.Render
	if f.Type != "" {
		fields = append(fields, jsontext.Field("type", jsontext.Quoted(f.Type)))
	}
	if f.OneList {
		fields = append(fields, jsontext.Field("command", jsontext.Array(jsontext.Quoted(Program), jsontext.Quoted(Argument))))
	} else {
		fields = append(fields, jsontext.Field("command", jsontext.Quoted(Program)), jsontext.Field("args", jsontext.Array(jsontext.Quoted(Argument))))
	}
	if f.AllTools {
		fields = append(fields, jsontext.Field("tools", jsontext.Array(jsontext.Quoted("*"))))
	}
	return jsontext.Object(fields...)
}

// isOurs reports whether an entry starts our server. What else a person has set in it does not matter.
func isOurs(f agent.MCPFile, src []byte, entry jsontext.TextValue) bool {
	command, _ := entry.Member("command")
	if f.OneList {
		return len(command.Items) == 2 && command.Items[0].Value.Str(src) == Program && command.Items[1].Value.Str(src) == Argument
	}
	args, _ := entry.Member("args")
	return command.Str(src) == Program && len(args.Items) == 1 && args.Items[0].Value.Str(src) == Argument
}
