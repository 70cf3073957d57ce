package rewindlib

import (
	"fmt"
	"strings"

	"entire/internal/cli/cliui"
	"entire/strategy/condense"
	"entire/strategy/rewind"
)

// EntryWords says what a rewind of the log did.
func EntryWords(e condense.RewindEntry) string {
	switch e.Kind {
	case condense.RewindUndo:
		return "undo of " + cliui.ShortID(e.RewindID)
	case condense.RewindRedo:
		return "redo of " + cliui.ShortID(e.RewindID)
	case condense.RewindReset:
		return "reset of the branch to " + cliui.ShortID(e.Point)
	case condense.RewindDropped:
		return cliui.Count(e.Files, "uncommitted file") + " of an agent discarded"
	}
	if sc := e.Scope; sc.Kind == condense.ScopeTurn {
		sc.Kind, sc.SkipConversation = "", false // undoing a turn never changes the conversation
		return "undo of " + turnWords(e.Scope) + scopeWords(sc)
	}
	if e.Scope.Kind == condense.ScopeFiles {
		return "rescue of " + cliui.Count(e.Files, "file")
	}
	return "rewind to " + cliui.ShortID(e.Point) + scopeWords(e.Scope)
}

// The words for what a scope leaves out, in plans, in the log and in the help of the flags.
const (
	KeepMineWords         = "people's changes kept"
	ConversationOnlyWords = "conversation only"
	CodeOnlyWords         = "files only"
	HunksWords            = "chosen hunks"
)

// scopeWords says what a scope leaves out, "" for nothing.
func scopeWords(sc condense.Scope) string {
	var words []string
	if sc.Kind == condense.ScopeSession {
		words = append(words, "session "+cliui.ShownSession(sc.Session))
	}
	if sc.KeepMine {
		words = append(words, KeepMineWords)
	}
	if sc.SkipCode {
		words = append(words, ConversationOnlyWords)
	}
	switch {
	case sc.Hunks:
		words = append(words, HunksWords)
	case sc.SkipConversation:
		words = append(words, CodeOnlyWords)
	}
	if len(sc.Paths) > 0 {
		words = append(words, ShownNames(sc.Paths))
	}
	if len(words) == 0 {
		return ""
	}
	return " (" + strings.Join(words, ", ") + ")"
}

func ShownNames(paths []string) string {
	names := make([]string, len(paths))
	for i, path := range paths {
		names[i] = cliui.ShownName(path)
	}
	return strings.Join(names, ", ")
}

func DoneWords(plan *rewind.Plan) string {
	sc, to := plan.Scope, cliui.ShortID(plan.Point.ID)
	switch {
	case plan.Kind == condense.RewindUndo:
		return "Undid rewind " + cliui.ShortID(plan.Entry) + "."
	case plan.Kind == condense.RewindRedo:
		return "Redid rewind " + cliui.ShortID(plan.Entry) + "."
	case sc.Kind == condense.ScopeTurn && sc.Hunks:
		return "Undid the chosen hunks of " + turnWords(sc) + "."
	case sc.Kind == condense.ScopeTurn:
		return "Undid " + turnWords(sc) + "."
	case sc.SkipCode, plan.Conversation && len(plan.Changes) == 0:
		return "Rewound the conversation to " + to + "; no file has changed."
	case sc.Hunks:
		return "Restored the chosen hunks of " + to + "."
	case sc.SkipConversation:
		return "Restored the files of " + to + "."
	case plan.Point.IsTaskCheckpoint:
		return "Rewound to task checkpoint."
	case sc.Kind == condense.ScopeSession && sc.Session != "":
		return fmt.Sprintf("Rewound session %s to %s.", cliui.ShownSession(sc.Session), to)
	}
	return "Rewound to " + to + "."
}

func PlanQuestion(plan *rewind.Plan) string {
	sc := plan.Scope
	switch {
	case plan.Kind == condense.RewindUndo:
		return "Undo rewind " + cliui.ShortID(plan.Entry) + "?"
	case plan.Kind == condense.RewindRedo:
		return "Redo rewind " + cliui.ShortID(plan.Entry) + "?"
	case sc.Kind == condense.ScopeTurn && sc.Hunks:
		return "Undo the chosen hunks of " + turnWords(sc) + "?"
	case sc.Kind == condense.ScopeTurn:
		return "Undo " + turnWords(sc) + "?"
	case sc.SkipCode:
		return "Rewind the conversation to " + cliui.ShortID(plan.Point.ID) + "?"
	case sc.Hunks:
		return "Restore the chosen hunks of " + cliui.ShortID(plan.Point.ID) + "?"
	case sc.SkipConversation:
		return "Restore the files of " + cliui.ShortID(plan.Point.ID) + "?"
	}
	return "Rewind to " + cliui.ShortID(plan.Point.ID) + "?"
}

// NothingToDo reports whether a plan changes nothing, so that no person needs to confirm it.
func NothingToDo(plan *rewind.Plan) bool {
	return plan.Nothing() || plan.Scope.SkipConversation && len(plan.Changes) == 0
}

// NothingWords says that a plan changes nothing.
func NothingWords(plan *rewind.Plan) string {
	if plan.Scope.SkipConversation {
		return "Nothing to do: no file would change."
	}
	return "Nothing to do: no file would change, and the conversation would not go back."
}

// commandOf returns the command that rewinds to a point within a scope.
func commandOf(point string, sc condense.Scope) string {
	words := []string{"entire", "rewind"}
	if sc.Kind == condense.ScopeTurn {
		words = append(words, "--turn", fmt.Sprint(sc.Turn))
	} else {
		words = append(words, cliui.ShortID(point))
	}
	if sc.Kind == condense.ScopeTree {
		words = append(words, "--tree")
	}
	if sc.Session != "" && (sc.Kind == condense.ScopeSession || sc.Kind == condense.ScopeTurn) {
		words = append(words, "--session", cliui.ShellWord(sc.Session))
	}
	if sc.KeepMine {
		words = append(words, "--mine", "keep")
	}
	if sc.SkipCode {
		words = append(words, "--conversation")
	}
	switch {
	case sc.SkipConversation && len(sc.Paths) == 0:
		words = append(words, "--code")
	case !sc.SkipConversation && len(sc.Paths) > 0:
		words = append(words, "--both")
	}
	if sc.Conflicts != rewind.ConflictsStop {
		words = append(words, "--conflicts", string(sc.Conflicts))
	}
	if len(sc.Paths) > 0 {
		words = append(words, "--")
		for _, path := range sc.Paths {
			words = append(words, cliui.ShellWord(path))
		}
	}
	return strings.Join(words, " ")
}
