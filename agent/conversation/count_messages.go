package conversation

import (
	"bytes"

	"entire/agent"
	"entire/agent/agents"
)

// CountMessages counts the messages in a part of a transcript of lines, and returns how
// many bytes of the part are whole lines. Adjacent records of one answer, or of one message of a list,
// count once. Only messages of a person, a model or a tool count.
func CountMessages(t agent.AgentType, piece []byte) (n, read int) {
	last, list := "", agents.CountsMessages(t)
	for line := range bytes.Lines(piece) {
		if line[len(line)-1] != '\n' {
			break
		}
		read += len(line)
		l := ReadLine(t, line[:len(line)-1])
		if l.Saved || !l.OK {
			continue
		}
		for i := range l.Records {
			r := &l.Records[i]
			name := r.Answer
			if list {
				name = r.ID
			}
			switch {
			case r.Role == "" || r.Role == agent.RoleSystem:
			case name != "" && name == last:
			default:
				last = name
				n++
			}
		}
	}
	return n, read
}
