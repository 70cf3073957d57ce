package logcmd

import (
	"fmt"
	"strings"

	"entire/agent"
	"entire/internal/cli/cliui"
	"entire/internal/cli/pointlib"
	"entire/internal/term"
	"entire/internal/timeline"
)

// pointText returns a point for people.
func (s shower) pointText(v pointView) string {
	var b strings.Builder
	t := s.env.Screen()
	s.writeHead(&b, v, t)
	for i, prompt := range v.Prompts {
		if i == 0 {
			fmt.Fprintf(&b, "\n%s\n", t.Styled(term.Strong, cliui.Plural(len(v.Prompts), "Prompt:", "Prompts:")))
		} else {
			b.WriteString("\n")
		}
		indented(&b, "    ", cliui.Printable(prompt), "    ")
	}
	v.writeSaid(&b, t, s.env.Width())
	if v.Unknown {
		b.WriteString("\nWhat it changed is not known: the commit before it is missing here, as in a shallow clone.\n")
	} else {
		b.WriteString("\n" + statText(v.Changes, t))
	}
	writeRewind(&b, v)
	if s.o.diff {
		b.WriteString("\n" + s.patchText(v.Patch) + unshownText(v.Unshown))
	} else if len(v.Changes) > 0 {
		fmt.Fprintf(&b, "The lines: entire show %s --diff\n", cliui.ShortID(shownID(v.Point)))
	}
	return b.String()
}

func shownID(p timeline.Point) string {
	if p.Rewind != nil {
		return p.Rewind.ID
	}
	return p.ID
}

// writeHead says what the point is, and where and when it was made.
func (s shower) writeHead(b *strings.Builder, v pointView, t term.Terminal) {
	p := v.Point
	line := func(name, format string, args ...any) {
		fmt.Fprintf(b, "%s %s\n", t.Styled(term.Strong, name+":"), fmt.Sprintf(format, args...))
	}
	line(kindTitles[p.Kind], "%s", shownID(p))
	if title := pointlib.Title(p); p.Kind != timeline.Turn || len(v.Prompts) == 0 {
		line("About", "%s", title)
	}
	line("Made", "%s (%s)", p.When.Local().Format("Mon 2 Jan 2006 15:04:05 -0700"), cliui.Ago(s.env.Now().Sub(p.When)))
	if p.Session != "" {
		turn := ""
		if p.Turn > 0 {
			turn = fmt.Sprintf(", turn %d", p.Turn)
		}
		line("Session", "%s (%s)%s", cliui.ShownLine(p.Session), cliui.ShownLine(string(cliui.AgentOr(p.Agent))), turn)
	}
	if p.Author != "" {
		line("Author", "%s", cliui.ShownLine(p.Author))
	}
	switch on := cliui.ShortID(p.Head); {
	case p.Kind == timeline.Commit || on == "":
	case p.Branch != "":
		line("On", "%s (%s)", on, cliui.ShownLine(p.Branch))
	default:
		line("On", "%s", on)
	}
	if p.TakenBy != "" {
		line("Taken by", "commit %s", strings.TrimSpace(cliui.ShortID(p.TakenBy)+"  "+p.TakenIn))
	}
	if len(p.Checkpoints) > 0 {
		line(cliui.Plural(len(p.Checkpoints), "Checkpoint", "Checkpoints"), "%s", strings.Join(p.Checkpoints, ", "))
	}
	if v.Model != "" {
		line("Model", "%s", cliui.ShownLine(v.Model))
	}
	if v.Tokens != nil && v.Tokens.Total() > 0 {
		line("Tokens", "%s", tokenWords(*v.Tokens))
	}
	if v.Body != "" {
		b.WriteString("\n")
		indented(b, "    ", cliui.Printable(v.Body), "    ")
	}
}

var kindTitles = map[timeline.Kind]string{
	timeline.Turn: "Turn", timeline.Task: "Task", timeline.Auto: "Step", timeline.Label: "Saved", timeline.Commit: "Commit",
	timeline.Rewind: "Rewind", timeline.Saved: "Step", timeline.Outside: "Changes",
}

// tokenWords returns the numbers of tokens in words.
func tokenWords(u agent.TokenUsage) string {
	text := fmt.Sprintf("%d (%d in, %d out", u.Total(), u.InputTokens, u.OutputTokens)
	if u.CacheReadTokens > 0 || u.CacheCreationTokens > 0 {
		text += fmt.Sprintf(", cache %d written, %d read", u.CacheCreationTokens, u.CacheReadTokens)
	}
	if u.SubagentTokens != nil && !u.SubagentTokens.IsZero() {
		text += fmt.Sprintf(", subagents %d", u.SubagentTokens.Total())
	}
	return text + ")"
}

// statText lists changed files for people.
func statText(changes []timeline.Change, t term.Terminal) string {
	if len(changes) == 0 {
		return "No file changed.\n"
	}
	var b strings.Builder
	added, removed := 0, 0
	marks := map[string]string{"create": t.Styled(term.Good, "A"), "write": "M", "mode": "M", "remove": t.Styled(term.Bad, "D")}
	for _, c := range changes {
		note := cliui.LineCounts(c.Insertions, c.Deletions)
		if c.Action == "mode" {
			note = " (mode)"
		}
		fmt.Fprintf(&b, "  %s %s%s\n", marks[c.Action], cliui.ShownName(c.Path), t.Styled(term.Faint, note))
		added, removed = added+max(c.Insertions, 0), removed+max(c.Deletions, 0)
	}
	fmt.Fprintf(&b, "%s changed, +%d -%d\n", cliui.Count(len(changes), "file"), added, removed)
	return b.String()
}

// writeRewind says what going there would do, and how.
func writeRewind(b *strings.Builder, v pointView) {
	b.WriteString("\n")
	switch {
	case v.Rewind != nil:
		b.WriteString(v.Rewind.Words)
	case v.Problem != "":
		fmt.Fprintf(b, "Nothing can go there now: %s\n", cliui.ShownLine(v.Problem))
	}
	what := "go there"
	if v.Point.Rewind != nil && v.Rewind != nil {
		what = string(v.Rewind.Kind) + " it"
	}
	if v.Command != "" {
		fmt.Fprintf(b, "To %s: %s\n", what, v.Command)
	}
}
