package pointlib

import (
	"fmt"
	"strings"

	"entire/checkpoint/shadow"
	"entire/internal/cli/cliui"
	"entire/internal/cli/rewindlib"
	"entire/internal/timeline"
	"entire/strategy/condense"
)

// Title returns what a point is in one line: a turn's prompt, a label, a commit's subject, or what a
// rewind did.
func Title(p timeline.Point) string {
	text := p.Message
	switch {
	case p.Rewind != nil:
		return rewindlib.EntryWords(entryOf(p))
	case p.Label != "":
		text = p.Label
	case p.Prompt != "" && p.Kind == timeline.Turn:
		text = p.Prompt
	}
	if text == "" {
		text = p.Why
	}
	return cliui.ShownLine(text)
}

// entryOf returns the entry of the log of rewinds that a point stands for.
func entryOf(p timeline.Point) condense.RewindEntry {
	r := p.Rewind
	return condense.RewindEntry{ID: r.ID, Kind: r.Kind, Point: r.Point, Before: r.Before, RewindID: r.Of, UndoneBy: r.UndoneBy,
		Scope: r.Scope, Files: p.Files, Gone: r.Gone}
}

// Note returns what a list says about a point below its title: which session and turn it belongs to,
// and which commit took it.
func Note(p timeline.Point) string {
	var words []string
	add := func(format string, args ...any) { words = append(words, fmt.Sprintf(format, args...)) }
	switch {
	case p.Kind == timeline.Commit:
		add("commit by %s", cliui.ShownLine(p.Author))
	case p.Kind == timeline.Label:
		add("saved by hand")
	case p.Kind == timeline.Saved:
		add("saved %s", cliui.ShownLine(p.Why))
	case p.Kind == timeline.Outside:
		add("changed outside a turn")
	case p.Kind == timeline.Rewind:
	case p.Turn > 0:
		add("%s%d", turnWord(p.Kind), p.Turn)
	}
	if p.Session != "" && p.Kind != timeline.Rewind {
		add("session %s", cliui.ShownSession(p.Session))
	}
	if p.Agent != "" && p.Kind != timeline.Rewind {
		add("%s", cliui.ShownLine(string(p.Agent)))
	}
	if p.Why == shadow.WhyInterrupted {
		add("interrupted")
	}
	if p.TakenBy != "" {
		add("in commit %s", cliui.ShortID(p.TakenBy))
	}
	if len(p.Checkpoints) > 0 {
		add("%s %s", cliui.Plural(len(p.Checkpoints), "checkpoint", "checkpoints"), strings.Join(p.Checkpoints, ", "))
	}
	if p.Rewind != nil {
		add("%s", rewindNote(*p.Rewind))
	}
	return strings.Join(words, ", ")
}

func turnWord(kind timeline.Kind) string {
	switch kind {
	case timeline.Task:
		return "task in turn "
	case timeline.Auto:
		return "within turn "
	}
	return "turn "
}

// rewindNote says whether and how a rewind can be undone.
func rewindNote(r timeline.RewindInfo) string {
	switch {
	case r.UndoneBy != "" && r.Kind == condense.RewindUndo:
		return "redone by " + cliui.ShortID(r.UndoneBy)
	case r.UndoneBy != "":
		return "undone by " + cliui.ShortID(r.UndoneBy)
	case r.Gone:
		return "can no longer be undone"
	case r.Final:
		return "can no longer be redone"
	case r.Kind == condense.RewindUndo:
		return "`entire redo` reverts it"
	}
	return "`entire undo " + cliui.ShortID(r.ID) + "` undoes it"
}

// Changed returns the size of a point's change, "" for none.
func Changed(p timeline.Point) string {
	if p.Files == 0 {
		return ""
	}
	text := cliui.Count(p.Files, "file")
	if p.Insertions > 0 || p.Deletions > 0 {
		text += fmt.Sprintf(", +%d -%d", p.Insertions, p.Deletions)
	}
	return text
}

// GoTo returns the command that brings the files of the point back, "" if there is none.
func GoTo(p timeline.Point) string {
	switch {
	case p.Kind == timeline.Commit:
		return "entire restore " + cliui.ShortID(p.ID)
	case !p.Restorable():
		return ""
	}
	return "entire rewind " + cliui.ShortID(p.ID)
}
