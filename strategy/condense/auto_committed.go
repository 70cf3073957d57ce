package condense

import (
	"fmt"
	"slices"

	"entire/checkpoint/metadata"
	"entire/internal/git"
	"entire/strategy/githead"
	"entire/strategy/sessionstate"
)

// What auto-commit's own commits need beside those of others.

// autoCommitted reports whether auto-commit made the commit and committed all of the session's work in a
// file.
func autoCommitted(cm githead.MadeCommit, path string) bool {
	return cm.Auto != nil && slices.ContainsFunc(cm.Auto.Files, func(f githead.AutoFile) bool { return sessionstate.DecodePath(f.Path) == path })
}

// PruneBefore keeps the remembered earlier versions only of files that are still uncommitted.
func PruneBefore(o *sessionstate.LockedSession) {
	for name := range o.Engine.AutoCommit.Before {
		if !slices.Contains(o.State.FilesTouched, name) {
			delete(o.Engine.AutoCommit.Before, name)
		}
	}
}

// describeRecord gives the record of an auto-commit's commit the form that such records have: one
// checkpoint, and the task's files next to the sessions. Other commits' records stay as they are.
func describeRecord(cm githead.MadeCommit, rec *metadata.Record) {
	if cm.Auto == nil {
		return
	}
	rec.EphemeralBranch = ""
	for i := range rec.Sessions {
		s := &rec.Sessions[i]
		rec.Extra, s.Extra = append(rec.Extra, s.Extra...), nil
		s.Metadata.CheckpointsCount = 1
		if cm.Auto.Task != "" {
			s.Metadata.CheckpointsCount, s.Metadata.IsTask, s.Metadata.ToolUseID = 0, true, cm.Auto.Task
		}
	}
	if cm.Auto.Task == "" {
		return
	}
	rec.Subject, rec.MetadataTask = cm.Auto.Title, rec.ID.Path()+"/tasks/"+cm.Auto.Task
	if cm.Auto.Step > 0 {
		rec.MetadataTask += fmt.Sprintf("/checkpoints/%03d-%s.json", cm.Auto.Step, cm.Auto.Task)
	}
}

// RememberBefore notes the earlier versions of files that the session changes for the first time
// since they were committed.
func RememberBefore(s *sessionstate.Env, o *sessionstate.LockedSession, changed []git.Change, claimed []string) {
	if !s.Auto {
		return
	}
	if o.Engine.AutoCommit.Before == nil {
		o.Engine.AutoCommit.Before = map[string]sessionstate.FileVersion{}
	}
	for _, c := range changed {
		name := sessionstate.EncodePath(c.Path)
		if slices.Contains(o.State.FilesTouched, name) || !slices.Contains(claimed, c.Path) {
			continue
		}
		o.Engine.AutoCommit.Before[name] = sessionstate.FileVersion{Mode: c.OldMode, OID: c.Old}
	}
}
