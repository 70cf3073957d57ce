package review

import (
	"slices"

	"entire/agent"
)

// PromptsOfCalls says after which prompt each call of a tool was made, by its ID;
// those of subagents after the prompt that led to them.
func PromptsOfCalls(talk []agent.Passage, subagents ...[]agent.Passage) map[string]string {
	out, started := map[string]string{}, map[string]string{}
	last := ""
	for _, p := range talk {
		switch {
		case p.Kind == agent.Prompted && p.Chain == "":
			last = p.Text
		case p.Kind == agent.Called && p.Call.ID != "" && last != "":
			out[p.Call.ID] = last
		}
		for _, sub := range p.AgentIDs {
			started[sub] = last
		}
	}
	for _, sub := range subagents {
		for _, p := range sub {
			if prompt := started[p.Chain]; p.Kind == agent.Called && p.Call.ID != "" && prompt != "" {
				out[p.Call.ID] = prompt
			}
		}
	}
	return out
}

// Behind notes of a session's owners which of its prompts was behind their lines:
// by the recorded call, whose prompt of says. Lines of the same turn without a call
// have the prompt that was recorded of it, or that turn's, where all its calls have one
// and the same.
func (d *Document) Behind(session string, of map[string]string) {
	i := slices.IndexFunc(d.Sessions, func(s Session) bool { return s.ID == session })
	if i < 0 {
		return
	}
	turns := map[int]int{} // -1 for several
	for k := range d.Owners {
		o := &d.Owners[k]
		if o.Class != Agent || o.Session != session || o.ToolUseID == "" {
			continue
		}
		if o.Prompt = d.Sessions[i].number(of[o.ToolUseID]); o.Prompt == 0 || o.Turn == 0 {
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
		if o.Prompt = d.Sessions[i].asked(o.Asked); o.Prompt == 0 && o.ToolUseID == "" && turns[o.Turn] > 0 {
			o.Prompt = turns[o.Turn]
		}
	}
}

// asked is which of the prompts has a key, from 1; 0 for none.
func (s *Session) asked(key string) int {
	if key == "" {
		return 0
	}
	return slices.IndexFunc(s.Prompts, func(p string) bool { return agent.PromptKey(p) == key }) + 1
}

// number is which of the prompts a text is, from 1; 0 for none of them, and for one
// that was given several times, but for the first of them.
func (s *Session) number(prompt string) int {
	if prompt == "" {
		return 0
	}
	return slices.Index(s.Prompts, prompt) + 1
}

// Work is what came of a prompt.
type Work struct {
	Prompt         string
	Added, Removed int
	Files          []string // in the document's order
}

// Works are what came of each of a session's prompts, in their order.
func (d *Document) Works(s Session) []Work {
	out := make([]Work, len(s.Prompts))
	for i := range out {
		out[i].Prompt = s.Prompts[i]
	}
	for i := range d.Files {
		f := &d.Files[i]
		take := func(rows []Rows, add func(w *Work, n int)) {
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
		take(f.Ranges, func(w *Work, n int) { w.Added += n })
		take(f.Gone, func(w *Work, n int) { w.Removed += n })
	}
	return out
}

// PromptOf is the prompt behind an owner's lines, "" where it is not known.
func (d *Document) PromptOf(o Owner) string {
	for _, s := range d.Sessions {
		if o.Class == Agent && s.ID == o.Session && o.Prompt >= 1 && o.Prompt <= len(s.Prompts) {
			return s.Prompts[o.Prompt-1]
		}
	}
	return ""
}
