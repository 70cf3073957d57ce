package conversation

import (
	"bytes"

	"github.com/tidwall/gjson"

	"entire/agent"
)

// CountMessages counts the messages in a part of a transcript of lines, and returns how
// many bytes of the part are whole lines. Adjacent lines of one message count once. Only
// messages of a person, a model or a tool count.
func CountMessages(t agent.AgentType, piece []byte) (n, read int) {
	last := ""
	for line := range bytes.Lines(piece) {
		if line[len(line)-1] != '\n' {
			break
		}
		read += len(line)
		if records, _, reads := recordsIn(t, line); reads {
			n += countRecords(records)
			continue
		}
		v := gjson.ParseBytes(line)
		kind, name := v.Get("type").Str, v.Get("message.id").Str
		switch {
		case !gjson.ValidBytes(line):
			continue
		case t == agent.AgentTypeGemini:
			if kind != "user" && kind != "gemini" {
				continue
			}
			name = v.Get("id").Str
		case kind == "" && v.Get("role").Exists(): // a line in this program's own format
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
