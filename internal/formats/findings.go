package formats

import (
	"cmp"
	"fmt"

	"entire/internal/formats/sarif"
	"entire/internal/pathtext"
	"entire/internal/review"
)

// Rules of findings.
const (
	agentOnly = "agent-only"
	noOwner   = "unknown-author"
	limit     = "limit"
	broken    = "policy"
)

// Findings returns what a reviewer should look at: hunks that only agents have touched, hunks with
// an unknown author, and broken limits.
func Findings(d *review.Document, version string) *sarif.Log {
	l := &sarif.Log{Program: "entire", Version: cmp.Or(version, "dev"), Rules: []sarif.Rule{
		{ID: agentOnly, About: "Only agents wrote these lines; no person has changed them since.", Level: sarif.Note},
		{ID: noOwner, About: "Nothing shows who wrote these lines.", Level: sarif.Note},
		{ID: limit, About: "A limit on who wrote the change is broken.", Level: sarif.Error},
		{ID: broken, About: "The change breaks the project's policy about agents' work.", Level: sarif.Error},
	}}
	for _, c := range d.Checks {
		if !c.OK {
			l.Results = append(l.Results, sarif.Result{Rule: limit, Message: fmt.Sprintf("%s=%v is broken: it is %.2f %% of the added lines.", c.Limit, c.Than, c.Found)})
		}
	}
	for _, v := range d.Violations {
		text := v.Message
		if v.Path == "" && v.Commit != "" {
			text = v.Commit[:7] + ": " + text
		}
		l.Results = append(l.Results, sarif.Result{Rule: broken, Message: text, Path: pathtext.Decode(v.Path), Start: v.Start, End: v.End})
	}
	for i := range d.Files {
		f := &d.Files[i]
		for _, h := range f.Hunks {
			rule, what := "", ""
			switch {
			case h.Count == 0:
			case h.Class == review.Agent:
				rule, what = agentOnly, "Only agents wrote "
			case h.Class == review.Unknown:
				rule, what = noOwner, "Nothing shows who wrote "
			}
			if rule == "" {
				continue
			}
			text := "this line."
			if h.Count > 1 {
				text = fmt.Sprintf("these %d lines.", h.Count)
			}
			l.Results = append(l.Results, sarif.Result{Rule: rule, Message: what + text, Path: pathtext.Decode(f.Path), Start: h.Start, End: h.Start + h.Count - 1})
		}
	}
	return l
}

// FileLengths returns the numbers of lines of a document's files.
func FileLengths(d *review.Document) func(path string) (int, bool) {
	lengths := map[string]int{}
	for _, f := range d.Files {
		lengths[pathtext.Decode(f.Path)] = f.Lines
	}
	return func(path string) (int, bool) {
		n, there := lengths[path]
		return n, there
	}
}
