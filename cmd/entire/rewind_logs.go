package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"entire/agent"
	"entire/checkpoint"
	"entire/id"
	"entire/strategy"
)

// plannedLogs is what going back to a commit's point would do, and its JSON form.
type plannedLogs struct {
	Point    strategy.RewindPoint `json:"point"`
	Reset    bool                 `json:"reset"` // the branch moves too
	Sessions []plannedLog         `json:"sessions"`
	Skipped  []string             `json:"skipped"` // one line each: which session, and why
}

// A plannedLog is a transcript that would be written.
type plannedLog struct {
	SessionID string          `json:"session_id"`
	Agent     agent.AgentType `json:"agent"`
	Path      string          `json:"path"`
	Replaces  bool            `json:"replaces"` // one that stays beside it
	Resume    string          `json:"resume_command"`
}

// planLogs tells what RestoreLogs would do with the point, and changes nothing.
func (w *world) planLogs(ctx context.Context, wp *workplace, point strategy.RewindPoint) (plannedLogs, error) {
	plan := plannedLogs{Point: point, Sessions: []plannedLog{}, Skipped: []string{}}
	records := checkpoint.NewRecords(wp.repo)
	stored, err := records.Read(ctx, point.CheckpointID)
	if err != nil {
		return plan, err
	}
	for i, s := range stored.Sessions {
		skip := func(format string, args ...any) {
			plan.Skipped = append(plan.Skipped, fmt.Sprintf("session %d: ", i)+fmt.Sprintf(format, args...))
		}
		sid, idErr := id.ParseSessionID(s.Metadata.SessionID)
		ag, known := agent.ByType(s.Metadata.Agent)
		switch {
		case s.Err != nil:
			skip("%v", s.Err)
			continue
		case idErr != nil:
			skip("%v", idErr)
			continue
		case !known:
			skip("its agent %q is not known here", s.Metadata.Agent)
			continue
		}
		content, err := records.Session(ctx, point.CheckpointID, i)
		if content == nil || len(content.Transcript) == 0 {
			skip("no transcript (%v)", err)
			continue
		}
		path := transcriptPath(ag, w.home(), wp.repo.Top, sid, s.Metadata.TranscriptPath)
		info, err := os.Stat(path)
		if err == nil && info.Size() > int64(len(content.Transcript)) {
			skip("%s holds more than the checkpoint; kept", path)
			continue
		}
		plan.Sessions = append(plan.Sessions, plannedLog{sid.String(), ag.Type(), path, err == nil, ag.ResumeCommand(sid)})
	}
	return plan, nil
}

// transcriptPath is where RestoreLogs writes a session's transcript: where the
// metadata says, if that is a file in the agent's own folder, else where the
// agent looks for it.
func transcriptPath(ag agent.Agent, home, top string, sid id.SessionID, stored string) string {
	usual := ag.TranscriptPath(home, top, sid)
	if stored == "" || !filepath.IsLocal(filepath.FromSlash(stored)) {
		return usual
	}
	path := filepath.Join(home, filepath.FromSlash(stored))
	inside := strings.HasPrefix(path, filepath.Dir(filepath.Dir(usual))+string(filepath.Separator))
	if info, err := os.Lstat(path); !inside || filepath.Base(path) != filepath.Base(usual) || err == nil && !info.Mode().IsRegular() {
		return usual
	}
	return path
}

// dryRun shows what a commit's point would bring back, and does nothing.
func (w *world) dryRun(ctx context.Context, wp *workplace, point strategy.RewindPoint, o rewindOptions) error {
	plan, err := w.planLogs(ctx, wp, point)
	if err != nil {
		return err
	}
	plan.Reset = o.reset
	if o.json {
		return w.printJSON(plan)
	}
	_, err = fmt.Fprint(w.out, plan.text())
	return err
}

func (p plannedLogs) text() string {
	var b strings.Builder
	if p.Reset {
		fmt.Fprintf(&b, "Would save uncommitted changes and reset the branch to %s (%s).\n", shortID(p.Point.ID), p.Point.Message)
	}
	for _, s := range p.Sessions {
		fmt.Fprintf(&b, "Would write the transcript of session %s to: %s\n", s.SessionID, s.Path)
		if s.Replaces {
			b.WriteString("  The one that is there would be kept beside it.\n")
		}
	}
	for _, skipped := range p.Skipped {
		fmt.Fprintf(&b, "warning: %s\n", skipped)
	}
	if !p.Reset {
		b.WriteString("No file of the worktree would change.\n")
	}
	return b.String()
}
