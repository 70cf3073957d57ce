package sessioncmd

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"entire/internal/cli/cliui"
	"entire/internal/cli/sessionlib"
	"entire/internal/cli/workplace"
	"entire/internal/feed"
	"entire/internal/retention"
	"entire/internal/term"
	"entire/session"
	"entire/strategy/maintain"
)

// carryOut carries out the plan and prints the result.
func (c *cleaning) carryOut(ctx context.Context) error {
	c.kept = c.plan.Exempt
	if c.dryRun {
		c.taken = c.plan.Removals
		return errors.Join(c.compress(ctx), c.tell(ctx))
	}
	var failed error
	for _, t := range c.plan.Removals {
		if err := ctx.Err(); err != nil {
			failed = err
			break
		}
		err := c.take(ctx, t)
		switch {
		case err == nil:
			c.taken = append(c.taken, t)
		case errors.Is(err, session.ErrNotFound): // another clean-up took it
		case errors.Is(err, session.ErrUsed), errors.Is(err, errHeld):
			c.kept = append(c.kept, retention.Exempt{Session: t.Session, Why: strings.TrimPrefix(err.Error(), errHeld.Error()+": ")})
		default:
			failed = errors.Join(failed, err)
		}
	}
	gone := map[string]bool{}
	for _, t := range c.taken {
		gone[t.Project] = true
	}
	for key := range gone {
		workplace.DropSearchIndexAfter(c.Env, key)
	}
	if failed == nil && !c.automatic {
		failed = c.expire(ctx)
	}
	if failed == nil {
		failed = c.compress(ctx)
	}
	return errors.Join(c.tell(ctx), failed)
}

// errHeld is returned for a session that must stay for a reason that arose after the plan was
// made.
var errHeld = errors.New("held")

// take moves one session to the trash, unless a reason to keep it has arisen.
func (c *cleaning) take(ctx context.Context, t retention.Removal) error {
	s := c.all[t.Project+"/"+t.ID]
	return c.StoreOf(t.Project).TrashUnused(ctx, s, func() error {
		if c.gone && !cliui.IsDir(s.Metadata.CWD) {
			return nil
		}
		if why := c.stillHeld(ctx, s); why != "" {
			return fmt.Errorf("%w: %s", errHeld, why)
		}
		return nil
	})
}

// stillHeld reads the session's state again and returns why it must stay, "" for no reason: a
// turn may have begun.
func (c *cleaning) stillHeld(ctx context.Context, s session.Candidate) string {
	if s.Metadata.EndedAt == nil && feed.InTurn(c.StoreOf(s.Project).Dir(s.ID)) && workplace.FindPlace(s.Metadata.CWD).Folder {
		return "it is in the middle of a turn"
	}
	var stores []*session.StateStore
	if s.Project == c.Ident.Key && c.Wp != nil {
		stores = append(stores, c.Wp.Store)
	}
	if common := workplace.FindPlace(s.Metadata.CWD).Common(); common != "" {
		stores = append(stores, workplace.States(common))
	}
	sid, err := sessionlib.ParsedID(sessionlib.ListedSession{ID: s.ID})
	if err != nil {
		return cliui.OneLine(err.Error())
	}
	for _, store := range stores {
		st, err := store.Load(ctx, sid)
		if errors.Is(err, session.ErrNotFound) {
			continue
		}
		if err != nil {
			return cliui.OneLine(err.Error())
		}
		if why := maintain.HoldsState(store, st, c.Env.Now()); why != "" {
			return why
		}
	}
	return ""
}

// expire removes for good what was in the trash long enough.
func (c *cleaning) expire(ctx context.Context) error {
	stores, err := c.stores()
	for _, key := range stores {
		if err != nil {
			return err
		}
		var gone session.Gone
		gone, err = c.StoreOf(key).ExpireTrash(ctx, c.grace)
		c.emptied.Sessions += gone.Sessions
		c.emptied.Bytes += gone.Bytes
	}
	return err
}

// measureTrash sets c.trash and c.due.
func (c *cleaning) measureTrash(ctx context.Context) error {
	stores, err := c.stores()
	if err != nil {
		return err
	}
	var oldest time.Time
	for _, key := range stores {
		use, err := c.StoreOf(key).DiskUse(ctx, 0)
		if err != nil {
			return err
		}
		c.trash.Sessions += use.Trash
		c.trash.Bytes += use.TrashBytes
		if !use.Oldest.IsZero() && (oldest.IsZero() || use.Oldest.Before(oldest)) {
			oldest = use.Oldest
		}
	}
	if !oldest.IsZero() {
		c.due = oldest.Add(c.grace)
	}
	return nil
}

func (c *cleaning) tell(ctx context.Context) error {
	if err := c.measureTrash(ctx); err != nil {
		return err
	}
	if c.json {
		return c.Env.PrintJSON(c.view())
	}
	if c.automatic {
		return nil
	}
	var b strings.Builder
	if c.dryRun || c.yes {
		b.WriteString(c.text())
	}
	c.writeSummary(&b)
	_, err := fmt.Fprint(c.Env.Out, b.String())
	return err
}

