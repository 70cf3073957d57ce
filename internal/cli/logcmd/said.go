package logcmd

import (
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"entire/agent/conversation"
	"entire/internal/cli/cliui"
	"entire/internal/cli/sessionlib"
	"entire/internal/term"
	"entire/internal/timeline"
)

const (
	saidShown  = 30  // passages of a turn that are shown without --full
	failedText = 200 // runes of a failed call's result
)

// A saidView is something that was said or done in a turn, and its JSON form.
type saidView struct {
	Kind   string    `json:"kind"` // text, thought, call, result
	Text   string    `json:"text,omitempty"`
	Tool   string    `json:"tool,omitempty"`
	About  string    `json:"about,omitempty"` // the call in one line: the tool with its file or command
	Failed bool      `json:"failed,omitempty"`
	Agent  string    `json:"subagent,omitempty"`
	Time   time.Time `json:"time,omitzero"`
}

// addSaid adds what the agent said and did; without all, neither thoughts, nor results, nor what subagents
// did, and only the last of the rest.
// Paths in calls are relative to the worktree's top.
func (v *pointView) addSaid(d timeline.Details, all bool, top string) {
	v.LeftOut = d.LeftOut
	for _, p := range d.Said {
		said := saidView{Text: p.Text, Failed: p.Failed, Agent: p.Chain, Time: p.Time}
		plain := true
		switch p.Kind {
		case conversation.TextPassage:
			said.Kind = "text"
		case conversation.CallPassage:
			said.Kind, said.Tool, said.About = "call", p.Call.Name, strings.ReplaceAll(sessionlib.CallLine(p.Call), filepath.ToSlash(top)+"/", "")
		case conversation.ThoughtPassage:
			said.Kind, plain = "thought", false
		case conversation.ResultPassage:
			said.Kind, plain = "result", p.Failed
		case conversation.PromptPassage:
			said.Kind, plain = "task", false
		default:
			continue
		}
		if all || plain && p.Chain == "" {
			v.Said = append(v.Said, said)
		} else {
			v.LeftOut++
		}
	}
	if n := len(v.Said) - saidShown; !all && n > 0 {
		v.LeftOut += n
		v.Said = v.Said[n:]
	}
}

// writeSaid shows what was said and done.
func (v pointView) writeSaid(b *strings.Builder, t term.Terminal, width int) {
	if len(v.Said) == 0 {
		return
	}
	fmt.Fprintf(b, "\n%s\n", t.Styled(term.Strong, "Said and done:"))
	if v.LeftOut > 0 {
		fmt.Fprintf(b, "  %s\n", t.Styled(term.Faint, fmt.Sprintf("(%s left out; --full shows more)", cliui.Plural(v.LeftOut, "1 passage", fmt.Sprint(v.LeftOut, " passages")))))
	}
	for _, s := range v.Said {
		before := "  "
		if s.Agent != "" {
			before = "    "
		}
		cut := func(text string) string {
			if width == 0 {
				return text
			}
			return term.Cut(text, max(width-len(before), 20))
		}
		switch s.Kind {
		case "call":
			fmt.Fprintf(b, "%s%s\n", before, t.Styled(term.Faint, cut(cliui.ShownLine(s.About))))
		case "result":
			if s.Failed {
				fmt.Fprintf(b, "%s%s\n", before, t.Styled(term.Bad, cut("failed: "+cliui.ShortLine(s.Text, failedText))))
			}
		case "thought":
			indented(b, before+"(thought) ", t.Styled(term.Faint, cliui.Printable(s.Text)), before)
		default:
			indented(b, before, cliui.Printable(s.Text), before)
		}
	}
}

// indented writes text with a prefix for its first line and one for the others.
func indented(b *strings.Builder, first, text, others string) {
	for line := range strings.Lines(strings.TrimSpace(text)) {
		fmt.Fprintf(b, "%s\n", strings.TrimRight(first+strings.TrimRight(line, "\r\n"), " "))
		first = others
	}
}
