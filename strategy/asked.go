package strategy

import (
	"slices"

	"entire/agent"
)

// askedMax bounds the number of turns whose prompt key a session remembers.
const askedMax = 400

// askedTurn is the key of the prompt that began a turn, without its text; see [agent.PromptKey].
type askedTurn struct {
	Turn   int    `json:"turn"`
	Prompt string `json:"prompt"`
}

// noteAsked remembers the prompt of the open turn: the prompt that the hook gave, or the first
// prompt that the transcript has in the turn.
func (o *open) noteAsked() {
	key := agent.PromptKey(agent.CleanPrompt(o.side.Prompt))
	if t := o.side.Capture.Talk; t != nil {
		prompts := t.PromptsSince(o.side.Turn.Talk)
		hookPromptSeen := slices.ContainsFunc(prompts, func(p string) bool { return agent.PromptKey(p) == key })
		if len(prompts) > 0 && (key == "" || !hookPromptSeen && len(prompts) == 1 && o.next == "") {
			key = agent.PromptKey(prompts[0])
		}
	}
	if key != "" {
		o.side.asked(max(o.side.Turns, 1), key)
	}
}

// asked sets the prompt key of a turn.
func (sd *side) asked(turn int, key string) {
	sd.Asked = slices.DeleteFunc(sd.Asked, func(a askedTurn) bool { return a.Turn == turn })
	sd.Asked = append(sd.Asked, askedTurn{turn, key})
	sd.Asked = sd.Asked[max(0, len(sd.Asked)-askedMax):]
}

// promptOf returns the key of a turn's prompt, "" if it is not known.
func (sd *side) promptOf(turn int) string {
	for _, a := range slices.Backward(sd.Asked) {
		if a.Turn == turn {
			return a.Prompt
		}
	}
	return ""
}
