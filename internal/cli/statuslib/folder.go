package statuslib

import (
	"context"
	"runtime"
	"time"

	"entire/internal/cli/cliui"
	"entire/internal/cli/workplace"
	"entire/internal/config"
	"entire/internal/feed"
	"entire/internal/project"
	"entire/session"
)

// readFolder is Read for a folder outside git.
func (v *Status) readFolder(ctx context.Context, env *cliui.Env, top string) error {
	v.Folder, v.SetUp = top, true
	settings, err := config.Load(top)
	if err := v.readSettings(top, err); err != nil {
		return err
	}
	v.Enabled, v.Settings = settings.Enabled, eachSettings(top)
	if !v.Enabled {
		return nil
	}
	for _, ag := range workplace.InstalledAgents(top) {
		v.Agents = append(v.Agents, string(ag.Type()))
	}
	v.readGuard(top, settings)
	if len(v.Agents) == 0 {
		v.problem("agent hooks", "", "no agent's hooks are installed here; only an agent that calls them itself is recorded", "entire enable")
	}
	if !settings.SessionStore() {
		v.problem("session store", "", "switched off by strategy_options.session_store; outside git nothing is kept without it", "")
		return nil
	}
	if why := workplace.FolderSkipped(ctx, env, top); why != "" {
		v.problem("files", "", "they are not kept: "+why, "list in a .gitignore what need not be kept, and run `entire enable`")
	}
	return v.readConversations(ctx, env, top)
}

// openFor is how long after its last event a conversation counts as active if nothing ended it.
const openFor = 24 * time.Hour

// readConversations lists the folder's conversations that have not ended.
func (v *Status) readConversations(ctx context.Context, env *cliui.Env, top string) error {
	data := project.DataDir(env.Environ, env.Home(), runtime.GOOS)
	if data == "" {
		v.problem("session store", "", "neither HOME nor XDG_DATA_HOME is set: conversations are not kept", "")
		return nil
	}
	id, err := project.Find(ctx, top, env.Environ)
	if err != nil {
		return err
	}
	store := session.OpenStore(session.BaseIn(id.Dir(data)))
	defer store.Close()
	v.readStore(ctx, env, id)
	list, err := store.ListContext(ctx)
	if err != nil {
		return err
	}
	for _, m := range list {
		fed := feed.LastFed(store.Dir(m.ID))
		if m.EndedAt != nil || env.Now().Sub(fed) > openFor {
			continue
		}
		phase := session.PhaseIdle
		if feed.InTurn(store.Dir(m.ID)) {
			phase = session.PhaseActive
		}
		v.Sessions = append(v.Sessions, ActiveSession{ID: m.ID, Agent: string(cliui.AgentOr(m.AgentType)), Worktree: m.CWD, Here: true,
			Phase: phase, Started: m.CreatedAt, LastInteraction: &fed, Prompt: m.Title, Files: []string{}})
	}
	return nil
}
