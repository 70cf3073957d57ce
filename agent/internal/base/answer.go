package base

import (
	"bytes"
	"encoding/json"
)

// AnswerTool implements agent.ToolAnswerer.
func (b *Base) AnswerTool(note, refusal string) []byte {
	if b.Answer == nil {
		return nil
	}
	value := b.Answer(note, refusal)
	if value == nil {
		return nil
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false) // a person reads it, too
	if enc.Encode(value) != nil {
		return nil // no value of texts fails
	}
	return out.Bytes()
}

// ClaudeAnswer is an answer as Claude Code and those like it read it.
func ClaudeAnswer(note, refusal string) any {
	out := map[string]string{"hookEventName": "PreToolUse"}
	if refusal == "" {
		out["additionalContext"] = note
	} else {
		out["permissionDecision"], out["permissionDecisionReason"] = "deny", refusal
	}
	return map[string]any{"hookSpecificOutput": out}
}

// PlainAnswer is an answer whose note is for the agent's user.
func PlainAnswer(note, refusal string) any {
	if refusal == "" {
		return map[string]string{"systemMessage": note}
	}
	return map[string]string{"decision": "deny", "reason": refusal}
}

// PluginAnswer is an answer for a plug-in file of ours.
func PluginAnswer(note, refusal string) any {
	if refusal == "" {
		return map[string]string{"note": note}
	}
	return map[string]string{"refuse": refusal}
}
