package gemini

import (
	"entire/agent/document"
	"entire/agent/internal/jsontext"
)

// Recognises implements agent.Recogniser: a document, or lines with one that names the project.
func (Adapter) Recognises(head []byte) bool {
	return document.Is(head) || jsontext.AnyLineHas(head, "sessionId", "projectHash")
}
