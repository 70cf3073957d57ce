package review

import (
	"fmt"
	"strings"
)

// Item is a piece of the change that a reviewer reads at once: hunks of a file with the same author, prompt
// and reasons.
type Item struct {
	Path    string    `json:"path"`
	Lines   []Stretch `json:"lines"` // in the new version
	Added   int       `json:"added"`
	Removed int       `json:"removed"`
	Class   string    `json:"class"` // agent, human, unknown or mixed
	Session string    `json:"session_id,omitempty"`
	Agent   string    `json:"agent,omitempty"`
	Model   string    `json:"model,omitempty"`
	Prompt  int       `json:"prompt,omitempty"` // number of the session's prompt that led to most of its lines, from 1
	Commits []int     `json:"commits"`          // in Document.Commits
	Risk    int       `json:"risk"`             // the sum of the reasons' points
	Reasons []Reason  `json:"reasons"`
}

// Stretch is a range of lines. One that only removes lines has Count 0 and starts at the line that follows.
type Stretch struct {
	Start int `json:"start"`
	Count int `json:"count"`
}

// Reason says why a reviewer should look at an item, and how much it weighs. Quote is what others wrote.
type Reason struct {
	Kind   string `json:"kind"`
	Points int    `json:"points"`
	Text   string `json:"text"`
	Quote  string `json:"quote,omitempty"`
}

// Words returns the whole reason. It is not safe to show.
func (r Reason) Words() string {
	if r.Quote == "" {
		return r.Text
	}
	return r.Text + ": " + r.Quote
}

// Undone is what a prompt led an agent to write into a file and the change does not have.
type Undone struct {
	Session string `json:"session_id"`
	Prompt  int    `json:"prompt,omitempty"` // number of the session's prompt, from 1; absent if not known
	Path    string `json:"path"`
	Lines   int    `json:"lines"`
	By      int    `json:"by_prompt,omitempty"` // the prompt after which the agent replaced them; absent if it was no edit of the agent
	Gone    bool   `json:"file_gone,omitempty"` // the change does not have the file either
	Rewind  string `json:"rewind_id,omitempty"` // the rewind that took the lines back, if one did

	Texts []string `json:"-"` // the first of the lines
}

// Level names the risk of an item: high, medium or low.
func (i Item) Level() string {
	switch {
	case i.Risk >= highRisk:
		return "high"
	case i.Risk >= mediumRisk:
		return "medium"
	}
	return "low"
}

// SamePrompt reports whether both items have the same known prompt.
func (i Item) SamePrompt(o Item) bool {
	return i.Prompt > 0 && i.Session == o.Session && i.Prompt == o.Prompt
}

// Levels returns the names of the levels, the highest first.
func Levels() []string { return []string{"high", "medium", "low"} }

const (
	highRisk   = 5
	mediumRisk = 3
)

// PromptText returns the text of a session's prompt, or "" if it is not known.
func (d *Document) PromptText(session string, prompt int) string {
	for _, s := range d.Sessions {
		if s.ID == session && prompt >= 1 && prompt <= len(s.Prompts) {
			return s.Prompts[prompt-1]
		}
	}
	return ""
}

// PromptLine returns a session's prompt on one line, or "" if it is not known. A prompt of a word or two,
// such as "continue", says nothing alone: the last one before it that has more follows it.
func (d *Document) PromptLine(session string, prompt int) string {
	text := oneLine(d.PromptText(session, prompt))
	if text == "" || saysEnough(text) {
		return text
	}
	for n := prompt - 1; n > 0; n-- {
		if before := oneLine(d.PromptText(session, n)); saysEnough(before) {
			return text + " (after: " + before + ")"
		}
	}
	return text
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// saysEnough reports whether a prompt has three words.
func saysEnough(prompt string) bool { return strings.Count(prompt, " ") >= 2 }

// checkOrder checks that the items are about lines that there are, and in the order of their risk.
func (d *Document) checkOrder() error {
	for i, it := range d.Order {
		at := fmt.Sprintf("order[%d]", i)
		sum := 0
		for _, r := range it.Reasons {
			sum += r.Points
		}
		switch {
		case sum != it.Risk:
			return fmt.Errorf("%s.risk: %d, its reasons come to %d", at, it.Risk, sum)
		case i > 0 && it.Risk > d.Order[i-1].Risk:
			return fmt.Errorf("%s: its risk is greater than that of the one before", at)
		case it.Prompt != 0 && d.PromptText(it.Session, it.Prompt) == "":
			return fmt.Errorf("%s.prompt: its session has no prompt %d", at, it.Prompt)
		case len(it.Lines) == 0:
			return fmt.Errorf("%s.lines: there are none", at)
		}
		f := d.fileAt(it.Path)
		if f == nil {
			return fmt.Errorf("%s.path: no file %.120q is listed", at, it.Path)
		}
		for _, l := range it.Lines {
			if l.Start < 1 || l.Count < 0 || l.Start-1 > f.Lines || l.Start+l.Count-1 > f.Lines {
				return fmt.Errorf("%s.lines: %.120q has no %d lines from %d on", at, it.Path, l.Count, l.Start)
			}
		}
		for _, c := range it.Commits {
			if c < 0 || c >= len(d.Commits) {
				return fmt.Errorf("%s.commits: there is no commit %d", at, c)
			}
		}
	}
	for i, u := range d.Undone {
		if u.Lines < 1 || u.Path == "" {
			return fmt.Errorf("undone[%d]: it has no lines or no path", i)
		}
		for _, p := range []int{u.Prompt, u.By} {
			if p != 0 && d.PromptText(u.Session, p) == "" {
				return fmt.Errorf("undone[%d]: its session has no prompt %d", i, p)
			}
		}
	}
	return nil
}

// fileAt returns the file of that path, nil if the document does not list it.
func (d *Document) fileAt(path string) *File {
	for i := range d.Files {
		if d.Files[i].Path == path {
			return &d.Files[i]
		}
	}
	return nil
}
