package review

import (
	"slices"

	"entire/agent"
)

// A Part is what a commit, or a step, has of a session's conversation.
type Part struct {
	Start int      // the item that it begins with
	Calls []string // the tool calls that wrote its lines, as far as they are recorded
	Files []string // those that it changed, relative to the repository's top
}

// Intent is the first prompt whose work is in a part of a conversation: that of the
// recorded calls; else that before a call that names one of the files; else that before
// any call; else what was asked in the part or, where it begins in the midst of a turn,
// last before it. "" if nothing was asked.
func (p Part) Intent(talk []agent.Passage, subagents ...[]agent.Passage) string {
	if of := PromptsOfCalls(talk, subagents...); len(p.Calls) > 0 {
		var asked []string
		for _, call := range p.Calls {
			asked = append(asked, of[call])
		}
		if i := slices.IndexFunc(talk, func(t agent.Passage) bool { return isPrompt(t) && slices.Contains(asked, t.Text) }); i >= 0 {
			return talk[i].Text
		}
	}
	ask := Ask{Paths: p.Files}
	called := func(t agent.Passage) bool { return t.Kind == agent.Called }
	for _, works := range []func(agent.Passage) bool{ask.mentioned, called, isPrompt} {
		if asked := p.before(talk, works); asked != "" {
			return asked
		}
	}
	last := ""
	for _, t := range talk {
		if isPrompt(t) && t.Item < p.Start {
			last = t.Text
		}
	}
	return last
}

// before is the prompt before the part's first passage of a kind, "" for none.
func (p Part) before(talk []agent.Passage, works func(agent.Passage) bool) string {
	last := ""
	for _, t := range talk {
		if isPrompt(t) {
			last = t.Text
		}
		if t.Item >= p.Start && last != "" && works(t) {
			return last
		}
	}
	return ""
}

func isPrompt(t agent.Passage) bool { return t.Kind == agent.Prompted && t.Chain == "" }
