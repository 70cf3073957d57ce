package conversation

import (
	"slices"
	"strconv"
	"strings"

	"entire/agent"
	"entire/agent/agents"
	"entire/agent/internal/jsontext"
	"entire/internal/effects"
)

// recordsIn returns the records of a line, and whether the agent's adapter reads records at all.
// It counts as no record a line that the adapter cannot read: ok is then false.
func recordsIn(t agent.AgentType, line []byte) (records []agent.Record, ok, reads bool) {
	r, every := agents.RecordReader(t)
	if r == nil {
		return nil, false, false
	}
	records, ok = r.Records(line)
	return records, ok, ok || every
}

// textOf returns the text parts of a record.
func textOf(r *agent.Record) string {
	var texts []string
	for _, p := range r.Parts {
		if p.Kind == agent.TextPart && p.Text != "" {
			texts = append(texts, p.Text)
		}
	}
	return strings.Join(texts, "\n\n")
}

// typedIn returns what a person typed in a record, "" for nothing.
func typedIn(r *agent.Record) string {
	if r.Role != agent.RoleUser || r.Injected || r.Subagent != "" {
		return ""
	}
	return agent.CleanPrompt(textOf(r))
}

// answerOf returns the name under which a record's usage counts.
func answerOf(r *agent.Record, line int) string {
	for _, name := range []string{r.Answer, r.ID} {
		if name != "" {
			return agent.Clip(name, agent.MaxName)
		}
	}
	return "line " + strconv.Itoa(line)
}

// addRecordOf adds one record.
func (c *Conversation) addRecordOf(r *agent.Record) {
	if r.Subagent == "" {
		agent.SetIf(&c.LastUUID, agent.Clip(r.ID, agent.MaxName))
	}
	agent.SetIf(&c.LastTime, agent.Clip(r.Time, agent.MaxName))
	agent.SetIf(&c.Version, agent.Clip(r.Version, agent.MaxName))
	if r.Subagent == "" && r.Model != agent.SyntheticModel {
		agent.SetIf(&c.Model, agent.Clip(r.Model, agent.MaxName))
	}
	if p := typedIn(r); p != "" {
		c.Prompts = append(c.Prompts, agent.Clip(p, agent.MaxPrompt))
		c.OpenCalls = nil
	}
	if r.Stopped {
		c.OpenCalls = nil
	}
	if r.Usage != nil {
		c.addUsage(answerOf(r, c.Lines), *r.Usage)
	}
	if r.Role == agent.RoleAssistant && r.Model != agent.SyntheticModel {
		c.CallsKnownAt = c.Lines
		if r.Subagent == "" {
			agent.SetIf(&c.LastAssistant, agent.Clip(strings.TrimSpace(textOf(r)), agent.MaxAnswer))
		}
	}
	for i := range r.Parts {
		c.addPart(&r.Parts[i])
	}
}

func (c *Conversation) addPart(p *agent.Part) {
	switch p.Kind {
	case agent.CallPart:
		c.addRecordCall(&p.Call)
	case agent.ResultPart:
		c.addResult(p)
	case agent.FilesPart:
		for _, f := range p.Files {
			c.addEdit(f)
		}
	}
}

func (c *Conversation) addResult(p *agent.Part) {
	i := slices.IndexFunc(c.OpenCalls, func(o ToolCall) bool { return o.ID == p.CallID })
	started := i >= 0 && c.OpenCalls[i].Starts
	c.closeCall(p.CallID)
	for _, agentID := range p.AgentIDs {
		c.addAgentID(agentID)
	}
	if started && len(p.AgentIDs) == 0 { // no ID leads to the subagent's transcript, so its work is unknown
		c.noteEffects(effects.Unknown())
	}
}

func (c *Conversation) addRecordCall(call *agent.Call) {
	for _, e := range call.Edits {
		c.addEdit(e.Path)
	}
	did := effectsOfCall(call)
	c.noteEffects(did)
	if call.ID == "" || len(call.ID) > agent.MaxName {
		return
	}
	c.closeCall(call.ID)
	open := ToolCall{ID: call.ID, Name: agent.Clip(call.Name, agent.MaxName), Starts: call.Starts}
	if call.Command != "" {
		open.Command, open.Commits = agent.Clip(call.Command, maxCommand), did.Commits
	}
	c.openCall(open)
}

