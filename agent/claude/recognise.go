package claude

import "entire/agent/internal/jsontext"

// Recognises implements agent.Recogniser: a line with a message names its session.
func (Adapter) Recognises(head []byte) bool {
	return jsontext.AnyLineHas(head, "sessionId", "type", "message", "uuid")
}
