package statuslib

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"entire/agent"
	"entire/hooks"
	"entire/internal/cli/agentlib"
	"entire/internal/cli/cliui"
	"entire/internal/cli/workplace"
	"entire/internal/config"
	"entire/internal/git"
	"entire/internal/project"
	"entire/session"
	"entire/strategy/maintain"
	"entire/strategy/sessionstate"
	"entire/strategy/worktree"
)

// A Status is what `entire status` shows; its JSON form is what --json prints.
type Status struct {
	Repository bool       `json:"repository"`
	Folder     string     `json:"folder,omitempty"` // a folder outside git that is set up
	Bare       bool       `json:"bare,omitempty"`
	GitFolder  bool       `json:"git_folder,omitempty"` // this is a folder of git's own, outside the worktree
	SetUp      bool       `json:"set_up"`
	Enabled    bool       `json:"enabled"`
	Strategy   string     `json:"strategy,omitempty"`
	Settings   []Settings `json:"settings"`
	Agents     []string   `json:"agents"` // agents with installed hooks
	// Standings are the agents with hooks here, and those that have worked here without being captured.
	Standings []agentlib.View `json:"agent_states"`
	Guard     *Guard          `json:"guard,omitempty"`

	Encryption *Encryption     `json:"encryption,omitempty"` // nil where conversations are stored in clear
	Hooks      string          `json:"hooks,omitempty"`
	HooksDir   string          `json:"hooks_dir,omitempty"`
	Sessions   []ActiveSession `json:"sessions"` // not ended, or with uncommitted files
	Problems   []Problem       `json:"problems"`

	// Unnamed are the latest commits linked without a trailer.
	Unnamed []maintain.UnnamedCommit `json:"linked_without_trailer,omitempty"`

	// NotCaptured is what the newest step here does not capture.
	NotCaptured []worktree.Uncaptured `json:"not_captured,omitempty"`

	// LeftAlone are refs of another version of Entire, or of another program.
	LeftAlone []sessionstate.KeptFile `json:"left_alone,omitempty"`

	// NotFollowed are settings of other versions that ask for what is not done here.
	NotFollowed []UnfollowedSetting `json:"settings_not_followed,omitempty"`

	// Store is the disk use of the conversations, nil for none.
	Store *Store `json:"conversations,omitempty"`

	linked bool // a session of this worktree has a checkpoint
}

// Settings are the main values of one settings file.
type Settings struct {
	File     string `json:"file"`
	Enabled  bool   `json:"enabled"`
	Strategy string `json:"strategy"`
}

// An ActiveSession is a session that has not ended, or has uncommitted files.
type ActiveSession struct {
	ID              string        `json:"session_id"`
	Agent           string        `json:"agent"`
	Worktree        string        `json:"worktree"`
	Here            bool          `json:"here"`
	Phase           session.Phase `json:"phase"`
	Started         time.Time     `json:"started_at"`
	Ended           *time.Time    `json:"ended_at,omitempty"`
	LastInteraction *time.Time    `json:"last_interaction_time,omitempty"`
	Prompt          string        `json:"first_prompt,omitempty"`
	Files           []string      `json:"files_pending"` // touched files that are in no checkpoint yet
	Turns           int           `json:"turns_pending"` // turns with a step that is in no checkpoint yet
	Tokens          int           `json:"tokens"`
	LastCheckpoint  string        `json:"last_checkpoint_id,omitempty"`

	Branch string `json:"-"` // of its worktree
}

// A Problem is something that was not captured, not linked or does not work.
type Problem struct {
	Kind    string `json:"kind"`
	Subject string `json:"subject,omitempty"`
	Why     string `json:"why"`
	Hint    string `json:"hint,omitempty"`
}

// Read returns the status of the current directory.
func Read(ctx context.Context, env *cliui.Env) (*Status, error) {
	v := &Status{Settings: []Settings{}, Agents: []string{}, Standings: []agentlib.View{}, Sessions: []ActiveSession{}, Problems: []Problem{}}
	dir, err := env.Here()
	if err != nil {
		return nil, err
	}
	wp, settingsErr, err := workplace.OpenAt(ctx, env, dir)
	if errors.Is(err, git.ErrNotRepository) {
		if p := workplace.FindPlace(dir); p.Folder {
			return v, v.readFolder(ctx, env, p.Top)
		}
		return v, nil
	}
	if err != nil {
		return nil, err
	}
	defer wp.Close()
	v.Repository, v.SetUp = true, wp.Place.SetUp
	v.Bare, v.GitFolder = wp.Repo.Bare, wp.Repo.Top == "" && !wp.Repo.Bare
	if !v.SetUp || wp.Repo.Top == "" {
		return v, nil
	}
	workplace.Recover(ctx, env, wp)
	if err := v.readSettings(wp.Repo.Top, settingsErr); err != nil {
		return nil, err
	}
	v.Enabled, v.Strategy = wp.Settings.Enabled, wp.Settings.Strategy
	v.Settings = eachSettings(wp.Place.Settings)
	if !v.Enabled {
		return v, nil
	}
	v.readUnfollowed(env, wp.Place.Settings, wp.Repo.Top)
	v.readEncryption(wp)
	v.readInstallation(ctx, env, wp)
	if wp.Settings.SessionStore() {
		v.readStore(ctx, env, project.InRepo(ctx, wp.Repo))
	}
	return v, v.readReport(ctx, env, wp)
}

