package review

import (
	"slices"
	"strings"
	"unicode"

	"entire/agent"
	"entire/agent/conversation"
	"entire/internal/attribution"
)

// PromptEvidence is the evidence for the prompt that led to a line.
type PromptEvidence string

// The kinds of evidence, strongest first.
const (
	ByCall    PromptEvidence = "call"    // the transcript contains the recorded call
	ByContent PromptEvidence = "content" // a call of an editing tool wrote exactly this line
	ByTurn    PromptEvidence = "turn"    // the prompt of the line's turn was recorded
	ByFile    PromptEvidence = "file"    // the only prompt that led to a call naming the file
	ByScope   PromptEvidence = "scope"   // the only prompt of the checkpoint
	ByNothing PromptEvidence = "none"    // it is one of Origin.Prompts, or not known
)

// Query is a line whose origin Find looks for in a transcript.
type Query struct {
	ToolUseID string // "" if the call that wrote it is not known
	Paths     []string
	Line      string
	Start     int    // index of the first transcript item that belongs to the checkpoint
	Prompt    string // key of the prompt that began the line's turn, or "" if not known
}

// Origin is what an agent said and did around the writing of a line.
type Origin struct {
	Evidence PromptEvidence
	Prompt   string // "" if not known
	Task     string // the task given to a subagent
	// Prompts are the candidates if the prompt is not known.
	Prompts []string

	Before  []conversation.Passage // the last thoughts and remarks since the prompt
	Skipped int                    // number of tool calls between Before and the call
	Call    *conversation.Passage
	Result  *conversation.Passage
	After   []conversation.Passage // thoughts and remarks up to the next call or prompt
}

// maxPassages is the most passages in Before and in After.
const maxPassages = 4

// Find looks for the origin of a line. Each subagent has a transcript of its own.
func Find(ask Query, passages []conversation.Passage, subagents ...[]conversation.Passage) Origin {
	if ask.ToolUseID != "" {
		called := func(p conversation.Passage) bool {
			return p.Kind == conversation.CallPassage && p.Call.ID == ask.ToolUseID
		}
		if i := slices.IndexFunc(passages, called); i >= 0 {
			return ask.withLatePrompt(originAt(passages, i, ByCall), passages[i+1:])
		}
		for _, sub := range subagents {
			if i := slices.IndexFunc(sub, called); i >= 0 {
				return withSubagentPrompt(originAt(sub, i, ByCall), sub, passages)
			}
		}
	}
	if s, ok := ask.findInTurn(passages, subagents); ok {
		return s
	}
	scope := ask.Start
	if len(passages) == 0 || passages[len(passages)-1].Item < scope {
		scope = 0
	}
	if i, ok := ask.findWriter(passages, scope); ok {
		return originAt(passages, i, ByContent)
	}
	for _, sub := range subagents {
		if i, ok := ask.findWriter(sub, 0); ok {
			return withSubagentPrompt(originAt(sub, i, ByContent), sub, passages)
		}
	}
	s := ask.findByPrompt(passages, scope)
	if s.Evidence == ByScope && ask.Prompt != "" && agent.PromptKey(s.Prompt) != ask.Prompt {
		return Origin{Evidence: ByNothing} // another prompt was recorded, which the transcript lacks
	}
	return s
}

// withLatePrompt takes the prompt behind a call where it is the one that began the line's turn: some programs write
// the first call of a fast model before its prompt.
func (a Query) withLatePrompt(s Origin, behind []conversation.Passage) Origin {
	if a.Prompt == "" || agent.PromptKey(s.Prompt) == a.Prompt {
		return s
	}
	next := slices.IndexFunc(behind, func(p conversation.Passage) bool { return p.Kind == conversation.PromptPassage && p.Chain == "" })
	if next >= 0 && agent.PromptKey(behind[next].Text) == a.Prompt {
		s.Prompt = behind[next].Text
	}
	return s
}

// findInTurn looks in the turn that began with the recorded prompt for the call that wrote the line.
// Without such a call it returns the prompt alone; if several turns began with this prompt, it takes
// the last one with such a call.
func (a Query) findInTurn(passages []conversation.Passage, subagents [][]conversation.Passage) (s Origin, ok bool) {
	if a.Prompt == "" {
		return s, false
	}
	end := len(passages)
	for i, p := range slices.Backward(passages) {
		if p.Kind != conversation.PromptPassage || p.Chain != "" {
			continue
		}
		if agent.PromptKey(p.Text) == a.Prompt {
			if at, found := a.findWriter(passages[i+1:end], 0); found {
				return originAt(passages[:end], i+1+at, ByContent), true
			}
			s, ok = Origin{Evidence: ByTurn, Prompt: p.Text}, true
		}
		end = i
	}
	for _, sub := range subagents {
		if at, found := a.findWriter(sub, 0); ok && found {
			if origin := withSubagentPrompt(originAt(sub, at, ByContent), sub, passages); origin.Prompt == s.Prompt {
				return origin, true
			}
		}
	}
	return s, ok
}

// findWriter returns the first call in scope that wrote the line, or the last one before scope. Failed
// calls wrote nothing. A line with little content counts only if exactly one call wrote it.
func (a Query) findWriter(passages []conversation.Passage, scope int) (int, bool) {
	failed := map[string]bool{}
	for _, p := range passages {
		if p.Kind == conversation.ResultPassage && p.Failed {
			failed[p.CallID] = true
		}
	}
	var before, within []int
	for i, p := range passages {
		if p.Kind != conversation.CallPassage || failed[p.Call.ID] || !a.writes(p) {
			continue
		}
		if p.Item < scope {
			before = append(before, i)
		} else {
			within = append(within, i)
		}
	}
	strong := attribution.Distinctive([]byte(a.Line))
	switch {
	case !strong && len(before)+len(within) != 1:
		return 0, false
	case len(within) > 0:
		return within[0], true
	case len(before) > 0:
		return before[len(before)-1], true
	}
	return 0, false
}

