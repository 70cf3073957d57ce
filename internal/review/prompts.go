package review

import (
	"slices"

	"entire/agent"
	"entire/agent/conversation"
)

// PromptsOfCalls returns, by tool call ID, the text of the prompt that preceded the call. A subagent's
// calls have the prompt that started the subagent.
func PromptsOfCalls(passages []conversation.Passage, subagents ...[]conversation.Passage) map[string]string {
	out, started := map[string]string{}, map[string]string{}
	last := ""
	for _, p := range passages {
		switch {
		case p.Kind == conversation.PromptPassage && p.Chain == "":
			last = p.Text
		case p.Kind == conversation.CallPassage && p.Call.ID != "" && last != "":
			out[p.Call.ID] = last
		}
		for _, sub := range p.AgentIDs {
			started[sub] = last
		}
	}
	for _, sub := range subagents {
		for _, p := range sub {
			if prompt := started[p.Chain]; p.Kind == conversation.CallPassage && p.Call.ID != "" && prompt != "" {
				out[p.Call.ID] = prompt
			}
		}
	}
	return out
}

// SetPrompts sets Prompt in the session's owners; of maps a tool call ID to its prompt. Lines without a
// recorded call get the prompt recorded for their turn, or the only prompt of that turn's calls.
func (d *Document) SetPrompts(session string, of map[string]string) {
	i := slices.IndexFunc(d.Sessions, func(s Session) bool { return s.ID == session })
	if i < 0 {
		return
	}
	turns := map[int]int{} // -1: the turn's calls have several prompts
	for k := range d.Owners {
		o := &d.Owners[k]
		if o.Class != Agent || o.Session != session || o.ToolUseID == "" {
			continue
		}
		if o.Prompt = d.Sessions[i].promptByText(of[o.ToolUseID]); o.Prompt == 0 || o.Turn == 0 {
			continue
		}
		if had := turns[o.Turn]; had != 0 && had != o.Prompt {
			turns[o.Turn] = -1
		} else {
			turns[o.Turn] = o.Prompt
		}
	}
	for k := range d.Owners {
		o := &d.Owners[k]
		if o.Class != Agent || o.Session != session || o.Prompt > 0 {
			continue
		}
		if o.Prompt = d.Sessions[i].promptByKey(o.PromptKey); o.Prompt == 0 && o.ToolUseID == "" && turns[o.Turn] > 0 {
			o.Prompt = turns[o.Turn]
		}
	}
}

// promptByKey returns the number of the prompt with this key, from 1, or 0 if there is none.
func (s *Session) promptByKey(key string) int {
	if key == "" {
		return 0
	}
	return slices.IndexFunc(s.Prompts, func(p string) bool { return agent.PromptKey(p) == key }) + 1
}

// promptByText returns the number of the prompt with this text, from 1, or 0 if there is none. If several
// prompts have this text, it returns the first.
func (s *Session) promptByText(prompt string) int {
	if prompt == "" {
		return 0
	}
	return slices.Index(s.Prompts, prompt) + 1
}

// PromptResult is the result of one prompt: the lines and files that it changed.
type PromptResult struct {
	Prompt         string
	Added, Removed int
	Files          []string // in the document's order
}

// PromptResults returns the result of each of the session's prompts, in their order.
func (d *Document) PromptResults(s Session) []PromptResult {
	out := make([]PromptResult, len(s.Prompts))
	for i := range out {
		out[i].Prompt = s.Prompts[i]
	}
	for i := range d.Files {
		f := &d.Files[i]
		take := func(rows []Rows, add func(w *PromptResult, n int)) {
			for _, g := range rows {
				o := d.Owners[g.Owner]
				if o.Class != Agent || o.Session != s.ID || o.Prompt < 1 || o.Prompt > len(out) {
					continue
				}
				w := &out[o.Prompt-1]
				add(w, g.Count)
				if k := len(w.Files); k == 0 || w.Files[k-1] != f.Path {
					w.Files = append(w.Files, f.Path)
				}
			}
		}
		take(f.Ranges, func(w *PromptResult, n int) { w.Added += n })
		take(f.Gone, func(w *PromptResult, n int) { w.Removed += n })
	}
	return out
}

// promptOf returns the prompt that led to an owner's lines, or "" if it is not known.
func (d *Document) promptOf(o Owner) string {
	for _, s := range d.Sessions {
		if o.Class == Agent && s.ID == o.Session && o.Prompt >= 1 && o.Prompt <= len(s.Prompts) {
			return s.Prompts[o.Prompt-1]
		}
	}
	return ""
}
