package attributioncmd

import (
	"fmt"
	"strings"
	"time"

	"entire/agent/conversation"
	"entire/internal/attribution"
	"entire/internal/cli/cliui"
	"entire/internal/cli/sessionlib"
	"entire/internal/cli/workplace"
	"entire/internal/lineage"
	"entire/internal/review"
	"entire/internal/term"
)

// A whyView is the answer; its JSON form is what --json prints.
type whyView struct {
	File string `json:"file"`
	Rev  string `json:"rev"`
	Text string `json:"text"`
	lineView
	CommitSubject string `json:"commit_subject,omitempty"`
	CommitFile    string `json:"commit_file,omitempty"` // the file's name in that commit
	CommitLine    int    `json:"commit_line,omitempty"`
	Step          string `json:"step,omitempty"` // for an uncommitted line, the step with the conversation

	How      review.PromptEvidence `json:"how"`
	Prompt   string                `json:"prompt"`
	Prompts  []string              `json:"prompts,omitempty"` // the candidates, if the prompt is not known
	Task     string                `json:"task,omitempty"`    // of the subagent
	Before   []passageView         `json:"before,omitempty"`
	Skipped  int                   `json:"calls_between,omitempty"`
	Call     *callView             `json:"call,omitempty"`
	Result   *resultView           `json:"result,omitempty"`
	After    []passageView         `json:"after,omitempty"`
	Problems []string              `json:"problems,omitempty"`

	line lineage.Line
	diff []review.DiffLine
}

func newWhyView(file, rev string, l lineage.Line) *whyView {
	return &whyView{File: file, Rev: rev, Text: l.Text, lineView: viewLine(l), line: l, How: review.ByNothing,
		CommitSubject: l.Summary, CommitFile: l.CommitPath, CommitLine: l.CommitLine}
}

type passageView struct {
	Kind string `json:"kind"` // thought or said
	Text string `json:"text"`
	Time string `json:"time,omitempty"`
}

type callView struct {
	ID    string `json:"id"`
	Tool  string `json:"tool"`
	About string `json:"about,omitempty"` // the file, or the command
	Model string `json:"model,omitempty"`
	Agent string `json:"agent_id,omitempty"` // the calling subagent
	Time  string `json:"time,omitempty"`
	Diff  string `json:"diff,omitempty"`
}

type resultView struct {
	Text   string `json:"text"`
	Failed bool   `json:"failed,omitempty"`
}

func (v *whyView) problem(err error) {
	if err != nil {
		v.Problems = append(v.Problems, cliui.OneLine(err.Error()))
	}
}

// take copies what was found in the transcript.
func (v *whyView) take(s review.Origin) {
	v.How, v.Prompt, v.Prompts, v.Task, v.Skipped = s.Evidence, s.Prompt, s.Prompts, s.Task, s.Skipped
	v.Before, v.After = viewPassages(s.Before), viewPassages(s.After)
	if s.Call != nil {
		v.diff = review.CallDiff(*s.Call)
		_, about, _ := strings.Cut(sessionlib.CallLine(s.Call.Call), ": ")
		v.Call = &callView{ID: s.Call.Call.ID, Tool: s.Call.Call.Name, About: about, Model: s.Call.Model, Agent: s.Call.Chain,
			Time: clock(s.Call.Time), Diff: review.DiffText(v.diff)}
	}
	if s.Result != nil {
		v.Result = &resultView{s.Result.Text, s.Result.Failed}
	}
}

func viewPassages(list []conversation.Passage) []passageView {
	var out []passageView
	for _, p := range list {
		kind := "said"
		if p.Kind == conversation.ThoughtPassage {
			kind = "thought"
		}
		out = append(out, passageView{kind, p.Text, clock(p.Time)})
	}
	return out
}

func clock(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return at.UTC().Format(time.RFC3339)
}

// Bounds of long texts for people; --json has the whole texts.
const (
	whyLines   = 12 // of a prompt, a thought, a result
	whyContext = 6  // lines of the diff before and after the line
)

