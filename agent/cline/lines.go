package cline

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"entire/agent"
	"entire/agent/internal/jsontext"
	"entire/id"
)

// documentEnd ends the name of a document.
const documentEnd = ".messages.json"

// Lines implements agent.DocumentKeeper: a line is {"session","version","message"}, with "subagent" for
// a message of another document than the session's own. The messages are in the order of their times.
func (Adapter) Lines(session id.SessionID, documents map[string][]byte) (lines []byte, last agent.LastPrompt) {
	type message struct {
		at  int64
		raw []byte
	}
	var all []message
	for _, path := range slices.Sorted(maps.Keys(documents)) {
		if !gjson.ValidBytes(documents[path]) {
			continue // Cline is writing it
		}
		doc := gjson.ParseBytes(documents[path])
		of := strings.TrimSuffix(filepath.Base(path), documentEnd)
		head := `{"session":` + jsontext.Quote(session.String())
		if version := jsontext.StringIn(doc.Get("origin.version")); version != "" {
			head += `,"version":` + jsontext.Quote(version)
		}
		if of != session.String() {
			head += `,"subagent":` + jsontext.Quote(of)
		}
		doc.Get("messages").ForEach(func(_, m gjson.Result) bool {
			var b bytes.Buffer
			if b.WriteString(head + `,"message":`); !m.IsObject() || json.Compact(&b, []byte(m.Raw)) != nil {
				return true
			}
			b.WriteByte('}')
			all = append(all, message{m.Get("ts").Int(), b.Bytes()})
			if of == session.String() {
				r := recordOf(m)
				if typed := promptOf(&r); typed != "" {
					last = agent.LastPrompt{ID: r.ID, Text: typed}
				} else if r.Role == agent.RoleAssistant {
					last.Answered = true
				}
			}
			return true
		})
	}
	slices.SortStableFunc(all, func(a, b message) int { return cmp.Compare(a.at, b.at) })
	lines = []byte{}
	for _, m := range all {
		lines = append(append(lines, m.raw...), '\n')
	}
	return lines, last
}

// promptOf returns what a person typed in a record, "" for nothing.
func promptOf(r *agent.Record) string {
	if r.Role != agent.RoleUser || r.Injected {
		return ""
	}
	var texts []string
	for _, p := range r.Parts {
		if p.Kind == agent.TextPart {
			texts = append(texts, p.Text)
		}
	}
	return strings.Join(texts, "\n\n")
}

// Recognises implements agent.Recogniser.
func (Adapter) Recognises(head []byte) bool {
	return jsontext.AnyLineHas(head, "session", "message") && !jsontext.AnyLineHas(head, "type")
}
