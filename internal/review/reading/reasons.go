package reading

import (
	"fmt"
	"slices"
	"strings"

	"entire/internal/pathtext"
	"entire/internal/review"
)

// Kinds of reasons.
const (
	AgentAlone  = "agent-alone"
	Claimed     = "claimed"
	NoAuthor    = "unknown-author"
	Mixed       = "mixed"
	NoTests     = "no-tests"
	FarTests    = "tests-elsewhere"
	LessTested  = "test-removed"
	Outside     = "outside-prompt"
	NoPrompt    = "no-prompt"
	RunsItself  = "runs-elsewhere"
	BreaksRules = "policy"
)

// mostly is of how many lines of a piece at most one may be of others, so that it weighs as much as an
// agent's.
const mostly = 5

// change is what the reasons of an item are drawn from.
type change struct {
	d     *review.Document
	tests []string // the paths of the change's tests
	names map[[2]string]named
}

func newChange(d *review.Document) *change {
	c := &change{d: d, names: map[[2]string]named{}}
	for i := range d.Files {
		if f := &d.Files[i]; isTest(pathtext.Decode(f.Path)) && f.Added.Written() > 0 {
			c.tests = append(c.tests, pathtext.Decode(f.Path))
		}
	}
	return c
}

// reasons returns why a reviewer should look at an item, the weightiest first.
func (c *change) reasons(it *piece) []review.Reason {
	var out []review.Reason
	add := func(kind string, points int, text, quote string) {
		out = append(out, review.Reason{Kind: kind, Points: points, Text: text, Quote: strings.ToValidUTF8(quote, "\uFFFD")})
	}
	path := pathtext.Decode(it.Path)
	code := isCode(path)
	c.author(it, code, add)
	if code && !isTest(path) {
		switch near := c.testNear(path); {
		case len(c.tests) == 0:
			add(NoTests, 2, "the change touches no test", "")
		case near == "":
			add(FarTests, 1, "the change touches tests, but none beside this file", "")
		}
	}
	if isTest(path) && it.Removed > it.Added {
		add(LessTested, 2, fmt.Sprintf("it takes %d lines out of a test", it.Removed-it.Added), "")
	}
	if runsElsewhere(path) {
		add(RunsItself, 2, "it runs where the project is built or installed", "")
	}
	c.prompted(it, path, add)
	for _, v := range c.d.Violations {
		if v.Path == it.Path && slices.ContainsFunc(it.Lines, func(l review.Stretch) bool { return v.Start < l.Start+l.Count && l.Start <= v.End }) {
			add(BreaksRules, 3, "it breaks the policy", v.Message)
			break
		}
	}
	slices.SortStableFunc(out, func(a, b review.Reason) int { return b.Points - a.Points })
	return out
}

// author adds the reason that follows from who wrote the item.
func (c *change) author(it *piece, code bool, add func(kind string, points int, text, quote string)) {
	weight := 2
	if code {
		weight = 3
	}
	switch it.Class {
	case review.Agent:
		add(AgentAlone, weight, "an agent wrote it alone, and nobody has touched it since", "")
	case review.Mixed:
		points := 1
		if all := it.Added + it.Removed; it.agents*mostly >= all*(mostly-1) {
			points = 2
		}
		add(Mixed, points, fmt.Sprintf("agents changed %d of its %d lines, others the rest", it.agents, it.Added+it.Removed), "")
	default:
		if claim := c.claim(it); claim != nil {
			add(Claimed, weight, "nothing was recorded, and the commit names an agent or a bot", claim.Words())
			return
		}
		add(NoAuthor, 2, whyUnknown(it), "")
	}
}

// claim returns the claim of the first of the item's commits that has one.
func (c *change) claim(it *piece) *review.Claim {
	for _, i := range it.Commits {
		if claim := c.d.Commits[i].Claim; claim != nil && it.evidence == review.Claimed {
			return claim
		}
	}
	return nil
}

// unknownWords says why an author is unknown, by the evidence.
var unknownWords = map[string]string{
	"not-enabled": "its author is unknown: it was written while Entire was not enabled",
	"unreadable":  "its author is unknown: another version of Entire wrote its checkpoint, which this one cannot read",
	"noted":       "its author is unknown: a note of git-ai names agents' lines of the commit, and not these",
	"recorded":    "its author is unknown: several were at work, or a command wrote it",
	"aligned":     "its author is unknown: several were at work, or a command wrote it",
}

func whyUnknown(it *piece) string {
	if words, ok := unknownWords[it.evidence]; ok {
		return words
	}
	return "its author is unknown: no checkpoint says who wrote it"
}

// prompted adds the reasons that follow from the prompt.
func (c *change) prompted(it *piece, path string, add func(kind string, points int, text, quote string)) {
	if it.Session == "" {
		return
	}
	text := c.d.PromptText(it.Session, it.Prompt)
	if text == "" {
		add(NoPrompt, 1, "the prompt behind it is not known", "")
		return
	}
	key := [2]string{it.Session, fmt.Sprint(it.Prompt)}
	names, known := c.names[key]
	if !known {
		names = namedIn(text, c.d)
		c.names[key] = names
	}
	if len(names.words) > 0 && !names.has(path) {
		add(Outside, 2, "the prompt names other files", strings.Join(names.words[:min(len(names.words), 3)], ", "))
	}
}
