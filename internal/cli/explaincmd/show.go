package explaincmd

import (
	"context"
	"fmt"
	"strings"

	"entire/checkpoint/metadata"
	"entire/internal/cli/cliui"
	"entire/internal/cli/workplace"
	"entire/internal/review"
	"entire/internal/term"
)

const minuteSeconds = "2006-01-02 15:04:05"

func showCheckpoints(ctx context.Context, env *cliui.Env, views []checkpointView, o explainOptions) error {
	if o.json {
		if o.commit != "" {
			return env.PrintJSON(views)
		}
		return env.PrintJSON(views[0])
	}
	var text strings.Builder
	for i, v := range views {
		if i > 0 {
			text.WriteString("\n")
		}
		v.write(&text, env.Screen(), o)
	}
	return env.Show(ctx, text.String(), o.noPager)
}

// write writes the view for people. For one session it has the lines that other tools print; of
// several sessions each has its own part.
func (v checkpointView) write(b *strings.Builder, t term.Terminal, o explainOptions) {
	label := func(name, format string, args ...any) {
		fmt.Fprintf(b, "%s %s\n", t.Styled(term.Strong, name+":"), fmt.Sprintf(format, args...))
	}
	id := v.ID
	if v.Temporary {
		id = v.ID[:min(7, len(v.ID))] + " [temporary]"
	}
	label("Checkpoint", "%s", id)
	if len(v.Sessions) == 1 {
		label("Session", "%s", cliui.ShownLine(v.Sessions[0].ID))
	} else if len(v.Sessions) > 1 {
		label("Sessions", "%d", len(v.Sessions))
	}
	label("Created", "%s", v.Created.Local().Format(minuteSeconds))
	if v.Author != "" {
		label("Author", "%s <%s>", cliui.ShownLine(v.Author), cliui.ShownLine(v.Email))
	}
	if v.Tokens > 0 {
		label("Tokens", "%s", review.Thousands(v.Tokens))
	}
	v.writeCommits(b, label)
	for _, problem := range v.Problems {
		fmt.Fprintf(b, "%s %s\n", t.Styled(term.Bad, "Problem:"), cliui.ShownLine(problem))
	}
	for _, s := range v.Sessions {
		v.writeSession(b, t, s, len(v.Sessions) > 1, o)
	}
}

func (v checkpointView) writeCommits(b *strings.Builder, label func(string, string, ...any)) {
	switch {
	case v.Temporary:
		label("Message", "%s", v.Message)
	case len(v.Commits) == 0:
		label("Commits", "No commits found on this branch")
	default:
		label("Commits", "(%d)", len(v.Commits))
		for _, c := range v.Commits {
			note := ""
			if c.Unnamed {
				note = " (" + workplace.WithoutTrailer + ")"
			}
			fmt.Fprintf(b, "  %s %s %s%s\n", c.Short(), c.Date.Local().Format("2006-01-02"), cliui.ShortLine(c.Message, cliui.MessageRunes), note)
		}
	}
}

func (v checkpointView) writeSession(b *strings.Builder, t term.Terminal, s sessionView, many bool, o explainOptions) {
	title := func(name string) string { return t.Styled(term.Strong, name) }
	b.WriteString("\n")
	if many {
		fmt.Fprintf(b, "%s\n", title(fmt.Sprintf("Session %d: %s (%s)", s.Index, cliui.ShownLine(s.ID), cliui.ShownLine(string(cliui.AgentOr(s.Agent))))))
	}
	intent, outcome := "(no prompt)", ""
	if asked := s.asked(); asked != "" {
		intent = cliui.ShortLine(asked, cliui.IntentRunes)
	}
	if s.Summary != nil {
		intent, outcome = cliui.Printable(s.Summary.Intent), cliui.Printable(s.Summary.Outcome)
	}
	fmt.Fprintf(b, "%s %s\n", title("Intent:"), intent)
	if outcome != "" {
		fmt.Fprintf(b, "%s %s\n", title("Outcome:"), outcome)
	}
	writeAttribution(b, s.Attribution)
	if o.short {
		return
	}
	writeSummary(b, title, s.Summary)
	writeList(b, title, "Files", s.Files)
	heading := "Transcript (checkpoint scope):"
	if o.full {
		heading = "Transcript (full session):"
	}
	fmt.Fprintf(b, "\n%s\n", title(heading))
	if s.Transcript == "" {
		b.WriteString("(empty)\n")
	}
	b.WriteString(s.Transcript)
}

// writeAttribution says how many of a commit's added lines are the session's. It writes nothing
// for a commit that only removes lines.
func writeAttribution(b *strings.Builder, a *metadata.InitialAttribution) {
	if a == nil || a.TotalCommitted <= 0 {
		return
	}
	fmt.Fprintf(b, "Attribution: %.0f%% agent (%d of %d lines added%s)\n", a.AgentPercentage, a.AgentLines, a.TotalCommitted, byPeople(*a))
}

// byPeople returns what people changed, as text; "" for nothing.
func byPeople(a metadata.InitialAttribution) string {
	var parts []string
	for _, p := range []struct {
		n    int
		what string
	}{{a.HumanAdded, "added"}, {a.HumanModified, "changed"}, {a.HumanRemoved, "removed"}} {
		if p.n > 0 {
			parts = append(parts, fmt.Sprintf("%s %d", p.what, p.n))
		}
	}
	if parts == nil {
		return ""
	}
	return "; people " + strings.Join(parts, ", ")
}

func writeSummary(b *strings.Builder, title func(string) string, s *metadata.Summary) {
	if s == nil {
		return
	}
	if l := s.Learnings; len(l.Repo)+len(l.Code)+len(l.Workflow) > 0 {
		fmt.Fprintf(b, "\n%s\n", title("Learnings:"))
		writeBullets(b, "Repository", l.Repo)
		var code []string
		for _, c := range l.Code {
			code = append(code, codeLine(c))
		}
		writeBullets(b, "Code", code)
		writeBullets(b, "Workflow", l.Workflow)
	}
	for _, part := range []struct {
		name  string
		lines []string
	}{{"Friction", s.Friction}, {"Open Items", s.OpenItems}} {
		if len(part.lines) > 0 {
			fmt.Fprintf(b, "\n%s\n", title(part.name+":"))
			for _, line := range part.lines {
				fmt.Fprintf(b, "  - %s\n", cliui.Printable(line))
			}
		}
	}
}

func writeBullets(b *strings.Builder, name string, lines []string) {
	if len(lines) == 0 {
		return
	}
	fmt.Fprintf(b, "  %s:\n", name)
	for _, line := range lines {
		fmt.Fprintf(b, "    - %s\n", cliui.Printable(line))
	}
}

func codeLine(c metadata.CodeLearning) string {
	where := c.Path
	switch {
	case c.Line > 0 && c.EndLine > c.Line:
		where += fmt.Sprintf(":%d-%d", c.Line, c.EndLine)
	case c.Line > 0:
		where += fmt.Sprintf(":%d", c.Line)
	}
	return where + ": " + c.Finding
}

func writeList(b *strings.Builder, title func(string) string, name string, items []string) {
	if len(items) == 0 {
		fmt.Fprintf(b, "\n%s\n", title(name+": (none)"))
		return
	}
	fmt.Fprintf(b, "\n%s\n", title(fmt.Sprintf("%s: (%d)", name, len(items))))
	for _, item := range items {
		fmt.Fprintf(b, "  - %s\n", cliui.ShownName(item))
	}
}
