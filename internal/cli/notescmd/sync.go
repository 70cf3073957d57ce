package notescmd

import (
	"context"
	"fmt"
	"strings"

	"entire/internal/cli/cliui"
	"entire/internal/cli/ownerlib"
	"entire/internal/cli/workplace"
	"entire/internal/formats"
	"entire/internal/git"
	"entire/internal/lineage"
	"entire/internal/notes"
)

type syncOptions struct {
	ref       string
	dry, json bool
}

// syncView is what sync did; its JSON form is what --json prints.
type syncView struct {
	Ref     string   `json:"ref"`
	DryRun  bool     `json:"dry_run"`
	Commits int      `json:"commits"`
	Written []string `json:"written"`
	Renewed []string `json:"renewed"`
	Same    []string `json:"unchanged"`
	Foreign []string `json:"foreign"`              // notes of other programs, left as they are
	Left    []string `json:"left_paths,omitempty"` // paths that a note cannot hold
}

func runSync(ctx context.Context, env *cliui.Env, name string, o syncOptions) error {
	if err := checkRef(o.ref); err != nil {
		return err
	}
	wp, err := workplace.OpenWithoutRecovery(ctx, env)
	if err != nil {
		return err
	}
	defer wp.Close()
	v := syncView{Ref: o.ref, DryRun: o.dry}
	var wanted []notes.Wanted
	show, done := env.Progress()
	err = ownerlib.Commits(ctx, wp, name, func(n, total int) { show("commits", n, total) }, func(c git.Commit, files []lineage.ChangedFile) error {
		v.Commits++
		note, left := formats.Note(c, files)
		v.Left = append(v.Left, left...)
		if note == nil {
			return nil
		}
		text, err := note.Encode(formats.Lengths(files))
		if err != nil {
			return fmt.Errorf("this is a bug: the note of %s would be invalid: %w", c.OID.Short(), err)
		}
		wanted = append(wanted, notes.Wanted{Commit: c.OID, Text: text})
		return nil
	})
	done()
	if err != nil {
		return err
	}
	synced, err := notes.Sync(ctx, wp.Repo, o.ref, wanted, env.Now(), o.dry)
	if err != nil {
		return err
	}
	v.Written, v.Renewed, v.Same, v.Foreign = names(synced.Written), names(synced.Renewed), names(synced.Same), names(synced.Foreign)
	if o.json {
		return env.PrintJSON(v)
	}
	v.tell(env)
	return nil
}

func names(list []git.OID) []string {
	out := []string{}
	for _, oid := range list {
		out = append(out, oid.String())
	}
	return out
}

func (v syncView) tell(env *cliui.Env) {
	for _, path := range v.Left {
		fmt.Fprintf(env.Err, "warning: left out %s: a note cannot hold its path\n", cliui.ShownName(path))
	}
	var parts []string
	add := func(n int, what string) {
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%s %s", cliui.Count(n, "note"), what))
		}
	}
	add(len(v.Written), "written")
	add(len(v.Renewed), "renewed")
	add(len(v.Same), "already there")
	add(len(v.Foreign), "of another program left as "+map[bool]string{true: "it is", false: "they are"}[len(v.Foreign) == 1])
	text := strings.Join(parts, ", ")
	if text == "" {
		text = "no agent's lines, so no note"
	}
	if v.DryRun {
		text = "not written, only tried: " + text
	}
	fmt.Fprintf(env.Out, "%s in %s: %s.\n", cliui.Count(v.Commits, "commit"), v.Ref, text)
	if !v.DryRun && len(v.Written)+len(v.Renewed) > 0 {
		fmt.Fprintf(env.Out, "`git push origin %s` sends them; they name sessions and models, and hold no prompt.\n", v.Ref)
	}
}
