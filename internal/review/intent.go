package review

import (
	"slices"

	"entire/agent/conversation"
)

// A Part is the part of a session's conversation that belongs to a commit or a step.
type Part struct {
	Start int      // index of its first item
	Calls []string // the tool calls that wrote its lines, if recorded
	Files []string // the files it changed, relative to the repository's top
}

// Intent returns the first prompt that led to work in this part of the conversation. It takes the
// prompt of the recorded calls; without those, the prompt before a call that names one of the files;
// without those, the prompt before any call; and last, a prompt in the part or, if the part begins
// within a turn, the prompt before it. It returns "" if there is no prompt.
func (p Part) Intent(passages []conversation.Passage, subagents ...[]conversation.Passage) string {
	if of := PromptsOfCalls(passages, subagents...); len(p.Calls) > 0 {
		var asked []string
		for _, call := range p.Calls {
			asked = append(asked, of[call])
		}
		if i := slices.IndexFunc(passages, func(t conversation.Passage) bool { return isPrompt(t) && slices.Contains(asked, t.Text) }); i >= 0 {
			return passages[i].Text
		}
	}
	ask := Query{Paths: p.Files}
	called := func(t conversation.Passage) bool { return t.Kind == conversation.CallPassage }
	for _, works := range []func(conversation.Passage) bool{ask.mentions, called, isPrompt} {
		if asked := p.promptBefore(passages, works); asked != "" {
			return asked
		}
	}
	last := ""
	for _, t := range passages {
		if isPrompt(t) && t.Item < p.Start {
			last = t.Text
		}
	}
	return last
}

// promptBefore returns the prompt before the first passage of the part for which works is true, or "".
func (p Part) promptBefore(passages []conversation.Passage, works func(conversation.Passage) bool) string {
	last := ""
	for _, t := range passages {
		if isPrompt(t) {
			last = t.Text
		}
		if t.Item >= p.Start && last != "" && works(t) {
			return last
		}
	}
	return ""
}

func isPrompt(t conversation.Passage) bool {
	return t.Kind == conversation.PromptPassage && t.Chain == ""
}
