package policy

import (
	"fmt"
	"slices"
	"strings"

	"entire/internal/pathtext"
	"entire/internal/pattern"
	"entire/internal/review"
)

// Commit is what a policy asks about a commit of the change.
type Commit struct {
	Message string
	Author  string // "Name <email>"
	Merge   bool   // trailers of merges are not checked
}

// Check returns how the change breaks the policy, in the order of its rules. commits has the commits of the document
// by ID.
func (p *Policy) Check(d *review.Document, commits map[string]Commit) (out []review.Violation) {
	for _, r := range p.Rules {
		out = append(out, r.shares(d)...)
		if r.NeedReview {
			out = append(out, r.unreviewed(d, commits)...)
		}
	}
	for _, t := range p.Trailers {
		out = append(out, t.check(d, commits)...)
	}
	return out
}

// shares returns the limits that the files of the rule break.
func (r Rule) shares(d *review.Document) (out []review.Violation) {
	part := &review.Document{}
	for i := range d.Files {
		if f := &d.Files[i]; pattern.Matches(r.Paths, pathtext.Decode(f.Path)) {
			part.AddTally(f.Added)
		}
	}
	part.ApplyLimits(r.Limits)
	where := ""
	if len(r.Paths) > 0 {
		where = " in " + strings.Join(r.Paths, ", ")
	}
	for _, c := range part.Checks {
		if !c.OK {
			out = append(out, review.Violation{Rule: c.Limit, Message: fmt.Sprintf("%s=%v%s is broken: it is %.2f %% of %d added lines", c.Limit, c.Than, where, c.Found, part.Totals.Added.Written())})
		}
	}
	return out
}

// unreviewed returns the agents' lines in the files of the rule that no reviewer has put their name to.
func (r Rule) unreviewed(d *review.Document, commits map[string]Commit) (out []review.Violation) {
	for i := range d.Files {
		f := &d.Files[i]
		if !pattern.Matches(r.Paths, pathtext.Decode(f.Path)) {
			continue
		}
		for _, g := range f.Ranges {
			if d.Owners[g.Owner].Class != review.Agent || g.Commit >= 0 && len(values(commits[d.Commits[g.Commit].ID].Message, reviewedBy)) > 0 {
				continue
			}
			v := review.Violation{Rule: "need-review", Path: f.Path, Start: g.Start, End: g.Start + g.Count - 1}
			if g.Commit >= 0 {
				v.Commit = d.Commits[g.Commit].ID
			}
			last := len(out) - 1
			if last >= 0 && out[last].Path == v.Path && out[last].Commit == v.Commit && out[last].End+1 == v.Start {
				v.Start = out[last].Start
				out = out[:last]
			}
			v.Message = fmt.Sprintf("an agent wrote %s, and the commit has no trailer %s", linesText(v.End-v.Start+1), reviewedBy)
			out = append(out, v)
		}
	}
	return out
}

// reviewedBy is the trailer by which a reviewer answers for a commit.
const reviewedBy = "Reviewed-by"

func linesText(n int) string {
	if n == 1 {
		return "this line"
	}
	return fmt.Sprintf("these %d lines", n)
}

// check returns the commits that do not have a required trailer, or have a forbidden one.
func (t Trailer) check(d *review.Document, commits map[string]Commit) (out []review.Violation) {
	for i, listed := range d.Commits {
		c, known := commits[listed.ID]
		if !known || c.Merge || !t.concerns(d, i) {
			continue
		}
		v := review.Violation{Rule: "trailer", Commit: listed.ID}
		if t.Forbid != "" {
			at := slices.IndexFunc(values(c.Message, t.Forbid), t.fits)
			if at >= 0 {
				v.Message = fmt.Sprintf("the commit has the trailer %s, which is forbidden", t.Forbid)
				out = append(out, v)
			}
			continue
		}
		ok := slices.ContainsFunc(values(c.Message, t.Require), func(value string) bool {
			return t.fits(value) && (!t.ByAuthor || value == c.Author)
		})
		if ok {
			continue
		}
		v.Message = fmt.Sprintf("the commit has no trailer %s", t.Require)
		if t.Match != "" {
			v.Message += " of the form " + t.Match
		}
		if t.ByAuthor {
			v.Message += " by its author"
		}
		out = append(out, v)
	}
	return out
}

// fits reports whether a value has the form that the trailer asks for.
func (t Trailer) fits(value string) bool {
	return t.Match == "" || pattern.MatchesText(t.Match, value)
}

// concerns reports whether the trailer is about the document's commit i.
func (t Trailer) concerns(d *review.Document, i int) bool {
	if !t.OnlyAgents && len(t.Paths) == 0 {
		return true
	}
	for k := range d.Files {
		f := &d.Files[k]
		if !pattern.Matches(t.Paths, pathtext.Decode(f.Path)) {
			continue
		}
		for _, g := range f.Ranges {
			if g.Commit == i && (!t.OnlyAgents || d.Owners[g.Owner].Class == review.Agent) {
				return true
			}
		}
	}
	return false
}

// values returns the values of a trailer, wherever in the message a line has it: a forge that squashes commits puts
// its own paragraph below theirs.
func values(message, key string) (out []string) {
	for line := range strings.Lines(message) {
		name, value, found := strings.Cut(strings.TrimRight(line, "\r\n"), ":")
		if found && strings.EqualFold(name, key) && strings.TrimSpace(value) != "" {
			out = append(out, strings.TrimSpace(value))
		}
	}
	return out
}
