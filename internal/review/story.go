package review

import (
	"slices"
	"strings"
	"unicode"

	"entire/agent"
	"entire/internal/attribution"
)

// How says by what the prompt behind a line is known.
type How string

// What there is to know it by, from the surest on.
const (
	ByCall    How = "call"    // the recorded call is in the transcript
	ByContent How = "content" // a call of an editing tool wrote the very line
	ByTurn    How = "turn"    // the line is of a turn whose prompt was recorded
	ByFile    How = "file"    // the only prompt after which a call named the file
	ByScope   How = "scope"   // the only prompt of the checkpoint
	ByNothing How = "none"    // it is one of Story.Prompts, or none is known
)

// Ask is a line whose making is looked for in a transcript.
type Ask struct {
	ToolUseID string // "" where it is not known which call wrote it
	Paths     []string
	Line      string
	Start     int    // the first item of the transcript that is the checkpoint's own
	Prompt    string // the key of the prompt that the line's turn began with; "" for not known
}

// Story is what was said and done around the writing of a line.
type Story struct {
	How    How
	Prompt string // "" where it is not known which it was
	Task   string // what a subagent was told to do
	// Prompts are those that it may have been, where that is not known.
	Prompts []string

	Before  []agent.Passage // thoughts and words since the prompt, the last few
	Skipped int             // calls of tools between them and the call
	Call    *agent.Passage
	Result  *agent.Passage
	After   []agent.Passage // what followed, up to the next call or prompt
}

// aroundMax is how many passages are told before and after a call.
const aroundMax = 4

// Find looks for the making of a line. The subagents' passages are of transcripts
// of their own.
func Find(ask Ask, talk []agent.Passage, subagents ...[]agent.Passage) Story {
	if ask.ToolUseID != "" {
		called := func(p agent.Passage) bool { return p.Kind == agent.Called && p.Call.ID == ask.ToolUseID }
		if i := slices.IndexFunc(talk, called); i >= 0 {
			return storyAt(talk, i, ByCall)
		}
		for _, sub := range subagents {
			if i := slices.IndexFunc(sub, called); i >= 0 {
				return ofSubagent(storyAt(sub, i, ByCall), sub, talk)
			}
		}
	}
	if s, ok := ask.inTurn(talk, subagents); ok {
		return s
	}
	scope := ask.Start
	if len(talk) == 0 || talk[len(talk)-1].Item < scope {
		scope = 0
	}
	if i, ok := ask.writer(talk, scope); ok {
		return storyAt(talk, i, ByContent)
	}
	for _, sub := range subagents {
		if i, ok := ask.writer(sub, 0); ok {
			return ofSubagent(storyAt(sub, i, ByContent), sub, talk)
		}
	}
	return ask.byPrompt(talk, scope)
}

// inTurn tells of the turn that began with the recorded prompt: of the call in it that
// wrote the line, or else of the prompt alone. Of several turns that began so it is the
// last with such a call.
func (a Ask) inTurn(talk []agent.Passage, subagents [][]agent.Passage) (s Story, ok bool) {
	if a.Prompt == "" {
		return s, false
	}
	end := len(talk)
	for i, p := range slices.Backward(talk) {
		if p.Kind != agent.Prompted || p.Chain != "" {
			continue
		}
		if agent.PromptKey(p.Text) == a.Prompt {
			if at, found := a.writer(talk[i+1:end], 0); found {
				return storyAt(talk[:end], i+1+at, ByContent), true
			}
			s, ok = Story{How: ByTurn, Prompt: p.Text}, true
		}
		end = i
	}
	for _, sub := range subagents {
		if at, found := a.writer(sub, 0); ok && found {
			if told := ofSubagent(storyAt(sub, at, ByContent), sub, talk); told.Prompt == s.Prompt {
				return told, true
			}
		}
	}
	return s, ok
}

