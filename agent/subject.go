package agent

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Bounds of what ends up in a commit's subject or a context file.
const (
	subjectRunes     = 72
	descriptionBytes = 60
	contextBytes     = 500
	shortToolUseID   = 12
)

// fallbackSubject is the subject of a step whose prompt says nothing. Other tools
// write it for every agent.
const fallbackSubject = "Claude Code session updates"

// politeness is what a subject does without.
var politeness = []string{
	"Can you ", "can you ", "Please ", "please ", "Let's ", "let's ",
	"Could you ", "could you ", "Would you ", "would you ",
	"I want you to ", "I'd like you to ", "I need you to ",
}

// StepSubject is the subject of a step made for prompt: one line of at most 72
// runes, never empty.
func StepSubject(prompt string) string {
	s := oneLine(CleanPrompt(prompt))
	for again := true; again; {
		again = false
		for _, p := range politeness {
			if rest, ok := strings.CutPrefix(s, p); ok {
				s, again = rest, true
			}
		}
	}
	s = strings.TrimSpace(strings.TrimSuffix(s, "?"))
	s = strings.TrimSpace(firstRunes(s, subjectRunes))
	if s == "" {
		return fallbackSubject
	}
	r, n := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(r)) + s[n:]
}

// TaskSubject is the subject of the step made when a subagent is done.
func TaskSubject(subagentType, description, toolUseID string) string {
	name, desc, short := oneLine(subagentType), shortDescription(description), clip(toolUseID, shortToolUseID)
	switch {
	case name != "" && desc != "":
		return fmt.Sprintf("Completed '%s' agent: %s (%s)", name, desc, short)
	case name != "":
		return fmt.Sprintf("Completed '%s' agent (%s)", name, short)
	case desc != "":
		return fmt.Sprintf("Completed agent: %s (%s)", desc, short)
	}
	return "Task: " + short
}

// TodoSubject is the subject of a step made while a subagent works, toolUseID
// being the subagent's: what it has done, or the step's number.
func TodoSubject(todo string, sequence int, toolUseID string) string {
	short := clip(toolUseID, shortToolUseID)
	if desc := shortDescription(todo); desc != "" {
		return fmt.Sprintf("%s (%s)", desc, short)
	}
	return fmt.Sprintf("Checkpoint #%d: %s", sequence, short)
}

// DoneTodo is what a list of things to do says was done last, "" if nothing was
// listed.
func DoneTodo(todos []TodoItem) string {
	for i := len(todos) - 1; i >= 0; i-- {
		if todos[i].Status == "completed" {
			return todos[i].Content
		}
	}
	if len(todos) == 0 {
		return ""
	}
	return fmt.Sprintf("Planning: %d todos", len(todos))
}

func shortDescription(s string) string { return ellipsis(oneLine(s), descriptionBytes) }

// ellipsis is s, or its first n bytes and "...".
func ellipsis(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return clip(s, n) + "..."
}

// ContextMarkdown is the context.md of a checkpoint with these prompts, "" for
// none.
func ContextMarkdown(prompts []string) string {
	if len(prompts) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("# Session Context\n\n## User Prompts\n\n")
	for i, p := range prompts {
		fmt.Fprintf(&b, "### Prompt %d\n\n%s\n\n", i+1, ellipsis(p, contextBytes))
	}
	return b.String()
}
