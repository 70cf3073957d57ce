package transcript

import (
	"bytes"

	"entire/agent"
	"entire/agent/agents"
)

// lostBeginning returns the lines of a kept conversation before the first message that the present one
// has, too; all of them if it has none. A program whose conversation was deleted begins it anew under the
// same name, and one that shortens a conversation leaves its beginning out.
func lostBeginning(kind agent.AgentType, kept, present []byte) []byte {
	reader := agents.FormOf(kind)
	if first := kept[:bytes.IndexByte(kept, '\n')+1]; bytes.HasPrefix(present, first) {
		return nil
	}
	there := map[string]bool{}
	for line := range bytes.Lines(present) {
		there[messageName(reader, line)] = true
	}
	end := 0
	for line := range bytes.Lines(kept) {
		name := messageName(reader, line)
		if name == "" || there[name] {
			break
		}
		end += len(line)
	}
	return bytes.Clone(kept[:end])
}

// messageName returns the ID of the message that a line holds, "" for a line without one.
func messageName(reader agent.RecordReader, line []byte) string {
	records, _ := reader.Records(bytes.TrimSuffix(line, []byte("\n")))
	for i := range records {
		if records[i].ID != "" {
			return records[i].ID
		}
	}
	return ""
}