func (c *cleaning) writeSummary(b *strings.Builder) {
	var bytes int64
	for _, t := range c.taken {
		bytes += t.Frees
	}
	switch {
	case len(c.taken) == 0:
		b.WriteString("There is no conversation to clean up.\n")
	case c.dryRun:
		fmt.Fprintf(b, "Would move %s to the trash (%s)\n", cliui.Count(len(c.taken), "conversation"), retention.Bytes(bytes))
	default:
		fmt.Fprintf(b, "Moved %s to the trash (%s)\n", cliui.Count(len(c.taken), "conversation"), retention.Bytes(bytes))
	}
	if len(c.kept) > 0 && !c.dryRun && !c.yes {
		writeHeld(b, c.kept)
	}
	c.writeCompressed(b)
	if c.emptied.Sessions > 0 {
		fmt.Fprintf(b, "Removed %s for good, %s in the trash (%s)\n", cliui.Count(c.emptied.Sessions, "conversation"), retention.Days(c.grace), retention.Bytes(c.emptied.Bytes))
	}
	if c.trash.Sessions > 0 {
		fmt.Fprintf(b, "In the trash: %s, %s; the first may be removed from %s on. `entire sessions undelete` restores them.\n",
			cliui.Count(c.trash.Sessions, "conversation"), retention.Bytes(c.trash.Bytes), c.due.Local().Format("2006-01-02"))
	}
}

// cleanShown bounds how many conversations the text for people lists; --json lists all.
const cleanShown = 40

// text says which conversations would go, why, and how much disk they take.
func (c *cleaning) text() string {
	var b strings.Builder
	if len(c.plan.Removals) > 0 {
		rows := [][]term.Cell{cliui.FaintRow(c.Env.Screen(), []string{"ID", "USED", "SIZE", "WHY", "TITLE"})}
		now := c.Env.Now()
		for i, t := range c.plan.Removals {
			if i == cleanShown {
				break
			}
			m := c.all[t.Project+"/"+t.ID].Metadata
			rows = append(rows, term.Plain(cliui.ShownSession(t.ID), cliui.ShortAge(now.Sub(t.Used), t.Used), retention.Bytes(t.Frees),
				strings.Join(t.Why, ", "), cliui.ShortLine(m.Title, cliui.PromptRunes)))
		}
		b.WriteString(term.Columns(rows, c.Env.Width(), 2))
		if more := len(c.plan.Removals) - cleanShown; more > 0 {
			fmt.Fprintf(&b, "… and %d more\n", more)
		}
		fmt.Fprintf(&b, "%s of %s\n", retention.Bytes(c.plan.Before-c.plan.After), retention.Bytes(c.plan.Before))
	}
	writeHeld(&b, c.plan.Exempt)
	return b.String()
}

func writeHeld(b *strings.Builder, held []retention.Exempt) {
	if len(held) == 0 {
		return
	}
	fmt.Fprintf(b, "Kept although they are beyond a limit (%d):\n", len(held))
	for i, s := range held {
		if i == cleanShown {
			fmt.Fprintf(b, "  … and %d more\n", len(held)-i)
			break
		}
		fmt.Fprintf(b, "  %s  %s\n", cliui.ShownSession(s.ID), cliui.ShownLine(s.Why))
	}
}

// A cleanedView is a session of a clean-up, as --json prints it.
type cleanedView struct {
	ID      string     `json:"session_id"`
	Project string     `json:"project"`
	Title   string     `json:"title,omitempty"`
	Begun   *time.Time `json:"started_at,omitempty"`
	Used    *time.Time `json:"used_at,omitempty"`
	Bytes   int64      `json:"bytes"`
	Why     []string   `json:"why"`
}

type cleaningView struct {
	DryRun  bool          `json:"dry_run"`
	Taken   []cleanedView `json:"taken"`
	Kept    []cleanedView `json:"kept"`
	Before  int64         `json:"bytes_before"`
	After   int64         `json:"bytes_after"`
	Emptied struct {
		Sessions int   `json:"sessions"`
		Bytes    int64 `json:"bytes"`
	} `json:"removed_for_good"`
	Compressed struct {
		Sessions []string `json:"sessions"`
		Before   int64    `json:"bytes_before"`
		After    int64    `json:"bytes_after"`
	} `json:"compressed"`
	Trash struct {
		Sessions int        `json:"sessions"`
		Bytes    int64      `json:"bytes"`
		Due      *time.Time `json:"due_at,omitempty"`
	} `json:"trash"`
}

func (c *cleaning) view() cleaningView {
	v := cleaningView{DryRun: c.dryRun, Taken: []cleanedView{}, Kept: []cleanedView{}, Before: c.plan.Before, After: c.plan.After}
	of := func(s retention.Session, bytes int64, why ...string) cleanedView {
		one := cleanedView{ID: s.ID, Project: s.Project, Title: c.all[s.Project+"/"+s.ID].Metadata.Title, Bytes: bytes, Why: why}
		if !s.Begun.IsZero() {
			one.Begun = &s.Begun
		}
		if !s.Used.IsZero() {
			one.Used = &s.Used
		}
		return one
	}
	for _, t := range c.taken {
		v.Taken = append(v.Taken, of(t.Session, t.Frees, t.Why...))
	}
	for _, h := range c.kept {
		v.Kept = append(v.Kept, of(h.Session, 0, h.Why))
	}
	v.Emptied.Sessions, v.Emptied.Bytes = c.emptied.Sessions, c.emptied.Bytes
	v.Compressed.Sessions, v.Compressed.Before, v.Compressed.After = c.compressed.Sessions, c.compressed.Was, c.compressed.Is
	if v.Compressed.Sessions == nil {
		v.Compressed.Sessions = []string{}
	}
	v.Trash.Sessions, v.Trash.Bytes = c.trash.Sessions, c.trash.Bytes
	if !c.due.IsZero() {
		v.Trash.Due = &c.due
	}
	return v
}
