package conversation

import (
	"strings"

	"github.com/tidwall/gjson"

	"entire/agent"
	"entire/agent/claude"
	"entire/agent/generic"
	"entire/agent/internal/jsontext"
)

// skillNotice begins the user's message that loading a skill creates.
const skillNotice = "Base directory for this skill:"

// Condense returns a whole transcript of lines as text for a person or a model: what the
// user and the agent said and which tools were called, separated by blank lines, then the
// files, if any.
func Condense(transcript []byte, files []string) string {
	return condense(agent.AgentTypeUnknown, transcript, files)
}

func condense(t agent.AgentType, transcript []byte, files []string) string {
	var entries []string
	agent.EachFinalLine(transcript, func(line []byte) {
		if records, _, reads := recordsIn(t, line); reads {
			entries = append(entries, condensedRecords(records)...)
			return
		}
		var g generic.Line
		if t != agent.AgentTypeClaudeCode && g.Scan(line) {
			entries = append(entries, condensedGeneric(&g)...)
			return
		}
		var l claude.Line
		if l.Scan(line) && !l.Sidechain {
			entries = append(entries, condensedClaude(&l)...)
		}
	})
	return joinEntries(entries, files)
}

func joinEntries(entries, files []string) string {
	if len(files) > 0 {
		entries = append(entries, "[Files Modified]\n- "+strings.Join(files, "\n- "))
	}
	if len(entries) == 0 {
		return ""
	}
	return strings.Join(entries, "\n\n") + "\n"
}

func condensedGeneric(l *generic.Line) []string {
	switch l.Role {
	case "user":
		if p := l.Prompt(); p != "" {
			return []string{"[User] " + p}
		}
	case "assistant":
		if t := strings.TrimSpace(l.Said()); t != "" {
			return []string{"[Assistant] " + t}
		}
	case "tool":
		return []string{"[Tool] " + l.Line()}
	}
	return nil
}

func condensedClaude(l *claude.Line) []string {
	if l.Kind == "user" {
		if p := l.Prompt(); p != "" && !strings.HasPrefix(p, skillNotice) {
			return []string{"[User] " + p}
		}
		return nil
	}
	var out []string
	l.Message.EachBlock(func(kind string, block gjson.Result) {
		switch kind {
		case "text":
			if t := agent.Trimmed(block.Get("text")); t != "" {
				out = append(out, "[Assistant] "+t)
			}
		case "tool_use":
			out = append(out, "[Tool] "+toolLine(jsontext.ValidUTF8(block.Get("name").String()), block.Get("input")))
		}
	})
	return out
}

// toolLine returns a tool's name and the argument that describes the call best.
func toolLine(name string, input gjson.Result) string {
	var detail string
	switch name {
	case "Skill":
		detail = agent.FirstString(input, "skill")
	case "Read":
		detail = agent.FirstString(input, "file_path", "notebook_path")
	case "WebFetch":
		detail = agent.FirstString(input, "url")
	case "Bash":
		detail = agent.FirstString(input, "command", "description")
	default:
		detail = agent.FirstString(input, "description", "command", "file_path", "notebook_path", "pattern")
	}
	if detail == "" {
		return name
	}
	return name + ": " + jsontext.FirstLine(jsontext.ValidUTF8(detail))
}
