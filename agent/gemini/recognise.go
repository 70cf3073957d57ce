package gemini

import (
	"entire/agent/document"
	"entire/agent/internal/jsontext"
)

// Recognises implements agent.Recogniser: a document, which unlike the lines of other agents has no type,
// or lines with one that names the project. Only the beginning of the document may be there.
func (Adapter) Recognises(head []byte) bool {
	if !document.Is(head) {
		return jsontext.AnyLineHas(head, "sessionId", "projectHash")
	}
	typed := false
	jsontext.EachMember(head, func(key, _ []byte) { typed = typed || string(key) == "type" })
	return !typed
}
