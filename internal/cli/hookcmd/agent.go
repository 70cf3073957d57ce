package hookcmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"entire/agent"
	"entire/agent/agents"
	"entire/internal/cli/agentlib"
	"entire/internal/cli/cliui"
	"entire/internal/cli/workplace"
	"entire/internal/config"
	"entire/internal/durable"
	"entire/internal/git"
	"entire/strategy/condense"
	"entire/strategy/engine"
	"entire/strategy/turn"
)

// agent runs a hook of an AI agent, whose payload comes on standard input or is the last argument.
func (h *hookRun) agent(ctx context.Context, ag agent.Agent, verb string) error {
	if agent.IsToolVerb(verb) {
		return h.tool(ctx, ag, verb)
	}
	cwd, err := h.Getwd()
	if err == nil && workplace.FindPlace(cwd).Off() {
		return nil
	}
	payload, err := h.input()
	if err != nil {
		return err
	}
	ev, err := ag.Decode(verb, payload, h.Now())
	if err != nil {
		return fmt.Errorf("read the payload of the hook %s: %w", verb, err)
	}
	return h.event(ctx, ag, ev, cwd)
}

// event carries out an event of an agent that works around cwd. ag is the agent whose hook was called; nil
// for a plug-in's.
func (h *hookRun) event(ctx context.Context, ag agent.Agent, ev agent.Event, cwd string) error {
	if ev.Type == "" { // an event that Entire does not use
		return nil
	}
	dir := h.workedIn(ev, cwd)
	if dir == "" {
		dir = h.trackedFromNow(ctx, ev, cwd)
	}
	if dir == "" {
		return nil
	}
	agentlib.NoteHeard(workplace.FindPlace(dir), ev, h.Now())
	if ag != nil && reportedByOwnHooks(h.Home(), workplace.FindPlace(dir).Top, ag, ev) {
		return nil
	}
	ev = h.located(ag, ev)
	dir = h.adopted(ev, dir)
	placeTranscript(h.Home(), dir, &ev)
	h.readDocuments(ag, &ev)
	if reportToParent(&ev); ev.Type == "" || ev.Implied && ev.PromptID == "" && ev.Type == agent.TurnStart && turnIsOpen(ctx, dir, ev.SessionID) {
		return nil
	}
	err := h.enter(ctx, dir)
	if errors.Is(err, git.ErrNotRepository) {
		return h.inFolder(ctx, ev, dir)
	}
	if err != nil {
		return err
	}
	for _, warning := range ev.Warnings {
		h.log().Warn("hook payload", "hook", h.name, "warning", warning)
	}
	h.keepSetUp(ctx, ev.Type)
	feed := h.feedFor()
	err = h.handle(ctx, ev)
	h.did("record")
	h.beginPace(h.wp.Place, h.wp.Settings.Checkpoints(), ev)
	h.feed(ctx, feed, ev)
	h.did("store")
	h.cleanLater(ev)
	h.pruneTurnsLater(ev)
	h.watchLater(ev)
	h.rescueLater(ev)
	return err
}

// workedIn returns the first of the directories that the agent may mean in which hooks are
// active; "" if there is none.
func (h *hookRun) workedIn(ev agent.Event, cwd string) string {
	dirs := []string{ev.Dir, cwd}
	for _, ag := range agents.All() {
		if name := ag.Profile().ProjectVar; name != "" {
			dirs = append(dirs, h.Getenv(name))
		}
	}
	for i, dir := range dirs {
		if dir == "" || slices.Contains(dirs[:i], dir) {
			continue
		}
		if p := workplace.FindPlace(dir); p.SetUp {
			if p.Active() {
				return dir
			}
			return ""
		}
	}
	return ""
}

// adopted returns the worktree that has adopted the session from the worktree around dir, dir for none. A new
// process of the agent works where it starts.
func (h *hookRun) adopted(ev agent.Event, dir string) string {
	p := workplace.FindPlace(dir)
	common := p.Common()
	if common == "" {
		return dir
	}
	store := workplace.States(common)
	var at turn.AdoptedFrom
	if store.LoadSide(ev.SessionID, turn.AdoptedName, &at) != nil {
		return dir
	}
	if ev.Type == agent.SessionStart && (ev.Source == "startup" || ev.Source == "resume") {
		_ = durable.Remove(filepath.Join(store.Dir(ev.SessionID), turn.AdoptedName)) // otherwise the next start removes it
		return dir
	}
	if to := workplace.FindPlace(at.To); workplace.SameFile(p.Top, at.From) && to.Active() && workplace.SameFile(to.Common(), common) {
		return at.To
	}
	return dir
}

// trackedFromNow returns the directory of the agent if its repository is recorded from this event on,
// because the user enabled Entire globally; "" if it is not.
func (h *hookRun) trackedFromNow(ctx context.Context, ev agent.Event, cwd string) string {
	data := workplace.DataDir(h.Env)
	if data == "" {
		return ""
	}
	source := config.GlobalPath(data)
	if _, err := os.Lstat(source); err != nil {
		return ""
	}
	for _, dir := range []string{ev.Dir, cwd} {
		if workplace.TrackGlobally(ctx, dir, source, h.Environ) {
			return dir
		}
	}
	return ""
}

func (h *hookRun) handle(ctx context.Context, ev agent.Event) error {
	var within context.CancelFunc
	if h.wp.Settings.Strategy == condense.StrategyAuto { // its commits run the user's hooks
		ctx, within = h.Interruptible(ctx)
	} else {
		ctx, within = context.WithTimeout(ctx, cliui.HookLimit)
	}
	defer within()
	answer, err := engine.Handle(ctx, h.wp.Engine, ev)
	if len(answer.Output) == 0 {
		return err
	}
	_, printErr := h.Out.Write(answer.Output)
	return errors.Join(err, printErr)
}
