package claude

import (
	"entire/agent"
	"entire/agent/internal/jsontext"
	"entire/agent/internal/settings"
)

const statusLineKey = "statusLine"

// StatusLineFile implements agent.StatusLineShower.
func (Adapter) StatusLineFile() agent.HookFile { return agent.HookFile{Path: ".claude/settings.json"} }

// AddStatusLine implements agent.StatusLineShower.
func (Adapter) AddStatusLine(src []byte, command string) ([]byte, int, error) {
	line := jsontext.Field(statusLineKey, hookEntry(command))
	if jsontext.Blank(src) {
		doc := jsontext.Object(line)(jsontext.DefaultStyle, "")
		if src == nil {
			return []byte(doc + "\n"), 1, nil
		}
		return []byte(string(src) + doc + settings.BlankEnd), 1, nil
	}
	root, err := settings.Parse(src)
	if err != nil {
		return nil, 0, err
	}
	has, ok := root.Member(statusLineKey)
	switch {
	case !ok:
		return jsontext.Insert(src, jsontext.StyleOf(src, root), root, line), 1, nil
	case statusCommand(src, has) == command:
		return src, 0, nil
	}
	return nil, 0, agent.ErrForeignStatusLine
}

// DropStatusLine implements agent.StatusLineShower.
func (Adapter) DropStatusLine(src []byte, command string) ([]byte, int, error) {
	if jsontext.Blank(src) {
		return src, 0, nil
	}
	root, err := settings.Parse(src)
	if err != nil {
		return nil, 0, err
	}
	e := &jsontext.Eraser{Text: src}
	removed := 0
	emptied := e.Items(root, func(i int, it jsontext.TextItem) bool {
		if i != root.Index(statusLineKey) || it.Key != statusLineKey || statusCommand(src, it.Value) != command {
			return false
		}
		removed++
		return true
	})
	switch {
	case removed == 0:
		return src, 0, nil
	case !emptied:
		return e.Result(), removed, nil
	case string(src[root.End:]) == settings.BlankEnd:
		return src[:root.Start:root.Start], removed, nil
	}
	return nil, removed, nil
}

// statusCommand returns the command of a status line.
func statusCommand(src []byte, line jsontext.TextValue) string {
	command, _ := line.Member("command")
	return command.Str(src)
}