// readSettings names the invalid values that are ignored. It returns an error if the settings
// cannot be read at all.
func (v *Status) readSettings(top string, err error) error {
	var wrong config.WrongValues
	if err != nil && !errors.As(err, &wrong) {
		return cliui.ToCorrect("%w", err)
	}
	for _, value := range wrong {
		v.problem("settings", cliui.ShownPath(top, value.Path), value.Why(), "correct the file")
	}
	return nil
}

// eachSettings reads each settings file as if it were the only one.
func eachSettings(top string) []Settings {
	views := []Settings{}
	for _, target := range []config.Target{config.Project, config.Local} {
		if !workplace.FileExists(config.Path(top, target)) {
			continue
		}
		view := Settings{cliui.SettingsName(target), true, config.DefaultStrategy}
		text, err := config.Text(top, target)
		if err != nil || text == nil {
			continue
		}
		if v := gjson.GetBytes(text, "enabled"); v.IsBool() {
			view.Enabled = v.Bool()
		}
		if v := gjson.GetBytes(text, "strategy"); v.Str != "" {
			view.Strategy = v.Str
		}
		views = append(views, view)
	}
	return views
}

// readInstallation finds hooks that do not call Entire: without them nothing would be captured or
// linked, without any message.
func (v *Status) readInstallation(ctx context.Context, env *cliui.Env, wp *workplace.Workplace) {
	v.readAgents(ctx, env, wp)
	v.readGuard(wp.Repo.Top, wp.Settings)
	if len(v.Agents) == 0 && !workplace.CallsByItself(ctx, wp) {
		v.problem("agent hooks", "", "no agent's hooks are installed here: turns are not captured", "entire enable")
	}
	target, err := hooks.Locate(ctx, wp.Repo)
	if err != nil {
		v.problem("git hooks", "", err.Error(), "")
		return
	}
	state := hooks.Installed(target)
	v.Hooks, v.HooksDir = string(state), target.Dir
	switch state {
	case hooks.All:
		if why := workplace.HooksFindProgram(env, wp, target); why != "" {
			v.problem("git hooks", target.Dir, why, "entire enable")
		}
	case hooks.None:
		v.problem("git hooks", target.Dir, "git's hooks are not installed: commits are not linked", "entire enable")
	case hooks.Partial:
		v.problem("git hooks", target.Dir, "some of git's hooks are missing or do not call entire: commits may not be linked", "entire enable")
	case hooks.Foreign:
		v.problem("git hooks", target.Dir, target.Outside()+" and not every hook there calls entire", "entire enable says what to add")
	}
}

func (v *Status) problem(kind, subject, why, hint string) {
	v.Problems = append(v.Problems, Problem{kind, subject, why, hint})
}

func (v *Status) readReport(ctx context.Context, env *cliui.Env, wp *workplace.Workplace) error {
	report, err := maintain.Status(ctx, wp.Engine)
	if err != nil {
		return err
	}
	for _, s := range report.Sessions {
		v.linked = v.linked || s.Here && !s.State.LastCheckpointID.IsEmpty()
		if s.State.EndedAt != nil && len(s.Files) == 0 {
			continue
		}
		v.Sessions = append(v.Sessions, ActiveSession{
			ID: s.State.SessionID.String(), Agent: string(cliui.AgentOr(s.State.AgentType)),
			Worktree: s.State.WorktreePath, Here: s.Here, Phase: s.State.Phase,
			Started: s.State.StartedAt, Ended: s.State.EndedAt, LastInteraction: s.State.LastInteractionTime,
			Prompt: agent.CleanPrompt(s.State.FirstPrompt), Files: cliui.NotNil(s.Files),
			Turns: s.Turns, Tokens: tokensOf(s.State.TokenUsage), LastCheckpoint: s.State.LastCheckpointID.String(),
			Branch: workplace.BranchAt(ctx, env.Environ, s.State.WorktreePath),
		})
	}
	slices.SortStableFunc(v.Sessions, func(a, b ActiveSession) int {
		if c := strings.Compare(a.Worktree, b.Worktree); c != 0 {
			return c
		}
		return b.Started.Compare(a.Started)
	})
	v.NotCaptured, v.LeftAlone, v.Unnamed = report.NotCaptured, report.Foreign, report.Unnamed
	for _, p := range report.Problems {
		v.problem(p.Kind, p.Subject, p.Why, p.Hint)
	}
	return nil
}

func tokensOf(u *agent.TokenUsage) int {
	if u == nil {
		return 0
	}
	return u.Total()
}