// writer is the first call in scope that wrote the line, or the last one before;
// one that failed wrote nothing. A line that says little is only found where one call alone wrote it.
func (a Ask) writer(talk []agent.Passage, scope int) (int, bool) {
	failed := map[string]bool{}
	for _, p := range talk {
		if p.Kind == agent.Resulted && p.Failed {
			failed[p.CallID] = true
		}
	}
	var before, within []int
	for i, p := range talk {
		if p.Kind != agent.Called || failed[p.Call.ID] || !a.writes(p.Call) {
			continue
		}
		if p.Item < scope {
			before = append(before, i)
		} else {
			within = append(within, i)
		}
	}
	strong := attribution.Strong([]byte(a.Line))
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

func (a Ask) writes(call agent.ToolUse) bool {
	want := squeezed(a.Line)
	for _, w := range agent.WrittenBy(call) {
		if !a.names(w.Path) {
			continue
		}
		for _, text := range w.Texts {
			for line := range strings.Lines(text) {
				if squeezed(line) == want {
					return true
				}
			}
		}
	}
	return false
}

// names reports whether a path as an agent gives it, absolute or not, is the
// line's file.
func (a Ask) names(path string) bool {
	path = strings.ReplaceAll(strings.TrimPrefix(path, "./"), `\`, "/")
	return slices.ContainsFunc(a.Paths, func(p string) bool { return path == p || strings.HasSuffix(path, "/"+p) })
}

func squeezed(line string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return r
	}, line)
}

// byPrompt looks for the one prompt that it must have been.
func (a Ask) byPrompt(talk []agent.Passage, scope int) Story {
	s := Story{How: ByNothing}
	var about []int // prompts after which a call named the file
	last := -1
	for i, p := range talk {
		if p.Chain == "" && p.Kind == agent.Prompted {
			last = i
			if p.Item >= scope {
				s.Prompts = append(s.Prompts, p.Text)
			}
		}
		if p.Item < scope || last < 0 || !a.mentioned(p) {
			continue
		}
		if len(s.Prompts) == 0 { // the scope begins in the midst of a turn
			s.Prompts = append(s.Prompts, talk[last].Text)
		}
		if !slices.Contains(about, last) {
			about = append(about, last)
		}
	}
	switch {
	case len(about) == 1:
		s.How, s.Prompt = ByFile, talk[about[0]].Text
	case len(s.Prompts) == 1:
		s.How, s.Prompt = ByScope, s.Prompts[0]
	}
	if s.Prompt != "" {
		s.Prompts = nil
	}
	return s
}

// mentioned reports whether a passage works on the line's file: it says so, or a
// call's input has its name.
func (a Ask) mentioned(p agent.Passage) bool {
	switch p.Kind {
	case agent.WroteFile:
		return slices.ContainsFunc(p.Files, a.names)
	case agent.Called:
		for _, w := range agent.WrittenBy(p.Call) {
			if a.names(w.Path) {
				return true
			}
		}
	}
	return false
}

// storyAt tells what stands around the call at i.
func storyAt(talk []agent.Passage, i int, how How) Story {
	call := talk[i]
	s := Story{How: how, Call: &call}
	begin := 0
	for k := i - 1; k >= 0; k-- {
		p := talk[k]
		if p.Kind != agent.Prompted {
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
	s.before(talk[begin:i], call.Chain)
	s.after(talk[i+1:], call)
	return s
}

// before takes the last words since the prompt; calls between them and the call
// are counted, and what was said before those is told only if nothing came after.
func (s *Story) before(talk []agent.Passage, chain string) {
	for _, p := range slices.Backward(talk) {
		if p.Chain != chain {
			continue
		}
		switch p.Kind {
		case agent.Called:
			if len(s.Before) > 0 {
				return
			}
			s.Skipped++
		case agent.Thought, agent.Remarked:
			s.Before = append([]agent.Passage{p}, s.Before...)
			if len(s.Before) == aroundMax {
				return
			}
		}
	}
}

func (s *Story) after(talk []agent.Passage, call agent.Passage) {
	open := true
	for _, p := range talk {
		if p.Chain != call.Chain {
			continue
		}
		switch p.Kind {
		case agent.Resulted:
			if p.CallID == call.Call.ID && s.Result == nil && (p.Text != "" || p.Failed) {
				s.Result = &p
			}
		case agent.Called, agent.Prompted:
			open = false
		case agent.Thought, agent.Remarked:
			if open && len(s.After) < aroundMax {
				s.After = append(s.After, p)
			}
		}
		if !open && s.Result != nil || p.Kind == agent.Prompted {
			return
		}
	}
}

// ofSubagent adds what the person had asked for when the subagent was started.
func ofSubagent(s Story, sub, talk []agent.Passage) Story {
	chain := s.Call.Chain
	for _, p := range sub {
		if s.Task == "" && p.Kind == agent.Prompted {
			s.Task = p.Text
		}
	}
	s.Prompt = ""
	for i, p := range talk {
		if p.Kind != agent.Resulted || !slices.Contains(p.AgentIDs, chain) {
			continue
		}
		for k := i; k >= 0; k-- {
			if talk[k].Kind == agent.Prompted && talk[k].Chain == "" {
				s.Prompt = talk[k].Text
				return s
			}
		}
	}
	return s
}
