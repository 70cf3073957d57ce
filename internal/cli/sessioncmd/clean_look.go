package sessioncmd

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"entire/internal/cli/cliui"
	"entire/internal/cli/workplace"
	"entire/internal/config"
	"entire/internal/feed"
	"entire/internal/project"
	"entire/internal/retention"
	"entire/session"
	"entire/strategy/maintain"
)

// stores returns the keys of the projects in the clean-up.
func (c *cleaning) stores() ([]string, error) {
	keys := []string{c.Ident.Key}
	if !c.cleanOptions.all {
		return keys, nil
	}
	entries, err := os.ReadDir(filepath.Join(c.Data, "projects"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, e := range entries {
		if e.IsDir() && e.Name() != c.Ident.Key {
			keys = append(keys, e.Name())
		}
	}
	return keys, nil
}

// look reads the candidates, and why some of them must stay.
func (c *cleaning) look(ctx context.Context) error {
	keys, err := c.stores()
	if err != nil {
		return err
	}
	show, done := c.Env.Progress()
	defer done()
	c.all = map[string]session.Candidate{}
	for _, key := range keys {
		store := c.StoreOf(key)
		found, err := store.Candidates(ctx, key, func(n, all int) { show("conversations", n, all) })
		if err != nil {
			return err
		}
		about := c.holdsOf(ctx, key, found)
		for _, s := range found {
			if s.Hold == "" {
				s.Hold = about.why(s)
			}
			c.all[key+"/"+s.ID] = s
			c.plain = append(c.plain, s.Session)
		}
	}
	return nil
}

// A holdsOf is what a project's repositories say about its sessions.
type holdsOf struct {
	repos  []maintain.Holds
	at     map[string]bool   // folders in one of the repositories
	failed map[string]string // folders that cannot be read, with the reason
	gone   bool              // sessions of missing folders may go
	inTurn func(sessionID string) bool
}

// holdsOf reads every folder in which the project's sessions ran, and the current one.
func (c *cleaning) holdsOf(ctx context.Context, key string, found []session.Candidate) holdsOf {
	store := c.StoreOf(key)
	h := holdsOf{at: map[string]bool{}, failed: map[string]string{}, gone: c.gone,
		inTurn: func(sid string) bool { return feed.InTurn(store.Dir(sid)) }}
	seen := map[string]bool{} // git common directories
	folders := []string{}
	if key == c.Ident.Key {
		folders = append(folders, c.Dir)
	}
	for _, s := range found {
		folders = append(folders, s.Metadata.CWD)
	}
	for _, dir := range folders {
		if dir == "" || h.at[dir] || h.failed[dir] != "" || !cliui.IsDir(dir) {
			continue
		}
		in, err := c.lookAt(ctx, key, dir, seen, &h)
		switch {
		case err != nil:
			h.failed[dir] = "its folder cannot be read: " + cliui.OneLine(err.Error())
		case in:
			h.at[dir] = true
		}
	}
	return h
}

// lookAt reports whether a folder belongs to the project, and adds to h the sessions that must
// stay there.
func (c *cleaning) lookAt(ctx context.Context, key, dir string, seen map[string]bool, h *holdsOf) (bool, error) {
	id, err := project.Find(ctx, dir, c.Env.Environ)
	if err != nil || id.Key != key {
		return false, err
	}
	var wp *workplace.Workplace
	if id.Git {
		if wp, _, err = workplace.OpenAt(ctx, c.Env, dir); err != nil {
			return false, err
		}
	} else if wp, err = workplace.OpenFolder(ctx, c.Env, id.Top, false); errors.Is(err, workplace.ErrNothingKept) {
		return true, nil
	} else if err != nil {
		return false, err
	}
	defer wp.Close()
	if seen[wp.Repo.CommonDir] {
		return true, nil
	}
	holds, err := maintain.FindHolds(ctx, wp.Engine)
	if err != nil {
		return false, err
	}
	seen[wp.Repo.CommonDir] = true
	h.repos = append(h.repos, holds)
	return true, nil
}

// why returns why a session must stay, "" for no reason.
func (h holdsOf) why(s session.Candidate) string {
	known := false
	for _, repo := range h.repos {
		if why := repo.Why(s.ID); why != "" {
			return why
		}
		known = known || repo.Known[s.ID]
	}
	dir := s.Metadata.CWD
	switch {
	case h.inTurn(s.ID) && !known && s.Metadata.EndedAt == nil:
		return "it is in the middle of a turn"
	case known || dir == "" || h.at[dir]:
		return ""
	case h.failed[dir] != "":
		return h.failed[dir]
	case h.gone:
		return ""
	}
	return "its folder is missing (--gone takes it anyway)"
}

// choose makes the plan from the flags, or else from the settings, or else from a person's
// choice.
func (c *cleaning) choose(ctx context.Context) error {
	now := c.Env.Now()
	if !c.flags.IsZero() {
		c.plan = retention.Choose(c.flags, now, c.plain)
		return nil
	}
	if c.project.IsZero() && c.user.IsZero() {
		if !c.Env.Terminal().Interactive || c.yes || c.automatic {
			return c.onlyTrash(ctx)
		}
		return c.ask(ctx)
	}
	c.plan = c.bySettings(c.plain)
	return nil
}

// bySettings applies the project's limits to its sessions, and the user's limits to all. If it
// sees only one project, it ignores the user's limits of size and number, which count all
// projects.
func (c *cleaning) bySettings(all []retention.Session) retention.Plan {
	now, user := c.Env.Now(), c.user
	if !c.cleanOptions.all {
		user.MaxBytes, user.Keep = 0, 0
	}
	of := map[string][]retention.Session{}
	for _, s := range all {
		of[s.Project] = append(of[s.Project], s)
	}
	var plan retention.Plan
	gone := map[string]bool{}
	for key, sessions := range of {
		p := retention.Choose(c.policyIn(key, sessions), now, sessions)
		plan.Removals, plan.Exempt = append(plan.Removals, p.Removals...), append(plan.Exempt, p.Exempt...)
		for _, t := range p.Removals {
			gone[key+"/"+t.ID] = true
		}
		for _, t := range p.Exempt {
			gone[key+"/"+t.ID] = true
		}
	}
	var rest []retention.Session
	for _, s := range all {
		if !gone[s.Project+"/"+s.ID] || s.Hold != "" {
			rest = append(rest, s)
		}
	}
	over := retention.Choose(user, now, rest)
	plan.Removals = append(plan.Removals, over.Removals...)
	for _, held := range over.Exempt {
		if !gone[held.Project+"/"+held.ID] {
			plan.Exempt = append(plan.Exempt, held)
		}
	}
	plan.Before = retention.Choose(retention.Policy{}, now, all).Before
	plan.After = over.After
	return plan
}

// policyIn returns the limits in the settings of a project.
func (c *cleaning) policyIn(key string, sessions []retention.Session) retention.Policy {
	if key == c.Ident.Key {
		return c.project
	}
	return policyOf(c.retentionOf(key, sessions))
}

// retentionOf returns the retention settings of another project, read where its sessions ran.
func (c *cleaning) retentionOf(key string, sessions []retention.Session) config.Retention {
	for i := len(sessions) - 1; i >= 0; i-- {
		if p := workplace.FindPlace(c.all[key+"/"+sessions[i].ID].Metadata.CWD); p.SetUp {
			if s, err := config.Load(p.Settings); config.Readable(err) {
				return s.Retention()
			}
		}
	}
	return config.Retention{}
}

// onlyTrash makes a plan without a limit, which only removes what is due in the trash. It returns
// an error unless --yes, --dry-run or a hook asks for that.
func (c *cleaning) onlyTrash(context.Context) error {
	if c.automatic || c.yes || c.dryRun {
		c.plan = retention.Choose(retention.Policy{}, c.Env.Now(), c.plain)
		return nil
	}
	return cliui.Failf("give one, such as --older-than 30d, or set strategy_options.retention", "no limit says what to move to the trash")
}

// ask lets a person choose a limit, and shows what each would move to the trash.
func (c *cleaning) ask(ctx context.Context) error {
	now := c.Env.Now()
	const day = 24 * time.Hour
	policies := []retention.Policy{{Inactive: 30 * day}, {Inactive: 90 * day}, {OlderThan: 90 * day}, {MaxBytes: 2e9}, {Keep: 100}, {}}
	var options []string
	var plans []retention.Plan
	for _, p := range policies {
		plan := retention.Choose(p, now, c.plain)
		plans = append(plans, plan)
		if p.IsZero() {
			options = append(options, "nothing; only what is due in the trash")
			continue
		}
		options = append(options, fmt.Sprintf("%s: %s, %s", p, cliui.Count(len(plan.Removals), "conversation"), retention.Bytes(plan.Before-plan.After)))
	}
	i, err := c.Env.Terminal().Select(ctx, "Which conversations may go to the trash?", options)
	if err != nil {
		fmt.Fprintln(c.Env.Err, "Nothing was changed.")
		return cliui.ErrTold
	}
	c.plan = plans[i]
	return nil
}
