package transcript

import (
	"bytes"
	"slices"

	"entire/agent"
	"entire/agent/conversation"
	"entire/strategy/sessionstate"
)

// turnPromptsMax bounds the number of turns whose prompt key a session remembers.
const turnPromptsMax = 400

// NoteTurnPrompt remembers the prompt of the open turn: the prompt that the hook gave, or the first
// prompt that the transcript has in the turn.
func NoteTurnPrompt(o *sessionstate.LockedSession) {
	key := agent.PromptKey(agent.CleanPrompt(o.Engine.Prompt))
	if t := o.Engine.Capture.Conversation; t != nil {
		prompts := t.PromptsSince(o.Engine.TurnStart.ConversationMark)
		hookPromptSeen := slices.ContainsFunc(prompts, func(p string) bool { return agent.PromptKey(p) == key })
		if len(prompts) > 0 && (key == "" || !hookPromptSeen && len(prompts) == 1 && o.NextPrompt == "") {
			key = agent.PromptKey(prompts[0])
		}
	}
	if key != "" {
		SetTurnPrompt(&o.Engine, max(o.Engine.TurnNumber, 1), key)
	}
}

// SetTurnPrompt sets the prompt key of a turn.
func SetTurnPrompt(sd *sessionstate.EngineState, turn int, key string) {
	sd.TurnPrompts = slices.DeleteFunc(sd.TurnPrompts, func(a sessionstate.TurnPrompt) bool { return a.Turn == turn })
	sd.TurnPrompts = append(sd.TurnPrompts, sessionstate.TurnPrompt{Turn: turn, Prompt: key})
	sd.TurnPrompts = sd.TurnPrompts[max(0, len(sd.TurnPrompts)-turnPromptsMax):]
}

// TurnPromptKey returns the key of a turn's prompt, "" if it is not known.
func TurnPromptKey(sd *sessionstate.EngineState, turn int) string {
	for _, a := range slices.Backward(sd.TurnPrompts) {
		if a.Turn == turn {
			return a.Prompt
		}
	}
	return ""
}

// PromptBefore returns the prompt that a person typed last before now, by the transcript at path, and
// where its line begins; "" for none. It is for an agent that may not have told the prompt.
func PromptBefore(kind agent.AgentType, path string) (prompt string, offset int64) {
	data, at, err := readTranscriptTail(path)
	if err != nil {
		return "", 0
	}
	read, known := conversation.NewConversation(kind), 0
	for line := range bytes.Lines(data) {
		if read.AddLine(bytes.TrimSuffix(line, []byte("\n"))); len(read.Prompts) > known {
			known = len(read.Prompts)
			prompt, offset = read.Prompts[known-1], at
		}
		at += int64(len(line))
	}
	return prompt, offset
}
