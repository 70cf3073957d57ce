package settings

import (
	"entire/agent"
	"entire/agent/internal/jsontext"
)

// AddCommand returns the settings of an agent with a member that runs a command, and 1; src and 0 if they
// have it. It returns agent.ErrForeignStatusLine if the member runs another command.
func AddCommand(src []byte, key, command string) ([]byte, int, error) {
	line := jsontext.Field(key, Table{}.entry(Hook{}, command))
	if jsontext.Blank(src) {
		return NewFile(src, "\n", line), 1, nil
	}
	root, err := Parse(src)
	if err != nil {
		return nil, 0, err
	}
	has, ok := root.Member(key)
	switch {
	case !ok:
		return jsontext.Insert(src, jsontext.StyleOf(src, root), root, line), 1, nil
	case runs(src, has) == command:
		return src, 0, nil
	}
	return nil, 0, agent.ErrForeignStatusLine
}

// DropCommand returns the settings without the member, and 1; src and 0 if it is not there, or runs another
// command.
func DropCommand(src []byte, key, command string) ([]byte, int, error) {
	dropped := 0
	out, err := Remove(src, func(_ *jsontext.Eraser, name string, v jsontext.TextValue) bool {
		if name != key || runs(src, v) != command {
			return false
		}
		dropped++
		return true
	})
	return out, dropped, err
}

// runs returns the command of a member.
func runs(src []byte, v jsontext.TextValue) string {
	command, _ := v.Member("command")
	return command.Str(src)
}
