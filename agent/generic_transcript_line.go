package agent

import (
	"encoding/json"
)

// TranscriptLine is a line of a transcript in this program's own format, which it keeps for
// agents without transcripts: text, or the files that were written.
type TranscriptLine struct {
	Role  string   `json:"role"` // user, assistant, tool
	Time  string   `json:"time,omitempty"`
	Text  string   `json:"text,omitempty"`
	Name  string   `json:"name,omitempty"` // the tool's name
	Files []string `json:"files,omitempty"`
}

// Encode returns the line as JSON, with a newline.
func (l TranscriptLine) Encode() []byte {
	out, err := json.Marshal(l)
	if err != nil {
		panic(err) // strings always encode
	}
	return append(out, '\n')
}
