package trailer

import (
	"cmp"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"entire/agent"
)

const (
	// defaultSubject follows the agent's name in the subject of a turn without a prompt.
	defaultSubject = " session updates"

	maxSubjectRunes     = 72
	maxDescriptionBytes = 60
	shortIDBytes        = 12
)

// politeness lists the openings of prompts that a subject leaves out.
var politeness = [...]string{
	"Can you ", "can you ", "Please ", "please ", "Let's ", "let's ",
	"Could you ", "could you ", "Would you ", "would you ",
	"I want you to ", "I'd like you to ", "I need you to ",
}

// StepSubject makes the subject of an agent's step from the turn's last prompt: one line of at
// most 72 characters, without opening courtesies and one closing question mark. Without a
// prompt it names the agent.
func StepSubject(prompt string, by agent.AgentType) string {
	s := strings.Join(strings.Fields(prompt), " ")
	for again := true; again; {
		again = false
		for _, p := range politeness {
			if rest, ok := strings.CutPrefix(s, p); ok {
				s, again = rest, true
			}
		}
	}
	s = strings.TrimSpace(strings.TrimSuffix(s, "?"))
	if r := []rune(s); len(r) > maxSubjectRunes {
		s = strings.TrimSpace(string(r[:maxSubjectRunes]))
	}
	if s == "" {
		return cmp.Or(string(by), string(agent.AgentTypeUnknown)) + defaultSubject
	}
	first, n := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(first)) + s[n:]
}

// TaskSubject returns the subject of the step at a subagent's end.
func TaskSubject(subagentType, description, toolUseID string) string {
	short := shortID(toolUseID)
	description = clipDescription(description)
	switch {
	case subagentType == "" && description == "":
		return "Task: " + short
	case subagentType == "":
		return fmt.Sprintf("Completed agent: %s (%s)", description, short)
	case description == "":
		return fmt.Sprintf("Completed '%s' agent (%s)", subagentType, short)
	}
	return fmt.Sprintf("Completed '%s' agent: %s (%s)", subagentType, description, short)
}

// IncrementalSubject returns the subject of a step during a subagent's run.
func IncrementalSubject(todo string, sequence int, toolUseID string) string {
	if todo = clipDescription(todo); todo != "" {
		return fmt.Sprintf("%s (%s)", todo, shortID(toolUseID))
	}
	return fmt.Sprintf("Checkpoint #%d: %s", sequence, shortID(toolUseID))
}

func shortID(toolUseID string) string {
	if len(toolUseID) > shortIDBytes {
		return toolUseID[:shortIDBytes]
	}
	return toolUseID
}

// clipDescription makes one line of at most 60 bytes and never splits a character.
func clipDescription(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if len(s) <= maxDescriptionBytes {
		return s
	}
	return agent.Clip(s, maxDescriptionBytes-len("...")) + "..."
}

// SafeSubject returns a subject that may stand above trailers: one line of valid UTF-8, without
// NUL and without a trailer key and its colon, which readers that search the whole message
// would take for the trailer.
func SafeSubject(s string) string {
	s = strings.ToValidUTF8(strings.ReplaceAll(s, "\x00", ""), "\uFFFD")
	s = strings.Join(strings.Fields(s), " ")
	var b strings.Builder
	for {
		word, rest, found := strings.Cut(s, ":")
		b.WriteString(word)
		if !found {
			break
		}
		if isOurKey(word[strings.LastIndexByte(word, ' ')+1:]) {
			b.WriteByte(' ')
		}
		b.WriteByte(':')
		s = rest
	}
	return cmp.Or(b.String(), string(agent.AgentTypeUnknown)+defaultSubject)
}

// isOurKey reports whether a word ends in a trailer key.
func isOurKey(word string) bool {
	return strings.Contains(word, "Entire-") || strings.HasSuffix(word, EphemeralBranch)
}
