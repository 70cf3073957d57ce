package rewindlib

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"entire/internal/cli/cliui"
	"entire/internal/cli/workplace"
	"entire/internal/git"
	"entire/internal/term"
	"entire/strategy/condense"
	"entire/strategy/restore"
	"entire/strategy/rewind"
	"entire/strategy/sessionstate"
	"entire/strategy/step"
	"entire/strategy/worktree"
)

// A PlannedRewind is the JSON form of a plan.
type PlannedRewind struct {
	Kind         condense.RewindKind     `json:"kind"`
	Entry        string                  `json:"of,omitempty"` // the logged rewind that is undone or redone
	Point        step.RewindPoint        `json:"point"`
	Scope        condense.Scope          `json:"scope"`
	Conversation bool                    `json:"conversation"`    // whether it goes back
	Nothing      bool                    `json:"changes_nothing"` // whether no file and no conversation changes
	Changes      []restore.PlannedChange `json:"changes"`
	Kept         []sessionstate.KeptFile `json:"kept"`
	Conflicts    []restore.PlanConflict  `json:"conflicts"`
	Gaps         []worktree.Uncaptured   `json:"not_captured"`
	Warnings     []string                `json:"warnings"`
}

func PlanView(plan *rewind.Plan) PlannedRewind {
	return PlannedRewind{
		Kind: plan.Kind, Entry: plan.Entry, Point: plan.Point, Scope: plan.Scope,
		Conversation: plan.Conversation, Nothing: plan.Nothing(), Changes: cliui.NotNil(plan.Changes),
		Kept: cliui.NotNil(plan.Kept), Conflicts: cliui.NotNil(plan.Conflicts), Gaps: cliui.NotNil(plan.Uncaptured), Warnings: cliui.NotNil(plan.Warnings),
	}
}

// Verbs are the actions in words for people.
var Verbs = map[restore.PlanAction]string{
	restore.PlanWrite: "Restore", restore.PlanCreate: "Create", restore.PlanRemove: "Remove", restore.PlanMode: "Change mode",
}

// PlanText returns a plan as text for people: what would be written, removed and kept, and why.
func PlanText(plan *rewind.Plan, t term.Terminal) string {
	var b strings.Builder
	switch what := planSubject(plan); {
	case plan.Nothing() && len(plan.Conflicts) == 0:
		fmt.Fprintf(&b, "%s would change nothing.\n", what)
	case plan.Scope.SkipCode:
		fmt.Fprintf(&b, "%s would change no file.\n", what)
	case len(plan.Changes) == 0 && len(plan.Conflicts) == 0:
		fmt.Fprintf(&b, "%s would change no file%s.\n", what, onlyConversation(plan))
	default:
		fmt.Fprintf(&b, "%s would change %s:\n", what, cliui.Count(len(plan.Changes), "file"))
	}
	for _, c := range plan.Changes {
		fmt.Fprintf(&b, "  %s\n", changeLine(c, t))
	}
	WriteConflicts(&b, plan.Conflicts)
	WriteKept(&b, plan.Kept)
	workplace.WriteUncaptured(&b, plan.Uncaptured, plan.Kept)
	for _, warning := range plan.Warnings {
		fmt.Fprintf(&b, "warning: %s\n", cliui.ShownLine(warning))
	}
	return b.String()
}

// onlyConversation adds, for a plan without files, that the conversation goes back.
func onlyConversation(plan *rewind.Plan) string {
	if plan.Conversation {
		return "; only the conversation goes back"
	}
	return ""
}

// planSubject returns what a plan is about, as the beginning of a sentence.
func planSubject(plan *rewind.Plan) string {
	sc := plan.Scope
	switch {
	case plan.Kind == condense.RewindUndo:
		return "Undoing rewind " + cliui.ShortID(plan.Entry)
	case plan.Kind == condense.RewindRedo:
		return "Redoing rewind " + cliui.ShortID(plan.Entry)
	case sc.Kind == condense.ScopeTurn && sc.Hunks:
		return "Undoing chosen hunks of " + turnWords(sc)
	case sc.Kind == condense.ScopeTurn:
		return fmt.Sprintf("Undoing %s", turnWords(sc))
	}
	to := fmt.Sprintf("%s (%s)", cliui.ShortID(plan.Point.ID), cliui.ShortLine(plan.Point.Message, cliui.MessageRunes))
	switch {
	case sc.Hunks:
		return "Restoring chosen hunks of " + to
	case sc.SkipCode:
		return "Rewinding the conversation to " + to
	case sc.Kind == condense.ScopeSession && sc.Session != "":
		return fmt.Sprintf("Rewinding session %s to %s", cliui.ShownSession(sc.Session), to)
	case sc.SkipConversation:
		return "Restoring files of " + to
	}
	return "Rewinding to " + to
}

