package opencode

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"

	"github.com/tidwall/gjson"

	"entire/agent/internal/jsontext"
)

// lines returns a conversation as lines, one for each message: {"session","version","info","parts"},
// with "subagent" for a message of another session than the one given. The messages are in the order in
// which they began, so that the next turn's end only adds lines. Those whose IDs without has are left out.
func lines(session, version string, messages gjson.Result, without func(id string) bool) []byte {
	type message struct {
		at  int64
		raw []byte
	}
	var all []message
	messages.ForEach(func(_, m gjson.Result) bool {
		info := m.Get("info")
		if !m.IsObject() || !info.IsObject() || without(info.Get("id").String()) {
			return true
		}
		head := `{"session":` + jsontext.Quote(session)
		if version != "" {
			head += `,"version":` + jsontext.Quote(version)
		}
		if of := info.Get("sessionID").String(); of != "" && of != session {
			head += `,"subagent":` + jsontext.Quote(of)
		}
		if line, ok := lineOf(head, info.Raw, m.Get("parts").Raw); ok {
			all = append(all, message{info.Get("time.created").Int(), line})
		}
		return true
	})
	slices.SortStableFunc(all, func(a, b message) int { return cmp.Compare(a.at, b.at) })
	out := []byte{}
	for _, m := range all {
		out = append(append(out, m.raw...), '\n')
	}
	return out
}

// lineOf returns a line that stays the same while nothing is said: it leaves out what the agent's
// program changes later, and orders the members of info, because the program may write them in another
// order.
func lineOf(head, info, parts string) ([]byte, bool) {
	var members map[string]json.RawMessage
	if json.Unmarshal([]byte(info), &members) != nil {
		return nil, false
	}
	delete(members, "summary")
	delete(members, "cost")
	sorted, err := json.Marshal(members)
	if err != nil {
		return nil, false
	}
	if jsontext.At([]byte(parts), 0) != '[' {
		parts = "[]"
	}
	var b bytes.Buffer
	b.WriteString(head + `,"info":`)
	b.Write(sorted)
	b.WriteString(`,"parts":`)
	if json.Compact(&b, []byte(parts)) != nil {
		return nil, false
	}
	b.WriteByte('}')
	return b.Bytes(), true
}

// Removed implements agent.Forgetter: the plugin reads the names of the messages.
func (Adapter) Removed(ids []string) []byte {
	if len(ids) == 0 {
		return nil
	}
	out, err := json.Marshal(map[string][]string{"removed": ids})
	if err != nil {
		return nil
	}
	return append(out, '\n')
}

// MessageID implements agent.Forgetter.
func (Adapter) MessageID(line []byte) string { return gjson.GetBytes(line, "info.id").String() }

// Recognises implements agent.Recogniser. Both agents' lines have the same form: those of Kilo are taken
// for OpenCode's.
func (a Adapter) Recognises(head []byte) bool {
	return a.Agent == AgentNameOpenCode && jsontext.AnyLineHas(head, "session", "info", "parts")
}
