package ownerlib

import (
	"entire/internal/attribution"
	"entire/internal/cli/cliui"
	"entire/internal/lineage"
	"entire/internal/review"
	"fmt"
)

// OwnerText names the owner of a line; "?" for unknown.
func OwnerText(o lineage.Origin) string {
	switch {
	case o.Agent() && o.Evidence == notedReason:
		return cliui.ShownLine(o.Owner.Agent) + " (noted by git-ai)"
	case o.Agent() && o.Owner.Agent != "":
		return cliui.ShownLine(o.Owner.Agent)
	case o.Agent():
		return "agent"
	case o.Owner.Class == attribution.ClassHuman:
		return "person"
	case o.Evidence == claimedReason:
		return cliui.ShownLine(o.Owner.Agent) + " (claimed)"
	}
	return "?"
}

// SameOrigin reports whether both lines have the same commit, owner and turn.
func SameOrigin(a, b lineage.Line) bool {
	return a.Commit == b.Commit && OwnerText(a.Origin) == OwnerText(b.Origin) && TurnText(a.Origin) == TurnText(b.Origin)
}

// TurnText returns the shortened session ID with the number of the turn; "" unless an agent owns
// the line.
func TurnText(o lineage.Origin) string {
	if !o.Agent() {
		return ""
	}
	text := cliui.ShownSession(o.Owner.SessionID)
	if o.Owner.Turn > 0 {
		text += fmt.Sprintf("#%d", o.Owner.Turn)
	}
	return text
}

// Writer names who wrote the line, as exactly as is known.
func (v *Why) Writer() string {
	o := v.Found.Owner
	switch {
	case v.Found.Agent():
		text := OwnerText(v.Found.Origin)
		if o.Model != "" {
			text += " (" + cliui.ShownLine(o.Model) + ")"
		}
		if o.SessionID != "" {
			text += ", session " + cliui.ShownSession(o.SessionID)
		}
		if o.Turn > 0 {
			text += fmt.Sprintf(", turn %d", o.Turn)
		}
		return text
	case o.Class == attribution.ClassHuman && v.Found.Author != "":
		return "a person: " + cliui.ShownLine(v.Found.Author)
	case o.Class == attribution.ClassHuman:
		return "a person"
	}
	return "unknown"
}

// EvidenceText says in words how the owner is known, or why not.
func EvidenceText(e lineage.Evidence, class string) string {
	switch e {
	case lineage.Recorded:
		return "recorded: the commit's checkpoint says so for this version of the file"
	case lineage.Aligned:
		return "aligned: the commit's checkpoint says so of this line in an earlier version of the file"
	case lineage.Content:
		return "content: a checkpoint that the commit does not name has the same line"
	case lineage.Moved:
		return "moved: a checkpoint says so of the line before it was moved or re-indented"
	case lineage.Summary:
		return "summary: the checkpoint says so of the whole commit; its record of lines is missing or encrypted"
	case lineage.Earlier:
		return "earlier: a commit of another branch, or an earlier one, wrote the line, and this commit brought it here"
	case lineage.Remembered:
		return "remembered: the session wrote this line, and no checkpoint records the commit that brought it"
	case lineage.NoAgentWork:
		return "no-agent-work: Entire was enabled, and the commit needed no checkpoint"
	case lineage.NotRecorded:
		return "not-recorded: the commit's checkpoints record all that agents wrote, and not this line"
	case lineage.NotEnabled:
		return "not-enabled: the line was written while Entire was not enabled"
	case lineage.Unreadable:
		return "unreadable: the commit names a checkpoint of another version of Entire, which does not say who wrote its lines"
	case notedReason:
		if class == attribution.ClassUnknown {
			return "noted: a note of git-ai names agents' lines of the commit, and not this one"
		}
		return "noted by git-ai: an imported note of the commit says so; no record of ours does"
	case claimedReason:
		return "claimed: the commit names an agent or a bot, and nothing was recorded"
	case lineage.Uncommitted:
		if class == attribution.ClassUnknown {
			return "uncommitted: the turns since the last commit do not show who wrote it"
		}
		return "uncommitted: the turns since the last commit show who wrote it"
	}
	return "none: no checkpoint says who wrote this line"
}

func HowText(h review.PromptEvidence) string {
	switch h {
	case review.ByContent:
		return "a call after it wrote this very line"
	case review.ByTurn:
		return "that of its turn; no call shows the line"
	case review.ByFile:
		return "the only one after which the file was worked on"
	case review.ByScope:
		return "the checkpoint's only one"
	}
	return ""
}