// text returns the answer as text for people.
func (v *whyView) text(t term.Terminal) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s  %s\n\n", t.Styled(term.Strong, fmt.Sprintf("%s:%d", cliui.ShownName(v.File), v.Line)), cliui.Printable(strings.TrimSpace(v.Text)))
	label := func(name, format string, args ...any) {
		fmt.Fprintf(&b, "%s %s\n", t.Styled(term.Strong, name+":"), fmt.Sprintf(format, args...))
	}
	label("Written by", "%s", ownerStyle(t, v.line.Origin)(v.writer()))
	label("Evidence", "%s", evidenceText(v.line.Evidence, v.Class))
	if v.line.Commit.IsZero() {
		label("Commit", "none yet")
	} else {
		label("Commit", "%s %s %s (%s)", v.line.Commit.Short(), v.line.Time.UTC().Format("2006-01-02"), cliui.ShownLine(v.line.Summary), cliui.ShownLine(v.line.Author))
		if v.line.CommitPath != v.File || v.line.CommitLine != v.Line {
			fmt.Fprintf(&b, "  in that commit: %s:%d\n", cliui.ShownName(v.line.CommitPath), v.line.CommitLine)
		}
	}
	if v.Checkpoint != "" {
		label("Checkpoint", "%s %s", v.Checkpoint, t.Styled(term.Faint, "(entire explain -c "+v.Checkpoint+")"))
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

// writer names who wrote the line, as exactly as is known.
func (v *whyView) writer() string {
	o := v.line.Owner
	switch {
	case v.line.Agent():
		text := ownerText(v.line.Origin)
		if o.Model != "" {
			text += " (" + cliui.ShownLine(o.Model) + ")"
		}
		if o.SessionID != "" {
			text += ", session " + cliui.ShownSession(o.SessionID)
		}
		if o.Turn > 0 {
			text += fmt.Sprintf(", turn %d", o.Turn)
		}
		return text
	case o.Class == attribution.ClassHuman && v.line.Author != "":
		return "a person: " + cliui.ShownLine(v.line.Author)
	case o.Class == attribution.ClassHuman:
		return "a person"
	}
	return "unknown"
}

// evidenceText says in words how the owner is known, or why not.
func evidenceText(e lineage.Evidence, class string) string {
	switch e {
	case lineage.Recorded:
		return "recorded: the commit's checkpoint says so for this version of the file"
	case lineage.Aligned:
		return "aligned: the commit's checkpoint says so of this line in an earlier version of the file"
	case lineage.Content:
		return "content: a checkpoint that the commit does not name has the same line"
	case lineage.Moved:
		return "moved: a checkpoint says so of the line before it was moved or re-indented"
	case lineage.Summary:
		return "summary: the checkpoint, of an older version, says so of the whole commit"
	case lineage.NoAgentWork:
		return "no-agent-work: Entire was enabled, and the commit needed no checkpoint"
	case lineage.NotEnabled:
		return "not-enabled: the line was written while Entire was not enabled"
	case lineage.Unreadable:
		return "unreadable: the commit names a checkpoint of another version of Entire, which this one cannot read"
	case lineage.Uncommitted:
		if class == attribution.ClassUnknown {
			return "uncommitted: the turns since the last commit do not show who wrote it"
		}
		return "uncommitted: the turns since the last commit show who wrote it"
	}
	return "none: no checkpoint says who wrote this line"
}

func (v *whyView) writeStory(b *strings.Builder, t term.Terminal) {
	if !v.line.Agent() {
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
		section("Prompt", howText(v.How))
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

func howText(h review.PromptEvidence) string {
	switch h {
	case review.ByContent:
		return "a call after it wrote this very line"
	case review.ByTurn:
		return "that of its turn; no call shows the line"
	case review.ByFile:
		return "the only one after which the file was worked on"
	case review.ByScope:
		return "the checkpoint's only one"
	}
	return ""
}

func (v *whyView) writeCall(b *strings.Builder, t term.Terminal, section func(name, note string)) {
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
	kept, above, below := review.DiffAround(v.diff, v.Text, whyContext)
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
	if v.Result != nil && (v.Result.Failed || v.diff == nil) {
		section("Result", map[bool]string{true: "it failed"}[v.Result.Failed])
		writeCut(b, v.Result.Text)
	}
	if len(v.After) > 0 {
		section("After it", "")
		writePassages(b, t, v.After)
	}
}

func writePassages(b *strings.Builder, t term.Terminal, list []passageView) {
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
