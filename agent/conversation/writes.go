package conversation

import (
	"entire/agent"
	"entire/agent/agents"
)

// Written is what one edit call wrote into a file: the new text, or parts of it, in full
// lines only.
type Written struct {
	ToolUseID string
	Unnamed   bool     // equal calls have the same ID
	Path      string   // as the agent named it
	Texts     []string // empty if the call only removed text
	Replaced  []string // the replaced text, as far as the call names it
	Model     string   // the model that made the call, if the transcript names it there
}

// Writes returns the edit calls in the line. Calls that are only saved again are not among them.
func (l Line) Writes() []Written {
	if l.Saved {
		return nil
	}
	var out []Written
	for i := range l.Records {
		out = appendWrites(out, &l.Records[i])
	}
	return out
}

// WritesInDocument returns the edit calls in a transcript that is one JSON document, and what their results say, from
// message from on, counted from 0.
func WritesInDocument(doc []byte, from int) (out []Written, patched []Patched) {
	EachMessage(agents.OfDocuments(), doc, func(i int, r *agent.Record, _ string) {
		if i >= from && r != nil {
			out, patched = appendWrites(out, r), appendPatched(patched, r)
		}
	})
	return out, patched
}

func appendWrites(out []Written, r *agent.Record) []Written {
	for i := range r.Parts {
		p := &r.Parts[i]
		if p.Kind != agent.CallPart {
			continue
		}
		for _, w := range writtenBy(p.Call.ID, p.Call.Edits) {
			w.Unnamed = p.Call.Unnamed
			if r.Model != agent.SyntheticModel {
				w.Model = agent.Clip(r.Model, agent.MaxName)
			}
			out = append(out, w)
		}
	}
	return out
}

// writtenBy returns what a call's edits write. An edit that writes no text, for example an empty file, is
// among it, so that its turn does not count as one whose calls are forgotten; one that does not say is not.
func writtenBy(callID string, edits []agent.Edit) []Written {
	var out []Written
	for _, e := range edits {
		if e.Untold || !nameable(callID, e.Path) {
			continue
		}
		texts := e.Texts
		if len(texts)+len(e.Replaced) == 0 {
			texts = []string{""}
		}
		out = append(out, Written{ToolUseID: callID, Path: e.Path, Texts: texts, Replaced: e.Replaced})
	}
	return out
}