// effectsOfCall returns the effects of a call on files, without those of its edits.
func effectsOfCall(call *agent.Call) effects.Effects {
	switch {
	case call.Command != "":
		did := effects.OfShell(call.Command)
		did.Outlives = did.Outlives || call.Background && len(did.Files) > 0
		return did
	case len(call.Edits) > 0 || call.Starts || call.Reads:
		return effects.Effects{}
	}
	return effects.OfTool(call.Name, call.Files)
}

// addRecords appends the messages of a line's records.
func (n *Normalizer) addRecords(dst []agent.Message, records []agent.Record) []agent.Message {
	for i := range records {
		dst = n.addRecordMessages(dst, &records[i])
	}
	return dst
}

func (n *Normalizer) addRecordMessages(dst []agent.Message, r *agent.Record) []agent.Message {
	chain := r.Subagent
	if chain == "" {
		chain = agent.MainChain
		agent.SetIf(&n.Conversation.Model, agent.Clip(r.Model, agent.MaxName))
	}
	parent := n.parentOf(r, chain)
	if r.ID != "" && n.Links.knows(r.ID) {
		n.Repeated++
		if u := n.recordUsage(r); u != nil {
			n.Owed = *u
		}
		return dst
	}
	pieces := n.recordPieces(r)
	if len(pieces) == 0 {
		if u := n.recordUsage(r); u != nil {
			n.Owed = *u
		}
		if r.ID != "" {
			n.Links.bridge(r.ID, parent)
		}
		return dst
	}
	for i := range pieces {
		m := &pieces[i]
		m.Timestamp, m.Sidechain, m.AgentID = ParseTimestamp(r.Time), r.Subagent != "", agent.Clip(r.Subagent, agent.MaxName)
	}
	uuid := n.lineName(r.ID)
	if n.Links.knows(uuid) { // a line's second record without an ID
		uuid += "." + strconv.Itoa(len(dst))
	}
	return n.appendParts(dst, uuid, parent, chain, pieces)
}

// parentOf returns the message that precedes a record.
func (n *Normalizer) parentOf(r *agent.Record, chain string) string {
	switch {
	case r.NoParent:
		return ""
	case r.Parent == "":
		return n.Links.tip(chain)
	}
	return n.Links.resolve([]byte(jsontext.Quote(r.Parent)), nil, chain)
}

// recordUsage counts the usage that a record reports, and returns what it adds.
func (n *Normalizer) recordUsage(r *agent.Record) *agent.TokenUsage {
	if r.Usage == nil {
		return nil
	}
	answer := answerOf(r, n.Lines)
	return n.addedUsage(answer, func() { n.Conversation.addUsage(answer, *r.Usage) })
}

// recordPieces returns the messages of a record without the fields that they share.
func (n *Normalizer) recordPieces(r *agent.Record) []agent.Message {
	if r.Role == "" {
		return nil
	}
	var results []agent.Message
	m := agent.Message{Role: r.Role, Content: textOf(r)}
	for i := range r.Parts {
		p := &r.Parts[i]
		switch p.Kind {
		case agent.CallPart:
			m.ToolCalls = append(m.ToolCalls, p.Call.ToolUse)
		case agent.ResultPart:
			name := n.closeTool(p.CallID)
			if name == "" {
				name = agent.Clip(p.Tool, agent.MaxName)
			}
			results = append(results, agent.Message{Role: agent.RoleTool, Content: p.Text, IsError: p.Failed, ToolCallID: p.CallID, ToolName: name})
		}
	}
	switch r.Role {
	case agent.RoleAssistant:
		m.MessageID = agent.Clip(r.Answer, agent.MaxName)
		if r.Model != agent.SyntheticModel {
			m.Model = n.Conversation.Model
			agent.SetIf(&m.Model, agent.Clip(r.Model, agent.MaxName))
		}
		if m.Usage = n.recordUsage(r); m.Usage == nil {
			m.Usage = n.withOwed(agent.TokenUsage{})
		}
		n.noteTools(m.ToolCalls)
		return append([]agent.Message{m}, results...)
	case agent.RoleUser:
		if m.Content == "" {
			return results
		}
		m.Injected = r.Injected || agent.CleanPrompt(m.Content) == ""
		return append(results, m)
	case agent.RoleTool:
		return results
	}
	if m.Content == "" {
		return nil
	}
	return []agent.Message{m}
}

