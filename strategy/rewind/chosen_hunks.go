package rewind

import (
	"context"

	"entire/id"
	"entire/internal/git"
	"entire/strategy/restore"
	"entire/strategy/sessionstate"
)

// A Choice is what a file gets of its change.
type Choice struct {
	Blob  git.OID // the planned one, or one with only some hunks of the change, which leaves the file's mode as it is
	Bytes git.OID // the blob of the very bytes, where git's filters would write others; zero to leave them to these
}

// Choose restricts a plan to some of its changes: those of the chosen paths. All other paths stay as they are,
// also those that do not merge.
//
// The sessions keep their conversations and their lists of touched files, because the files still have
// some of their work. The file's history gets one more change, so that a later rewind undoes it too.
func (p *Plan) Choose(ctx context.Context, s *sessionstate.Env, chosen map[string]Choice) error {
	var changes []restore.PlannedChange
	var edits []git.Edit
	for _, c := range p.Changes {
		choice, ok := chosen[c.Path]
		if !ok {
			continue
		}
		if choice.Blob != c.Change.New {
			c.Change.New, c.Change.NewMode = choice.Blob, c.Change.OldMode
			c.Action = restore.ActionOf(c.Change)
		}
		if c.Change.New == c.Change.Old && c.Change.NewMode == c.Change.OldMode {
			continue
		}
		changes = append(changes, c)
		edits = append(edits, git.Edit{Path: c.Path, Mode: c.Change.NewMode, OID: c.Change.New})
	}
	for _, c := range p.Conflicts {
		p.Kept = append(p.Kept, sessionstate.KeptFile{Path: c.Path, Why: "later changes do not merge"})
	}
	after, err := s.Repo.EditTree(ctx, p.before, edits)
	if err != nil {
		return err
	}
	CountLines(ctx, s, changes)
	p.Changes, p.Conflicts, p.after, p.chosen = changes, nil, after, chosen
	p.Scope.Hunks, p.Scope.SkipConversation, p.Conversation = true, true, false
	p.session, p.state, p.conversationMark, p.returnedWork = id.SessionID{}, git.OID{}, nil, nil
	return nil
}
