package agent

import "encoding/json"

// TalkLine is a line of a transcript in this program's own form, which is kept for
// agents that keep none: what was said, or which files were written.
type TalkLine struct {
	Role  string   `json:"role"` // user, assistant, tool
	Time  string   `json:"time,omitempty"`
	Text  string   `json:"text,omitempty"`
	Name  string   `json:"name,omitempty"` // of a tool
	Files []string `json:"files,omitempty"`
}

// Encode is the line with its newline.
func (l TalkLine) Encode() []byte {
	out, err := json.Marshal(l)
	if err != nil {
		panic(err) // strings always encode
	}
	return append(out, '\n')
}
