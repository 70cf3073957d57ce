package teleport

import (
	"bytes"
	"encoding/json"
)

// pathMembers are the JSON members in which agents store paths: the folder of a record, and inputs and
// outputs of tool calls. The value of `filenames` is a list.
var pathMembers = map[string]bool{
	"cwd": true, "path": true, "paths": true, "file_path": true, "filePath": true, "notebook_path": true, "absolute_path": true,
	"dir_path": true, "directory": true, "workdir": true, "filenames": true,
}

// lineIn translates the paths in a record of an agent's transcript, or of the messages made from it, at
// any depth. All other bytes stay the same, including texts of the conversation and output of tools.
func (m Move) lineIn(line []byte) []byte {
	if m.From == m.To || !json.Valid(line) {
		return line
	}
	var out []byte
	done, key := 0, ""
	lists := []string{""} // members whose lists or objects are open
	for at := 0; at < len(line); at++ {
		switch line[at] {
		case '{', '[':
			if line[at] == '{' {
				key = ""
			}
			lists = append(lists, key)
			key = ""
		case '}', ']':
			lists = lists[:max(len(lists)-1, 1)]
			key = ""
		case ',':
			key = ""
		case '"':
			end := at + stringLen(line[at:])
			text := line[at:end]
			if isKey(line[end:]) {
				key = string(text[1 : len(text)-1])
			} else if name := key; pathMembers[name] || name == "" && pathMembers[lists[len(lists)-1]] {
				if to := m.text(text); to != nil {
					out = append(append(out, line[done:at]...), to...)
					done = end
				}
			}
			at = end - 1
		}
	}
	if done == 0 {
		return line
	}
	return append(out, line[done:]...)
}

// stringLen returns the length of the JSON string at the start of valid text.
func stringLen(text []byte) int {
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(text)
}

func isKey(behind []byte) bool {
	behind = bytes.TrimLeft(behind, " \t\r\n")
	return len(behind) > 0 && behind[0] == ':'
}

// text translates a JSON string with a path of the sender. It returns nil if the path stays the same.
// The part below the folder keeps its spelling if both systems use the same separator.
func (m Move) text(was []byte) []byte {
	var path string
	if json.Unmarshal(was, &path) != nil {
		return nil
	}
	to := m.Path(path)
	if to == path {
		return nil
	}
	for _, pair := range [][2]string{{m.From.Root, m.To.Root}, {m.From.Home, m.To.Home}} {
		if rest, ok := cutDir(path, pair[0]); !ok || pair[1] == "" || rest != "" && pair[1]+separatorOf(pair[0])+rest != to {
			continue
		}
		if below, ok := bytes.CutPrefix(was, open(pair[0])); ok {
			return append(open(pair[1]), below...)
		}
	}
	return append(open(to), '"')
}

// open returns text as a JSON string without its closing quote.
func open(text string) []byte {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	_ = e.Encode(text) // encoding a string to memory cannot fail
	return bytes.TrimSuffix(bytes.TrimSuffix(out.Bytes(), []byte("\n")), []byte{'"'})
}
