package agent

import (
	"bytes"

	"github.com/tidwall/gjson"
)

// CountMessages counts the messages in a piece of a transcript of lines, and says how
// many of its bytes are whole lines. A message in several lines counts once where they
// stand together; what is no message of a person, a model or a tool counts for nothing.
func CountMessages(t AgentType, piece []byte) (n, read int) {
	last := ""
	for line := range bytes.Lines(piece) {
		if line[len(line)-1] != '\n' {
			break
		}
		read += len(line)
		v := gjson.ParseBytes(line)
		kind, name := v.Get("type").Str, v.Get("message.id").Str
		switch {
		case !gjson.ValidBytes(line):
			continue
		case t == AgentTypeGemini:
			if kind != "user" && kind != "gemini" {
				continue
			}
			name = v.Get("id").Str
		case kind == "" && v.Get("role").Exists(): // a generic one
		case kind != "user" && kind != "assistant":
			continue
		}
		if name != "" && name == last {
			continue
		}
		last = name
		n++
	}
	return n, read
}
