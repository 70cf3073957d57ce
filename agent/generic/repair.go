package generic

import (
	"fmt"

	"entire/agent"
	"entire/agent/claude"
	"entire/agent/internal/jsontext"
)

var _ agent.Linker = Adapter{}

// SetParent implements agent.Linker, for every form of a line.
func (Adapter) SetParent(text []byte, parent string) []byte {
	return jsontext.SetMember(claude.Adapter{}.SetParent(text, parent), "parent", jsontext.Quote(parent))
}

// Failure implements agent.Linker: the line has the form of the call's.
func (Adapter) Failure(call []byte, r agent.Failure) []byte {
	var l line
	switch l.scan(call); {
	case l.parts:
		out, err := Encode(agent.Record{Role: agent.RoleTool, ID: r.ID, Parent: r.Parent, Parts: []agent.Part{{Kind: agent.ResultPart, CallID: r.CallID, Text: r.Text, Failed: true}}})
		if err != nil {
			return nil
		}
		return out[:len(out)-1]
	case l.role != "":
		return fmt.Appendf(nil, `{"role":"tool","content":[{"type":"tool_result","tool_use_id":%s,"content":%s,"is_error":true}]}`, jsontext.Quote(r.CallID), jsontext.Quote(r.Text))
	}
	return claude.Adapter{}.Failure(call, r)
}
