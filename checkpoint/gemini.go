package checkpoint

import (
	"encoding/json"

	"entire/agent"
)

// joinTranscript puts a transcript together from its chunks. Gemini's is one
// JSON document, which another tool cuts into documents with a part of the
// messages each; everything but the messages is taken from the first.
func joinTranscript(kind agent.AgentType, chunks [][]byte) []byte {
	if kind == agent.AgentTypeGemini && len(chunks) > 1 {
		if joined, ok := joinMessages(chunks); ok {
			return joined
		}
	}
	return JoinChunks(chunks)
}

func joinMessages(chunks [][]byte) (joined []byte, ok bool) {
	var document map[string]json.RawMessage
	messages := []json.RawMessage{}
	for i, chunk := range chunks {
		var part map[string]json.RawMessage
		var some []json.RawMessage
		if json.Unmarshal(chunk, &part) != nil || part == nil || json.Unmarshal(part["messages"], &some) != nil {
			return nil, false
		}
		if i == 0 {
			document = part
		}
		messages = append(messages, some...)
	}
	var err error
	if document["messages"], err = json.Marshal(messages); err != nil {
		return nil, false
	}
	joined, err = json.Marshal(document)
	return joined, err == nil
}
