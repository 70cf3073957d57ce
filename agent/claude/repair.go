package claude

import (
	"bytes"
	"fmt"

	"entire/agent"
	"entire/agent/internal/jsontext"
)

var _ agent.Linker = Adapter{}

// SetParent implements agent.Linker.
func (Adapter) SetParent(line []byte, parent string) []byte {
	return jsontext.SetMember(line, "parentUuid", parentValue(parent))
}

func parentValue(uuid string) string {
	if uuid == "" {
		return "null"
	}
	return jsontext.Quote(uuid)
}

// Failure implements agent.Linker: the line has the form of Claude Code's own, and shares with that of the
// call what all lines of a session have.
func (Adapter) Failure(call []byte, r agent.Failure) []byte {
	var b bytes.Buffer
	uuid := ""
	b.WriteString(`{"parentUuid":` + parentValue(r.Parent) + ",")
	jsontext.EachMember(call, func(key, value []byte) {
		switch string(key) {
		case "uuid":
			uuid = jsontext.Unquote(value)
		case "isSidechain", "userType", "cwd", "sessionId", "version", "gitBranch", "agentId", "slug", "timestamp":
			b.WriteString(jsontext.Quote(string(key)) + ":" + string(value) + ",")
		}
	})
	fmt.Fprintf(&b, `"type":"user","message":{"role":"user","content":[{"type":"tool_result","content":%s,"is_error":true,"tool_use_id":%s}]},`,
		jsontext.Quote(r.Text), jsontext.Quote(r.CallID))
	fmt.Fprintf(&b, `"uuid":%s,"toolUseResult":%s,"sourceToolAssistantUUID":%s}`,
		jsontext.Quote(r.ID), jsontext.Quote("Error: "+r.Text), jsontext.Quote(uuid))
	return b.Bytes()
}
