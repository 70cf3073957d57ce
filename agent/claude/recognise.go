package claude

import "entire/agent/internal/jsontext"

// Recognises implements agent.Recogniser: a line with a message names its session. Other agents have
// lines with the same members, but no content in the message.
func (Adapter) Recognises(head []byte) bool {
	return jsontext.AnyLineHas(head, "sessionId", "type", "uuid", "message.content")
}
