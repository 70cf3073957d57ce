package conversation

import (
	"slices"
	"strconv"
	"strings"

	"entire/agent"
	"entire/agent/agents"
	"entire/internal/effects"
)

// textOf returns the text of a record, with what stands for other content.
func textOf(r *agent.Record) string { return joined(r, true) }

// saidIn returns the text of a record alone.
func saidIn(r *agent.Record) string { return joined(r, false) }

func joined(r *agent.Record, other bool) string {
	text, more := "", []string(nil)
	for i := range r.Parts {
		p := &r.Parts[i]
		switch {
		case p.Text == "" || p.Kind != agent.TextPart && (!other || p.Kind != agent.OtherPart):
		case text == "":
			text = p.Text
		default:
			more = append(more, p.Text)
		}
	}
	if more == nil {
		return text
	}
	return text + "\n\n" + strings.Join(more, "\n\n")
}

// typedIn returns what a person typed in a record, "" for nothing.
func typedIn(r *agent.Record) string {
	switch {
	case r.Role != agent.RoleUser || r.Injected || r.Subagent != "":
		return ""
	case r.Typed != "":
		return agent.CleanPrompt(r.Typed)
	}
	return agent.CleanPrompt(saidIn(r))
}

// showsWork reports whether the agent was at work when a record was written. Its program writes answers without a model,
// too: when a person goes on with a conversation.
func showsWork(r *agent.Record) bool {
	return r.Role == agent.RoleAssistant && r.Model != agent.SyntheticModel || !r.Stopped && slices.ContainsFunc(r.Parts, func(p agent.Part) bool { return p.Kind == agent.ResultPart })
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

// addRecord adds one record.
func (c *Conversation) addRecord(r *agent.Record, at standing) {
	if !at.again || at.n == c.Messages-1 {
		if r.Subagent == "" {
			agent.SetIf(&c.LastUUID, agent.Clip(r.ID, agent.MaxName))
		}
		agent.SetIf(&c.LastTime, agent.Clip(r.Time, agent.MaxName))
		if r.Subagent == "" && !at.numbered && showsWork(r) {
			agent.SetIf(&c.LastWork, agent.Clip(r.Time, agent.MaxName))
		}
	}
	agent.SetIf(&c.Version, agent.Clip(r.Version, agent.MaxName))
	if r.Subagent == "" && r.Model != agent.SyntheticModel {
		agent.SetIf(&c.Model, agent.Clip(r.Model, agent.MaxName))
	}
	c.noteModel(r)
	if p := typedIn(r); p != "" {
		c.addPrompt(agent.Clip(p, agent.MaxPrompt), at)
	}
	if r.Stopped { // the running calls were interrupted
		c.OpenCalls = nil
	}
	switch {
	case at.numbered && r.Role == agent.RoleAssistant:
		c.addMessageUsage(r, at.again)
	case !at.numbered && r.Usage != nil:
		c.addUsage(answerOf(r, c.Lines), *r.Usage)
	}
	if r.Role == agent.RoleAssistant {
		if !r.Partial && !at.saved && (c.Called > 0 || !agents.For(c.Agent).Profile().OrNone) {
			c.CallsKnownAt = c.Lines
		}
		if r.Subagent == "" {
			agent.SetIf(&c.LastAssistant, agent.Clip(strings.TrimSpace(saidIn(r)), agent.MaxAnswer))
		}
	}
	if at.again && at.saved {
		return
	}
	for i := range r.Parts {
		c.addPart(&r.Parts[i])
	}
}

// noteModel notes the model of an answer: a record without one has the conversation's.
func (c *Conversation) noteModel(r *agent.Record) {
	model := agent.Clip(r.Model, agent.MaxName)
	if model == "" && r.Role == agent.RoleAssistant && r.Subagent == "" {
		model = c.Model
	}
	if model == "" || model == agent.SyntheticModel {
		return
	}
	c.Models = slices.DeleteFunc(c.Models, func(m ModelUse) bool { return m.Model == model })
	c.Models = append(c.Models[max(0, len(c.Models)+1-maxModels):], ModelUse{model, c.Lines})
}

// addPrompt adds a prompt, which ends the running calls.
func (c *Conversation) addPrompt(prompt string, at standing) {
	if at.numbered {
		c.addPromptAt(at.n, prompt)
		return
	}
	c.Prompts = append(c.Prompts, prompt)
	c.OpenCalls = nil
	c.LastWork, c.PriorWork = "", c.LastWork
}

func (c *Conversation) addPart(p *agent.Part) {
	switch p.Kind {
	case agent.CallPart:
		c.addCall(&p.Call)
	case agent.ResultPart:
		c.addResult(p)
	case agent.FilesPart:
		for _, f := range p.Files {
			c.addEdit(f)
		}
		if c.Called = c.Lines; p.Call.Command != "" {
			c.noteEffects(effectsOfCall(&p.Call))
		}
	}
}

func (c *Conversation) addResult(p *agent.Part) {
	i := slices.IndexFunc(c.OpenCalls, func(o ToolCall) bool { return o.ID == p.CallID })
	started := i >= 0 && c.OpenCalls[i].Starts
	if i >= 0 && p.Running {
		c.noteEffects(effectsOfCall(&agent.Call{Command: c.OpenCalls[i].Command, Background: true}))
	}
	if i >= 0 && p.Failed && agents.For(c.Agent).Profile().FailedEditsWriteNothing {
		c.takeBack(c.OpenCalls[i].Before)
	}
	c.closeCall(p.CallID)
	for _, agentID := range p.AgentIDs {
		c.addAgentID(agentID)
	}
	if started && len(p.AgentIDs) == 0 { // no ID leads to the subagent's transcript, so its work is unknown
		c.noteEffects(effects.Unknown())
	}
}

func (c *Conversation) addCall(call *agent.Call) {
	var before []FileEdit
	for _, e := range call.Edits {
		if was, ok := c.addEdit(e.Path); ok {
			before = append(before, was)
		}
	}
	if call.AgentID != "" {
		c.addAgentID(call.AgentID)
	}
	did := effectsOfCall(call)
	c.noteEffects(did)
	if call.ID == "" || len(call.ID) > agent.MaxName || call.Unnamed {
		return
	}
	c.closeCall(call.ID)
	open := ToolCall{ID: call.ID, Name: agent.Clip(call.Name, agent.MaxName), Starts: call.Starts}
	if agents.For(c.Agent).Profile().FailedEditsWriteNothing {
		open.Before = before
	}
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
	case call.Starts && call.Unnamed: // no result will say which transcript has what the subagent did
		return effects.Unknown()
	case len(call.Edits) > 0 || call.Starts || call.Reads:
		return effects.Effects{}
	}
	return effects.OfTool(call.Name, call.Files)
}
