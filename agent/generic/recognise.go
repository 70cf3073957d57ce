package generic

import (
	"bytes"

	"entire/agent/internal/jsontext"
)

// Recognises implements agent.Recogniser: a line has a role, and no type as other agents' lines have.
func (Adapter) Recognises(head []byte) bool {
	for line := range bytes.Lines(head) {
		role, typed := false, false
		if jsontext.EachMember(line, func(key, _ []byte) {
			role, typed = role || string(key) == "role", typed || string(key) == "type"
		}) && role && !typed {
			return true
		}
	}
	return false
}
