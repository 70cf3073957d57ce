package view

import (
	"strings"
	"time"

	"entire/agent/conversation"
	"entire/internal/cli/cliui"
	"entire/internal/cli/sessionlib"
)

// passageMax is how many bytes of a passage a page shows.
const passageMax = 4000

// A Passage is something that was thought, said or done in a turn.
type Passage struct {
	Kind   string    `json:"kind"` // thought, said, call, result
	Text   string    `json:"text"`
	Tool   string    `json:"tool,omitempty"`
	Failed bool      `json:"failed,omitempty"`
	Chain  string    `json:"agent_id,omitempty"` // the subagent
	Time   time.Time `json:"time,omitzero"`
	Cut    int       `json:"-"` // bytes that are not shown
}

// Passages returns what was said in a turn in the form that is shown.
func Passages(said []conversation.Passage) []Passage {
	out := []Passage{}
	for _, p := range said {
		one := Passage{Text: p.Text, Failed: p.Failed, Chain: p.Chain, Time: p.Time}
		switch p.Kind {
		case conversation.PromptPassage:
			one.Kind = "task" // of a subagent
		case conversation.ThoughtPassage:
			one.Kind = "thought"
		case conversation.TextPassage:
			one.Kind = "said"
		case conversation.CallPassage:
			one.Kind, one.Tool = "call", p.Call.Name
			_, one.Text, _ = strings.Cut(sessionlib.CallLine(p.Call), ": ")
		case conversation.ResultPassage:
			one.Kind = "result"
		default:
			continue
		}
		out = append(out, one)
	}
	return out
}

// CutPassages leaves of each passage as much as a page has room for.
func CutPassages(all []Passage, r *Room) []Passage {
	out := make([]Passage, len(all))
	for i, p := range all {
		short := r.Cut(p.Text, passageMax)
		p.Cut, p.Text = len(p.Text)-len(short), short
		out[i] = p
	}
	return out
}

// First returns the first line of a passage, shortened.
func (p Passage) First() string {
	return cliui.ShortLine(cliui.FirstLine(strings.TrimSpace(p.Text)), 160)
}

// Lines returns the number of lines of a passage.
func (p Passage) Lines() int { return strings.Count(strings.TrimSpace(p.Text), "\n") + 1 }