// recordPassages returns the passages of a line's records.
func recordPassages(records []agent.Record) []Passage {
	var out []Passage
	for i := range records {
		r := &records[i]
		var said []Passage
		text := typedIn(r)
		if r.Role == agent.RoleUser && r.Subagent != "" && !r.Injected {
			text = agent.CleanPrompt(textOf(r))
		}
		said = prompted(said, text)
		for k := range r.Parts {
			said = partPassage(said, r, &r.Parts[k])
		}
		model := r.Model
		if model == agent.SyntheticModel {
			model = ""
		}
		chain := agent.MainChain
		if r.Subagent != "" {
			chain = agent.Clip(r.Subagent, agent.MaxName)
		}
		out = append(out, withContext(said, chain, agent.Clip(model, agent.MaxName), ParseTimestamp(r.Time))...)
	}
	return out
}

func partPassage(out []Passage, r *agent.Record, p *agent.Part) []Passage {
	switch p.Kind {
	case agent.TextPart:
		if r.Role == agent.RoleAssistant {
			return appendSaid(out, TextPassage, p.Text)
		}
	case agent.ThoughtPart:
		return appendSaid(out, ThoughtPassage, p.Text)
	case agent.CallPart:
		return append(out, Passage{Kind: CallPassage, Call: p.Call.ToolUse, Command: p.Call.Command, Edits: p.Call.Edits})
	case agent.ResultPart:
		return append(out, Passage{Kind: ResultPassage, CallID: p.CallID, Text: p.Text, Failed: p.Failed, AgentIDs: p.AgentIDs})
	case agent.FilesPart:
		return append(out, Passage{Kind: WroteFile, Files: p.Files})
	}
	return out
}

// condensedRecords returns the lines of a condensed transcript for a line's records.
func condensedRecords(records []agent.Record) []string {
	var out []string
	for i := range records {
		r := &records[i]
		if r.Subagent != "" {
			continue
		}
		if p := typedIn(r); p != "" {
			out = append(out, "[User] "+p)
		}
		if r.Role != agent.RoleAssistant {
			continue
		}
		for k := range r.Parts {
			switch p := &r.Parts[k]; p.Kind {
			case agent.TextPart:
				if t := strings.TrimSpace(p.Text); t != "" {
					out = append(out, "[Assistant] "+t)
				}
			case agent.CallPart:
				out = append(out, "[Tool] "+callLine(&p.Call))
			}
		}
	}
	return out
}

// callLine returns a call as one line for a person: the tool, and its command or file.
func callLine(call *agent.Call) string {
	detail := call.Command
	if detail == "" && len(call.Edits) > 0 {
		detail = call.Edits[0].Path
	}
	if detail == "" && len(call.Files) > 0 {
		detail = call.Files[0]
	}
	if detail == "" {
		return call.Name
	}
	return call.Name + ": " + jsontext.FirstLine(detail)
}

// recordWrites returns the edit calls of a line's records.
func recordWrites(records []agent.Record) []Written {
	var out []Written
	for i := range records {
		r := &records[i]
		for k := range r.Parts {
			if p := &r.Parts[k]; p.Kind == agent.CallPart {
				out = append(out, byModel(writtenBy(p.Call.ID, p.Call.Edits), r.Model)...)
			}
		}
	}
	return out
}

// writtenBy returns what a call's edits write.
func writtenBy(callID string, edits []agent.Edit) []Written {
	var out []Written
	for _, e := range edits {
		texts := e.Texts
		if len(texts)+len(e.Replaced) == 0 {
			texts = []string{""} // an empty file is written, too
		}
		out = appendWritten(out, callID, e.Path, texts, e.Replaced)
	}
	return out
}

// countRecords counts the messages of a line's records.
func countRecords(records []agent.Record) int {
	n := 0
	for i := range records {
		if records[i].Role != "" && records[i].Role != agent.RoleSystem {
			n++
		}
	}
	return n
}