func (a Query) writes(call conversation.Passage) bool {
	want := Squeezed(a.Line)
	for _, w := range call.Written() {
		if !a.names(w.Path) {
			continue
		}
		for _, text := range w.Texts {
			for line := range strings.Lines(text) {
				if Squeezed(line) == want {
					return true
				}
			}
		}
	}
	return false
}

// names reports whether path, as an agent writes it (absolute or relative), is the line's file.
func (a Query) names(path string) bool {
	path = strings.ReplaceAll(strings.TrimPrefix(path, "./"), `\`, "/")
	return slices.ContainsFunc(a.Paths, func(p string) bool { return path == p || strings.HasSuffix(path, "/"+p) })
}

// Squeezed returns a line without its white space.
func Squeezed(line string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return r
	}, line)
}

// findByPrompt looks for the only prompt that can have led to the line.
func (a Query) findByPrompt(passages []conversation.Passage, scope int) Origin {
	s := Origin{Evidence: ByNothing}
	var about []int // prompts after which a call named the file
	last := -1
	for i, p := range passages {
		if p.Chain == "" && p.Kind == conversation.PromptPassage {
			last = i
			if p.Item >= scope {
				s.Prompts = append(s.Prompts, p.Text)
			}
		}
		if p.Item < scope || last < 0 || !a.mentions(p) {
			continue
		}
		if len(s.Prompts) == 0 { // the scope begins within a turn
			s.Prompts = append(s.Prompts, passages[last].Text)
		}
		if !slices.Contains(about, last) {
			about = append(about, last)
		}
	}
	switch {
	case len(about) == 1:
		s.Evidence, s.Prompt = ByFile, passages[about[0]].Text
	case len(s.Prompts) == 1:
		s.Evidence, s.Prompt = ByScope, s.Prompts[0]
	}
	if s.Prompt != "" {
		s.Prompts = nil
	}
	return s
}

// mentions reports whether a passage is about the line's file: its text or its call's input names the
// file.
func (a Query) mentions(p conversation.Passage) bool {
	switch p.Kind {
	case conversation.WroteFile:
		return slices.ContainsFunc(p.Files, a.names)
	case conversation.CallPassage:
		for _, w := range p.Written() {
			if a.names(w.Path) {
				return true
			}
		}
	}
	return false
}

// originAt returns what was said around the call at i.
func originAt(passages []conversation.Passage, i int, how PromptEvidence) Origin {
	call := passages[i]
	s := Origin{Evidence: how, Call: &call}
	begin := 0
	for k := i - 1; k >= 0; k-- {
		p := passages[k]
		if p.Kind != conversation.PromptPassage {
			continue
		}
		if p.Chain == call.Chain && begin == 0 {
			begin = k + 1
			if p.Chain != "" {
				s.Task = p.Text
			}
		}
		if p.Chain == "" {
			s.Prompt = p.Text
			break
		}
	}
	s.addBefore(passages[begin:i], call.Chain)
	s.addAfter(passages[i+1:], call)
	return s
}

// addBefore takes the last thoughts and remarks since the prompt. It counts the calls between them and
// this call, and stops at an earlier call.
func (s *Origin) addBefore(passages []conversation.Passage, chain string) {
	for _, p := range slices.Backward(passages) {
		if p.Chain != chain {
			continue
		}
		switch p.Kind {
		case conversation.CallPassage:
			if len(s.Before) > 0 {
				return
			}
			s.Skipped++
		case conversation.ThoughtPassage, conversation.TextPassage:
			s.Before = append([]conversation.Passage{p}, s.Before...)
			if len(s.Before) == maxPassages {
				return
			}
		}
	}
}

func (s *Origin) addAfter(passages []conversation.Passage, call conversation.Passage) {
	open := true
	for _, p := range passages {
		if p.Chain != call.Chain {
			continue
		}
		switch p.Kind {
		case conversation.ResultPassage:
			if p.CallID == call.Call.ID && s.Result == nil && (p.Text != "" || p.Failed) {
				s.Result = &p
			}
		case conversation.CallPassage, conversation.PromptPassage:
			open = false
		case conversation.ThoughtPassage, conversation.TextPassage:
			if open && len(s.After) < maxPassages {
				s.After = append(s.After, p)
			}
		}
		if !open && s.Result != nil || p.Kind == conversation.PromptPassage {
			return
		}
	}
}

// withSubagentPrompt sets the task of the subagent and the person's prompt that started it.
func withSubagentPrompt(s Origin, sub, passages []conversation.Passage) Origin {
	chain := s.Call.Chain
	for _, p := range sub {
		if s.Task == "" && p.Kind == conversation.PromptPassage {
			s.Task = p.Text
		}
	}
	s.Prompt = ""
	for i, p := range passages {
		if p.Kind != conversation.ResultPassage || !slices.Contains(p.AgentIDs, chain) {
			continue
		}
		for k := i; k >= 0; k-- {
			if passages[k].Kind == conversation.PromptPassage && passages[k].Chain == "" {
				s.Prompt = passages[k].Text
				return s
			}
		}
	}
	return s
}
