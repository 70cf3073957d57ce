package sessionlib

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"entire/agent"
	"entire/agent/agents"
	"entire/internal/cli/agentlib"
	"entire/internal/cli/cliui"
	"entire/internal/cli/workplace"
)

type ResumeOptions struct {
	At                string
	Fork, Force, JSON bool
}

// Latest returns the session to continue in this folder: the last updated in the folder, or else
// in the worktree, or else in the project.
func (l *Library) Latest(ctx context.Context) (ListedSession, error) {
	all, err := l.Here(ctx)
	if err != nil {
		return ListedSession{}, err
	}
	if len(all) == 0 {
		return ListedSession{}, cliui.Failf("`entire sessions list --all` shows those of other projects", "no session in this folder yet")
	}
	dir, top := cliui.ResolvedPath(l.Dir), cliui.ResolvedPath(l.Ident.Top)
	best, rank := 0, 0
	for i, s := range all { // last updated first
		r := 1
		switch folder := cliui.ResolvedPath(s.Folder); {
		case s.Folder == "":
		case folder == dir:
			r = 3
		case cliui.IsWithin(top, folder):
			r = 2
		}
		if r > rank {
			best, rank = i, r
		}
	}
	return all[best], nil
}

// An ResumeView is the result of continuing a session, and its JSON form.
type ResumeView struct {
	SessionID string          `json:"session_id"`
	Agent     agent.AgentType `json:"agent"`
	Path      string          `json:"path"` // of its transcript
	Prompt    string          `json:"prompt,omitempty"`
	Command   string          `json:"resume_command"`
	Folder    string          `json:"folder"`   // where to run the command
	Restored  bool            `json:"restored"` // false: an existing transcript was kept
	Parent    string          `json:"parent_id,omitempty"`
	ForkedAt  string          `json:"fork_point,omitempty"`
}

// CommandFrom returns the command to type in the current directory.
func (l *Library) CommandFrom(v ResumeView) string {
	if v.Folder == "" || cliui.ResolvedPath(v.Folder) == cliui.ResolvedPath(l.Dir) {
		return v.Command
	}
	return "cd " + cliui.ShellWord(v.Folder) + " && " + v.Command
}

// Resume restores a session's transcript.
func (l *Library) Resume(ctx context.Context, s ListedSession, o ResumeOptions) (ResumeView, error) {
	sid, err := ParsedID(s)
	if err != nil {
		return ResumeView{}, err
	}
	homes := l.Homes(ctx, s)
	transcript, err := l.Transcript(ctx, s)
	if err != nil && !(errors.Is(err, errNoTranscript) && cliui.HasFile(homes.Live(agents.For(s.Agent), sid, nil))) {
		return ResumeView{}, err
	}
	log, err := homes.PlanContinue(sid, s.Agent, transcript, o.Force && len(transcript) > 0)
	if err != nil {
		return ResumeView{}, l.notResumed(s, err)
	}
	if log.Stays() && !o.Force {
		l.tellLonger(log, s)
	}
	if err := log.Write(); err != nil {
		return ResumeView{}, err
	}
	if slices.Contains(s.Sources, InGit) {
		if err := l.git.NoteContinued(ctx, sid); err != nil {
			l.Wp.Log.Warn("not noted what checkpoints have of a conversation", "session_id", s.ID, "err", err)
		}
	}
	command := log.ResumeCommand
	if command == "" {
		command = agentlib.ResumeCommand(ctx, l.Env, workplace.FindPlace(l.Dir), s.Agent, sid)
	}
	return ResumeView{
		SessionID: s.ID, Agent: s.Agent, Path: log.Path, Prompt: cmp.Or(s.Title, s.Description), Command: command,
		Folder: l.folderFor(s, homes, log.Path), Restored: !log.Stays(), Parent: s.Parent, ForkedAt: s.ForkedAt,
	}, nil
}

func (l *Library) notResumed(s ListedSession, err error) error {
	return cliui.Failf(fmt.Sprintf("`entire sessions show %s --messages` shows what was said", cliui.ShownSession(s.ID)), "%w", err)
}

// folderFor returns where the agent must start to find the transcript at path, "" if unknown.
func (l *Library) folderFor(s ListedSession, homes homesOf, path string) string {
	a := agents.For(s.Agent)
	if _, ok := a.(agent.DocumentKeeper); ok {
		return homes.Top
	}
	for _, dir := range []string{l.Dir, cliui.ResolvedPath(l.Dir), homes.Top, s.Folder} {
		if dir == "" {
			continue
		}
		for _, folder := range a.Folders(homes.Home, dir, cliui.ReadIfThere) {
			if folder == filepath.Dir(path) {
				return dir
			}
		}
	}
	return ""
}
