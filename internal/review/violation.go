package review

import (
	"fmt"
	"strings"

	"entire/internal/attribution"
)

// Violation is how the change breaks a rule of a policy (package policy). Without a Path it is about a commit, or about
// the whole change.
type Violation struct {
	Rule    string `json:"rule"` // a limit's name, need-review or trailer
	Message string `json:"message"`
	Path    string `json:"path,omitempty"`
	Start   int    `json:"start,omitempty"` // in the new file
	End     int    `json:"end,omitempty"`
	Commit  string `json:"commit,omitempty"`
}

// checkViolations checks that violations are about lines and commits that there are.
func (d *Document) checkViolations() error {
	for i, v := range d.Violations {
		at := fmt.Sprintf("violations[%d]", i)
		if v.Rule == "" || v.Message == "" || v.Commit != "" && !attribution.IsObjectID(v.Commit) {
			return fmt.Errorf("%s: it has no rule, no message, or no ID of a commit", at)
		}
		if v.Path == "" {
			if v.Start != 0 || v.End != 0 {
				return fmt.Errorf("%s: lines of no file", at)
			}
			continue
		}
		lines := -1
		for k := range d.Files {
			if d.Files[k].Path == v.Path {
				lines = d.Files[k].Lines
			}
		}
		if v.Start < 1 || v.End < v.Start || v.End > lines {
			return fmt.Errorf("%s: %.120q has no lines %d to %d", at, v.Path, v.Start, v.End)
		}
	}
	return nil
}

// AddTally adds the lines of a file to the totals of a document that has only totals, for ApplyLimits.
func (d *Document) AddTally(added Tally) { d.Totals.Added.sum(added) }

// violationsListed is the number of violations that a comment lists.
const violationsListed = 20

func (d *Document) markdownViolations(b *strings.Builder) {
	for i, v := range d.Violations {
		if i == violationsListed && len(d.Violations) > violationsListed+1 {
			fmt.Fprintf(b, "- … and %d more\n", len(d.Violations)-i)
			break
		}
		where := ""
		switch {
		case v.Path != "":
			where = d.linkedLines(Item{Path: v.Path, Lines: []Stretch{{v.Start, v.End - v.Start + 1}}}) + ": "
		case v.Commit != "":
			where = d.linkedCommit(v.Commit) + ": "
		}
		fmt.Fprintf(b, "- **broken**: %s%s\n", where, code(cut(v.Message, itemPrompt)))
	}
	if len(d.Violations) > 0 {
		b.WriteString("\n")
	}
}