func turnWords(sc condense.Scope) string {
	words := fmt.Sprintf("turn %d", sc.Turn)
	if sc.Turn < 0 {
		words = "the last turn"
		if sc.Turn < -1 {
			words = fmt.Sprintf("turn %d from the last", -sc.Turn)
		}
	}
	if sc.Session != "" {
		words += " of session " + cliui.ShownSession(sc.Session)
	}
	return words
}

func changeLine(c restore.PlannedChange, t term.Terminal) string {
	verb := Verbs[c.Action]
	if c.Action == restore.PlanRemove {
		verb = t.Styled(term.Bad, verb)
	}
	line := fmt.Sprintf("%s: %s%s", verb, cliui.ShownName(c.Path), cliui.LineCounts(c.Insertions, c.Deletions))
	if c.Merged {
		line += ", merged with later changes"
	}
	if whose := whoseWork(c.Undoes); whose != "" {
		line += t.Styled(term.Faint, ", undoes "+whose)
	}
	return line
}

// whoseWork names whose later changes are undone; "" if only the session's own are, which a
// rewind is for.
func whoseWork(undone []restore.UndoneChange) string {
	var words []string
	other := false
	for _, u := range undone {
		word := cliui.ShownLine(u.Who)
		switch {
		case u.Who == "person":
			word = "a person"
		case u.Who == "mixed", u.Who == "unknown":
			word = "an unknown author"
		case strings.HasPrefix(u.Who, "session "):
			word = "session " + cliui.ShownSession(strings.TrimPrefix(u.Who, "session "))
		}
		other = other || u.Who != "this session"
		if !slices.Contains(words, word) {
			words = append(words, word)
		}
	}
	if !other {
		return ""
	}
	return "later changes by " + cliui.Enumerated(words)
}

// WriteConflicts names the files whose undone and later changes do not merge, and the commands
// that show both.
func WriteConflicts(b *strings.Builder, conflicts []restore.PlanConflict) {
	for _, c := range conflicts {
		fmt.Fprintf(b, "  Conflict: %s (now %s, without what is undone %s)\n", cliui.ShownName(c.Path), sideText(c.Ours), sideText(c.Theirs))
		fmt.Fprintf(b, "    what is undone:   %s\n", compareText(c.Theirs, c.Base))
		fmt.Fprintf(b, "    what came later:  %s\n", compareText(c.Base, c.Ours))
		if c.Saved != "" {
			saved := cliui.ShownLine(c.Saved)
			if _, err := git.ParseOID(saved); err == nil {
				saved = cliui.ShortOf(saved, blobDigits)
			}
			fmt.Fprintf(b, "    both are kept by: %s\n", saved)
		}
	}
}

// compareText returns the command that shows the change from one side to another.
func compareText(from, to restore.PlanSide) string {
	switch {
	case from.Mode == 0 && to.Mode == 0:
		return "no file"
	case from.Mode == 0:
		return "a new file: git show " + blobName(to.OID)
	case to.Mode == 0:
		return "the file removed: git show " + blobName(from.OID)
	case from.OID == to.OID:
		return fmt.Sprintf("mode %o to %o", from.Mode, to.Mode)
	}
	return fmt.Sprintf("git diff %s %s", blobName(from.OID), blobName(to.OID))
}

func sideText(side restore.PlanSide) string {
	switch {
	case side.Mode == 0:
		return "no file"
	case side.Mode == git.ModeFile:
		return blobName(side.OID)
	}
	return fmt.Sprintf("%s (mode %o)", blobName(side.OID), side.Mode)
}

// blobDigits is enough of an object's ID for git to find the object.
const blobDigits = 12

func blobName(oid git.OID) string { return cliui.ShortOf(oid.String(), blobDigits) }

func WriteKept(b *strings.Builder, kept []sessionstate.KeptFile) {
	for _, k := range kept {
		fmt.Fprintf(b, "  Kept: %s (%s)\n", cliui.ShownName(k.Path), cliui.ShownLine(k.Why))
	}
}

// PlanPatch returns the patch that a plan would apply to the worktree.
func PlanPatch(ctx context.Context, wp *workplace.Workplace, plan *rewind.Plan) ([]byte, error) {
	before, after := plan.Trees()
	var changes []git.LineCount
	for _, c := range plan.Changes {
		changes = append(changes, git.LineCount{Change: git.Change{Path: c.Path}})
	}
	return workplace.PatchOf(ctx, wp, [2]git.OID{before, after}, changes)
}
