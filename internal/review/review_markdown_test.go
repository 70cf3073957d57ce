package review

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"testing"
)

// hostileOrder is a document with an order whose texts would all like to be more than text.
func hostileOrder() *Document {
	d := hostileDocument()
	for i := range d.Files {
		it := Item{Path: d.Files[i].Path, Lines: []Stretch{{1, 2}}, Added: 2, Class: Mixed, Commits: []int{0}, Session: fmt.Sprint("s", i), Prompt: 1 + i%3, Agent: d.Files[i].Path, Model: d.Files[i].Path}
		it.Risk, it.Reasons = 5, []Reason{{Kind: "outside-prompt", Points: 5, Text: "the prompt names other files", Quote: d.Files[i].Path}}
		d.Order = append(d.Order, it)
		d.Undone = append(d.Undone, Undone{Session: fmt.Sprint("s", i), Prompt: 1, By: 2, Path: d.Files[i].Path, Lines: 3, Texts: []string{d.Files[i].Path}})
	}
	d.Commits[0].Claim = &Claim{By: ByAuthor, Name: hostile()[1], Agent: hostile()[6]}
	d.Totals.Claimed = 1
	for i := range d.Owners {
		if d.Owners[i].Class == Human {
			d.Owners[i].Class, d.Owners[i].Evidence = Unknown, Claimed
		}
	}
	d.Violations = []Violation{{Rule: "trailer", Message: hostile()[6], Commit: oneID}, {Rule: "x", Message: hostile()[2], Path: hostile()[5], Start: 1, End: 2}}
	d.Place.LineLink = func(path string, at Stretch) string {
		return fmt.Sprintf("https://forge.example/blob/%x#L%d", path, at.Start)
	}
	d.Place.CommitLink = func(id string) string { return "https://forge.example/commit/" + id }
	return d
}

// No prompt, path or name becomes Markdown, HTML or a mention, and nothing stands where a runner looks for commands.
func TestReviewMarkdownOfHostileNames(t *testing.T) {
	t.Parallel()
	text := hostileOrder().ReviewMarkdown()
	rest, ok := strings.CutPrefix(text, CommentMark+"\n")
	if !ok {
		t.Fatal("the comment does not begin with its mark")
	}
	for _, tag := range tags.FindAllString(rest, -1) {
		switch tag {
		case "<code>", "</code>", "<details>", "</details>", "<summary>", "</summary>", "<sub>", "</sub>":
		default:
			t.Fatalf("a tag of its own: %q", tag)
		}
	}
	ours := regexp.MustCompile("<code>([^<]*)</code>")
	for _, m := range ours.FindAllStringSubmatch(rest, -1) {
		plain := regexp.MustCompile(`&#[0-9]+;`).ReplaceAllString(m[1], "")
		if strings.ContainsAny(plain, "`*_[]!|@#~\\<>{}&:\n\x1b\u202e") || strings.Contains(plain, "www.") {
			t.Errorf("not harmless: %q", m[1])
		}
	}
	outside := regexp.MustCompile(`\]\(https://forge\.example/[0-9a-z/#L]+\)`).ReplaceAllString(ours.ReplaceAllString(rest, ""), "]")
	for _, word := range []string{"alert", "example.com", "onerror", "bold", "@", "http", "::", "##["} {
		if strings.Contains(outside, word) {
			t.Errorf("%s is outside of <code>", word)
		}
	}
	if open, closed := strings.Count(rest, "<details>"), strings.Count(rest, "</details>"); open != closed || open == 0 {
		t.Errorf("%d details are opened and %d closed", open, closed)
	}
	var page bytes.Buffer
	if err := hostileOrder().HTML(&page); err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{"<script", "<img", "<iframe", "<h3", "\x1b", "\u202e", "ZgotmplZ"} {
		if strings.Contains(page.String(), bad) {
			t.Errorf("%q in the page", bad)
		}
	}
	if !strings.Contains(page.String(), `href="#f0h0"`) || !strings.Contains(page.String(), `id="f0h0"`) {
		t.Error("an item does not lead to its lines")
	}
}

// However large a change is, its review fits a comment, and says what it left out.
func TestReviewMarkdownFitsAComment(t *testing.T) {
	t.Parallel()
	var b Builder
	var sessions []Session
	for i := range 40 {
		sessions = append(sessions, Session{ID: fmt.Sprint("s", i), Agent: "An <agent>", Prompts: []string{strings.Repeat("do [it] @now ", 500), "again"}})
	}
	for i := range 2000 {
		owner := Owner{Class: Agent, Session: fmt.Sprint("s", i%40), Prompt: 1}
		b.File(File{Path: fmt.Sprintf("%s/file-%05d_with_underscores.go", strings.Repeat("long_/", 700), i), Lines: 1}, []Line{{1, "x", owner, ""}}, nil)
	}
	d := b.Document(Range{Name: strings.Repeat("[r]", 20_000), Head: oneID}, sessions)
	for i := range d.Files {
		d.Order = append(d.Order, Item{Path: d.Files[i].Path, Lines: []Stretch{{1, 1}}, Added: 1, Class: Agent, Session: fmt.Sprint("s", i%40), Prompt: 1, Commits: []int{},
			Risk: 9 - i/250, Reasons: []Reason{{Kind: "policy", Points: 9 - i/250, Text: "it breaks the policy", Quote: strings.Repeat("@", 3000)}}})
		d.Undone = append(d.Undone, Undone{Session: "s0", Prompt: 1, By: 2, Path: d.Files[i].Path, Lines: 3})
		d.Problems = append(d.Problems, strings.Repeat("<", 9000))
		d.Violations = append(d.Violations, Violation{Rule: "r", Message: strings.Repeat("|", 5000)})
	}
	text := d.ReviewMarkdown()
	if len(text) > commentMax {
		t.Errorf("%d bytes", len(text))
	}
	for _, want := range []string{"… and ", "Tried and undone: 2000 places", "Files (2000)"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not said", want)
		}
	}
	if open, closed := strings.Count(text, "<details>"), strings.Count(text, "</details>"); open != closed {
		t.Errorf("%d details are opened and %d closed", open, closed)
	}
}

// A prompt of a word or two is shown with the one that it goes on with.
func TestPromptLine(t *testing.T) {
	t.Parallel()
	d := &Document{Sessions: []Session{{ID: "s", Prompts: []string{"go", "Write a\n long poem", "yes", "continue", "Stop it now"}}}}
	for n, want := range []string{"", "go", "Write a long poem", "yes (after: Write a long poem)", "continue (after: Write a long poem)", "Stop it now", ""} {
		if got := d.PromptLine("s", n); got != want {
			t.Errorf("prompt %d is %q, want %q", n, got, want)
		}
	}
}
