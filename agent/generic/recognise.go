package generic

import (
	"bytes"

	"entire/agent/internal/jsontext"
)

// Recognises implements agent.Recogniser: the first line with a role has neither a type nor a message
// inside it, as other agents' lines have.
func (Adapter) Recognises(head []byte) bool {
	for line := range bytes.Lines(head) {
		if jsontext.AnyLineHas(line, "role") {
			return !jsontext.AnyLineHas(line, "type") && !jsontext.AnyLineHas(line, "message")
		}
	}
	return false
}
