package attributioncmd

import (
	"fmt"
	"strings"

	"entire/internal/cli/cliui"
	"entire/internal/cli/ownerlib"
	"entire/internal/cli/sessionlib"
	"entire/internal/cli/workplace"
	"entire/internal/review"
	"entire/internal/term"
)

// Bounds of long texts for people; --json has the whole texts.
const (
	whyLines   = 12 // of a prompt, a thought, a result
	whyContext = 6  // lines of the diff before and after the line
)

// A whyView is the answer as text.
type whyView struct{ *ownerlib.Why }

// text returns the answer as text for people.
func (v whyView) text(t term.Terminal) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s  %s\n\n", t.Styled(term.Strong, fmt.Sprintf("%s:%d", cliui.ShownName(v.File), v.Line)), cliui.Printable(strings.TrimSpace(v.Text)))
	label := func(name, format string, args ...any) {
		fmt.Fprintf(&b, "%s %s\n", t.Styled(term.Strong, name+":"), fmt.Sprintf(format, args...))
	}
	label("Written by", "%s", ownerStyle(t, v.Found.Origin)(v.Writer()))
	label("Evidence", "%s", ownerlib.EvidenceText(v.Found.Evidence, v.Class))
	if v.Found.Commit.IsZero() {
		label("Commit", "none yet")
	} else {
		label("Commit", "%s %s %s (%s)", v.Found.Commit.Short(), v.Found.Time.UTC().Format("2006-01-02"), cliui.ShownLine(v.Found.Summary), cliui.ShownLine(v.Found.Author))
		if v.Found.CommitPath != v.File || v.Found.CommitLine != v.Line {
			fmt.Fprintf(&b, "  in that commit: %s:%d\n", cliui.ShownName(v.Found.CommitPath), v.Found.CommitLine)
		}
	}
	if v.Checkpoint != "" {
		label("Checkpoint", "%s %s", v.Checkpoint, t.Styled(term.Faint, "(entire show "+v.Checkpoint+")"))
		if v.Unnamed {
			b.WriteString("  " + workplace.WithoutTrailer + ": the commit's message does not name its checkpoint\n")
		}
	}
	for _, p := range v.Problems {
		fmt.Fprintf(&b, "%s %s\n", t.Styled(term.Bad, "Problem:"), cliui.ShownLine(p))
	}
	v.writeStory(&b, t)
	return b.String()
}

func (v whyView) writeStory(b *strings.Builder, t term.Terminal) {
	if !v.Found.Agent() {
		return
	}
	section := func(name, note string) {
		if note != "" {
			note = " " + t.Styled(term.Faint, "("+note+")")
		}
		fmt.Fprintf(b, "\n%s%s\n", t.Styled(term.Strong, name+":"), note)
	}
	switch {
	case v.Prompt != "":
		section("Prompt", ownerlib.HowText(v.How))
		writeCut(b, v.Prompt)
	case len(v.Prompts) > 0:
		section("Prompts", "the transcript does not show which of them")
		for i, p := range v.Prompts {
			if i == whyLines {
				fmt.Fprintf(b, "  … and %d more\n", len(v.Prompts)-i)
				break
			}
			fmt.Fprintf(b, "  - %s\n", cliui.ShortLine(p, cliui.IntentRunes))
		}
	case v.Call == nil:
		section("Prompt", "")
		b.WriteString("  unknown: the conversation is not stored here\n")
	}
	if v.Task != "" {
		section("Task", "what the subagent was told")
		writeCut(b, v.Task)
	}
	if v.Call != nil {
		v.writeCall(b, t, section)
	}
}

func (v whyView) writeCall(b *strings.Builder, t term.Terminal, section func(name, note string)) {
	if len(v.Before) > 0 {
		note := ""
		if v.Skipped > 0 {
			note = cliui.Count(v.Skipped, "other call") + " in between"
		}
		section("Before it", note)
		writePassages(b, t, v.Before)
	}
	section("Call", cliui.ShownLine(strings.TrimSpace(v.Call.Tool+" "+v.Call.ID)))
	if v.Call.About != "" {
		fmt.Fprintf(b, "  %s\n", cliui.ShortLine(v.Call.About, sessionlib.ConversationWidth))
	}
	kept, above, below := review.DiffAround(v.Diff, v.Text, whyContext)
	gap := func(n int) {
		if n > 0 {
			fmt.Fprintf(b, "  %s\n", t.Styled(term.Faint, fmt.Sprintf("… %s", cliui.Count(n, "line"))))
		}
	}
	gap(above)
	for _, d := range kept {
		line := string(d.Op) + cliui.Printable(strings.ReplaceAll(d.Text, "\t", "    "))
		if style := workplace.LineStyle(line, t); style != nil {
			line = style(line)
		}
		fmt.Fprintf(b, "  %s\n", line)
	}
	gap(below)
	if v.Result != nil && (v.Result.Failed || v.Diff == nil) {
		section("Result", map[bool]string{true: "it failed"}[v.Result.Failed])
		writeCut(b, v.Result.Text)
	}
	if len(v.After) > 0 {
		section("After it", "")
		writePassages(b, t, v.After)
	}
}

func writePassages(b *strings.Builder, t term.Terminal, list []ownerlib.Passage) {
	for _, p := range list {
		if p.Kind == "thought" {
			fmt.Fprintf(b, "  %s\n", t.Styled(term.Faint, "thought:"))
		}
		writeCut(b, p.Text)
	}
}

// writeCut writes the first lines of foreign text, indented.
func writeCut(b *strings.Builder, text string) {
	lines := strings.Split(strings.TrimSpace(cliui.Printable(text)), "\n")
	for i, line := range lines {
		if i == whyLines && len(lines) > whyLines+1 {
			fmt.Fprintf(b, "  … %s\n", cliui.Count(len(lines)-i, "more line"))
			return
		}
		fmt.Fprintf(b, "  %s\n", strings.ReplaceAll(line, "\t", "    "))
	}
}
