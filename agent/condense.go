package agent

import (
	"strings"

	"github.com/tidwall/gjson"
)

// skillNotice begins the user's message that loading a skill creates.
const skillNotice = "Base directory for this skill:"

// Condense returns a whole transcript of lines as text for a person or a model: what the
// user and the agent said and which tools were called, separated by blank lines, then the
// files, if any.
func Condense(transcript []byte, files []string) string {
	return condense(AgentTypeUnknown, transcript, files)
}

func condense(t AgentType, transcript []byte, files []string) string {
	var entries []string
	wholeFile(transcript, func(line []byte) {
		var g genericLine
		if t != AgentTypeClaudeCode && g.scan(line) {
			entries = append(entries, g.condensed()...)
			return
		}
		var l claudeLine
		if l.scan(line) && !l.sidechain {
			entries = append(entries, l.condensed()...)
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

func (l *genericLine) condensed() []string {
	switch l.role {
	case "user":
		if p := l.prompt(); p != "" {
			return []string{"[User] " + p}
		}
	case "assistant":
		if t := strings.TrimSpace(l.said()); t != "" {
			return []string{"[Assistant] " + t}
		}
	case "tool":
		return []string{"[Tool] " + l.line()}
	}
	return nil
}

func (l *claudeLine) condensed() []string {
	if l.kind == "user" {
		if p := l.prompt(); p != "" && !strings.HasPrefix(p, skillNotice) {
			return []string{"[User] " + p}
		}
		return nil
	}
	var out []string
	l.message.eachBlock(func(kind string, block gjson.Result) {
		switch kind {
		case "text":
			if t := trimmed(block.Get("text")); t != "" {
				out = append(out, "[Assistant] "+t)
			}
		case "tool_use":
			out = append(out, "[Tool] "+toolLine(valid(block.Get("name").String()), block.Get("input")))
		}
	})
	return out
}

// toolLine returns a tool's name and the argument that describes the call best.
func toolLine(name string, input gjson.Result) string {
	var detail string
	switch name {
	case "Skill":
		detail = firstText(input, "skill")
	case "Read":
		detail = firstText(input, "file_path", "notebook_path")
	case "WebFetch":
		detail = firstText(input, "url")
	case "Bash":
		detail = firstText(input, "command", "description")
	default:
		detail = firstText(input, "description", "command", "file_path", "notebook_path", "pattern")
	}
	if detail == "" {
		return name
	}
	return name + ": " + firstLine(valid(detail))
}

// firstLine returns text up to its first line break, with a mark if there is more.
func firstLine(text string) string {
	line, rest, _ := strings.Cut(strings.TrimSpace(text), "\n")
	if rest != "" {
		line = strings.TrimRight(line, "\r") + " …"
	}
	return line
}
