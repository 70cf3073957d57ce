package conversation

import (
	"strings"

	"github.com/tidwall/gjson"

	"entire/agent"
	"entire/agent/agents"
	"entire/agent/internal/jsontext"
)

// skillNotice begins the user's message that loading a skill creates.
const skillNotice = "Base directory for this skill:"

// CondenseFrom returns a whole transcript of an agent, from item start on, as text for a person or a
// model: what the user and the agent said and which tools were called, separated by blank lines, then
// the files, if any.
func CondenseFrom(t agent.AgentType, transcript []byte, start int, files []string) string {
	t = readerOf(t, transcript)
	c := condenser{form: agents.FormOf(t)}
	if c.form.Messages != nil {
		for _, m := range finalMessagesOf(t, transcript).from(start) {
			c.add(&m.Record)
		}
	} else {
		agent.EachFinalLine(FromLine(transcript, start), func(line []byte) {
			if l := ReadLine(t, line); l.OK {
				for i := range l.Records {
					c.add(&l.Records[i])
				}
			}
		})
	}
	if len(files) > 0 {
		c.entries = append(c.entries, "[Files Modified]\n- "+strings.Join(files, "\n- "))
	}
	if len(c.entries) == 0 {
		return ""
	}
	return strings.Join(c.entries, "\n\n") + "\n"
}

type condenser struct {
	form    *agents.Form
	entries []string
}

func (c *condenser) add(r *agent.Record) {
	if r.Subagent != "" {
		return
	}
	if p := typedIn(r); p != "" && !strings.HasPrefix(p, skillNotice) {
		c.entries = append(c.entries, "[User] "+p)
	}
	for i := range r.Parts {
		switch p := &r.Parts[i]; {
		case p.Kind == agent.FilesPart && p.Call.Name+p.Call.Command != "":
			c.entries = append(c.entries, "[Tool] "+toldLine(p))
		case r.Role != agent.RoleAssistant:
		case p.Kind == agent.TextPart:
			if t := strings.TrimSpace(p.Text); t != "" {
				c.entries = append(c.entries, "[Assistant] "+t)
			}
		case p.Kind == agent.CallPart:
			c.entries = append(c.entries, "[Tool] "+c.callLine(&p.Call))
		}
	}
}

// callLine returns a call as one line for a person: the tool, and what describes the call best.
func (c *condenser) callLine(call *agent.Call) string {
	if c.form.Calls != nil {
		if detail := agent.FirstString(gjson.ParseBytes(call.Input), c.form.Calls.Describing(call.Name)...); detail != "" {
			return toolLine(call.Name, detail)
		}
	}
	files := call.Files
	if len(call.Edits) > 0 {
		files = []string{call.Edits[0].Path}
	}
	return toolLine(call.Name, commandOrFile(call.Command, files))
}

// toldLine returns what a tool did, as far as a record reports it, as one line.
func toldLine(p *agent.Part) string {
	return toolLine(p.Call.Name, commandOrFile(p.Call.Command, p.Files))
}

func commandOrFile(command string, files []string) string {
	if command == "" && len(files) > 0 {
		return files[0]
	}
	return command
}

func toolLine(name, detail string) string {
	if detail == "" {
		return name
	}
	return name + ": " + jsontext.FirstLine(jsontext.ValidUTF8(detail))
}
