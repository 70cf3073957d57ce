package conversation

import (
	"fmt"
	"slices"
	"time"

	"entire/agent"
	"entire/agent/agents"
	"entire/agent/document"
	"entire/agent/internal/jsontext"
)

// Line is what one line of a transcript says.
type Line struct {
	Records []agent.Record
	OK      bool // the line could be read
	// Saved says that the line saves the messages of the whole conversation again. Names are those of their
	// records, which need not have IDs.
	Saved bool
	Names []string
}

// ReadLine reads one complete line, given without its newline and not retained.
func ReadLine(t agent.AgentType, text []byte) Line {
	if jsontext.Blank(text) {
		return Line{OK: true}
	}
	form := agents.FormOf(t)
	if form.Messages != nil {
		if saved := form.Messages.Saved(text); saved != nil {
			l := Line{OK: true, Saved: true}
			EachMessage(t, saved, func(_ int, r *agent.Record, name string) {
				if r != nil && r.Role != "" {
					l.Records, l.Names = append(l.Records, *r), append(l.Names, name)
				}
			})
			return l
		}
	}
	records, ok := form.Records(text)
	return Line{Records: records, OK: ok}
}

// TimeOf returns the latest time that a line of a transcript names, zero for none.
func TimeOf(t agent.AgentType, text []byte) (latest time.Time) {
	for _, r := range ReadLine(t, text).Records {
		if at := ParseTimestamp(r.Time); at.After(latest) {
			latest = at
		}
	}
	return latest
}

// EachMessage calls fn with the record of each message of a document, and the message's name, which is made
// of its content if it has no ID. The record is nil for a message that cannot be read, and has no role if
// it is not a message. It returns false for anything but a document.
func EachMessage(t agent.AgentType, doc []byte, fn func(i int, r *agent.Record, name string)) bool {
	form := agents.FormOf(t)
	d, ok := document.Parse(doc)
	if !ok {
		return false
	}
	seen := map[string]int{}
	for i := range d.Parts {
		records, ok := form.Records(d.Message(i))
		if !ok || len(records) == 0 {
			fn(i, nil, "")
			continue
		}
		r := &records[0]
		name := r.ID
		if r.Role != "" && (name == "" || len(name) > agent.MaxName) {
			said := form.Messages.Distinct(d.Message(i))
			seen[said]++
			name = fmt.Sprintf("msg-%016x", keyOf(fmt.Sprint(seen[said])+said))
		}
		fn(i, r, name)
	}
	return true
}

// keyOf returns the digest of an ID: FNV-1a, as hash/fnv has it, which takes longer for short texts.
func keyOf(messageID string) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(messageID) {
		h = (h ^ uint64(messageID[i])) * 1099511628211
	}
	return h
}

// CallName returns the ID of a message's n-th call, counted from 1: its own, or one made of the message's
// name if it has no usable one.
func CallName(callID, message string, n int) string {
	if callID == "" || len(callID) > agent.MaxName {
		return fmt.Sprintf("%s/call-%d", message, n)
	}
	return callID
}

// namedCalls returns the parts of a message with names for its calls.
func namedCalls(parts []agent.Part, message string) []agent.Part {
	n, was, name := 0, "", ""
	out := parts
	for i := range parts {
		p := parts[i]
		switch {
		case p.Kind == agent.CallPart:
			n++
			was = p.Call.ID
			name = CallName(was, message, n)
			p.Call.ID = name
		case p.Kind == agent.ResultPart && p.CallID == was:
			p.CallID = name
		}
		if was == name {
			continue
		}
		if &out[0] == &parts[0] {
			out = slices.Clone(parts)
		}
		out[i] = p
	}
	return out
}
