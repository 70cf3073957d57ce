package teleport

import (
	"bytes"
	"encoding/json"
)

// pathMembers are the members in which agents keep a path of its own: where a record was
// made, and what their tools' calls were given and said. `filenames` is a list of them.
var pathMembers = map[string]bool{
	"cwd": true, "path": true, "paths": true, "file_path": true, "filePath": true, "notebook_path": true, "absolute_path": true,
	"dir_path": true, "directory": true, "workdir": true, "filenames": true,
}

// Line is a record of an agent's transcript, or of the messages made of it, with the
// paths of its own as they are here, however deep they lie: on the sender's side of it
// every other byte stays. What was said and what tools printed is not touched.
func (m Move) Line(line []byte) []byte {
	if m.From == m.To || !json.Valid(line) {
		return line
	}
	var out []byte
	done, key := 0, ""
	lists := []string{""} // the members whose lists, or objects, are open
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

// stringLen is how long the JSON string is that begins a valid text.
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

// text is a JSON string with a path of the sender's as it is here, nil if it is none. What
// stands below the folder stays as it was written, where systems separate alike.
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

// open is a text as a JSON string that goes on.
func open(text string) []byte {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	_ = e.Encode(text) // of a string, into memory
	return bytes.TrimSuffix(bytes.TrimSuffix(out.Bytes(), []byte("\n")), []byte{'"'})
}
