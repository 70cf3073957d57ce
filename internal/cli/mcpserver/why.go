package mcpserver

import (
	"context"
	"fmt"
	"strings"

	"entire/internal/cli/cliui"
	"entire/internal/cli/ownerlib"
	"entire/internal/cli/workplace"
	"entire/internal/timeline"
)

type whyIn struct {
	File string `json:"file" jsonschema:"path in the repository"`
	Line int    `json:"line" jsonschema:"number of the line, from 1"`
	Rev  string `json:"rev,omitempty" jsonschema:"the commit; the file as it is now if left out"`
	size
}

// why says how a line came to be.
func (t *tools) why(ctx context.Context, in whyIn) (text string, err error) {
	if in.Line < 1 {
		return "", cliui.Failf("lines are numbered from 1", "there is no line %d", in.Line)
	}
	err = t.inPast(ctx, func(wp *workplace.Workplace, _ *timeline.Timeline) error {
		v, err := ownerlib.WhyOf(ctx, wp, in.File, in.Rev, in.Line)
		if err == nil {
			text = whyText(v, in.Line, in.limit())
		}
		return err
	})
	return text, err
}

func whyText(v *ownerlib.Why, line, limit int) string {
	var p page
	p.say(fmt.Sprintf("%s line %d, written by %s\n", named(v.File, 40), line, named(v.Writer(), 30)))
	p.quote(v.Text, limit/10)
	for _, row := range [][2]string{{"commit", cliui.ShortID(v.Commit)}, {"checkpoint", v.Checkpoint}, {"session", v.SessionID}, {"evidence", v.Evidence}} {
		if row[1] != "" {
			p.say(row[0] + " " + row[1] + "\n")
		}
	}
	if v.Turn > 0 {
		p.say(fmt.Sprintf("turn %d\n", v.Turn))
	}
	quoteAs(&p, "the commit's subject", v.CommitSubject, limit/20)
	quoteAs(&p, "prompt", v.Prompt, limit/4)
	quoteAs(&p, "the subagent's task", v.Task, limit/10)
	for _, passage := range v.Before {
		quoteAs(&p, passage.Kind+" before", passage.Text, limit/8)
	}
	if v.Call != nil {
		quoteAs(&p, "the call that wrote it: "+named(v.Call.Tool, 10), strings.TrimSpace(v.Call.About+"\n"+v.Call.Diff), limit/5)
	}
	for _, problem := range v.Problems {
		p.say("note: " + cliui.OneLine(problem) + "\n")
	}
	return p.String()
}

func quoteAs(p *page, title, text string, limit int) {
	if strings.TrimSpace(text) != "" {
		p.say(title + "\n")
		p.quote(text, limit)
	}
}
