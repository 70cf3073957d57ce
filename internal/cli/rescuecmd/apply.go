package rescuecmd

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"entire/internal/cli/cliui"
	"entire/internal/cli/rewindlib"
	"entire/internal/cli/workplace"
	"entire/internal/git"
	"entire/internal/rescue/versions"
	"entire/internal/term"
	"entire/strategy/rewind"
	"entire/strategy/sessionstate"
)

// applyPlan writes the files that are known whole into the worktree, as a rewind does.
func applyPlan(ctx context.Context, env *cliui.Env, wp *workplace.Workplace, f *found, plan *filesPlan, o filesOptions) error {
	whole := plan.whole()
	if len(whole) == 0 {
		if o.json {
			return env.PrintJSON(plan.view())
		}
		text, err := plan.text(ctx, env, f, false, false)
		if err != nil {
			return err
		}
		_, err = fmt.Fprint(env.Out, text)
		return err
	}
	if o.apply && !o.json {
		text, err := plan.text(ctx, env, f, o.diff, false)
		if err != nil {
			return err
		}
		fmt.Fprint(env.Err, text)
	}
	if err := agreed(ctx, env, o.yes, len(whole)); err != nil {
		return err
	}
	contents, err := store(ctx, f, wp.Repo, whole)
	if err != nil {
		return err
	}
	var none *rewind.Plan
	_, done, err := rewind.RewindNow(ctx, wp.Engine, func() (*rewind.Plan, error) {
		p, err := rewind.PlanFiles(ctx, wp.Engine, contents)
		if err == nil && len(p.Changes) == 0 {
			none = p
			return nil, cliui.ErrTold
		}
		return p, err
	})
	view := plan.view()
	var kept []sessionstate.KeptFile
	switch {
	case none != nil: // keep an empty rewind out of the log
		kept = none.Kept
	case err != nil:
		return rewindlib.PlanAgain(err)
	default:
		view.Written, view.Saved, kept = done.Written, done.SafetyID, done.Kept
	}
	for _, k := range kept {
		view.Kept = append(view.Kept, keptView{Path: k.Path, Why: k.Why})
	}
	if o.json {
		return env.PrintJSON(view)
	}
	return report(env, view)
}

// agreed asks a person, unless nobody is at the terminal or yes is set.
func agreed(ctx context.Context, env *cliui.Env, yes bool, n int) error {
	t := env.Terminal()
	if yes || !t.Interactive {
		return nil
	}
	answer, err := t.ConfirmSafe(ctx, fmt.Sprintf("Write %s into the worktree?", cliui.Count(n, "file")), "Nothing will be lost: the present is saved first, and `entire undo` brings it back.")
	if errors.Is(err, term.ErrCancelled) || err == nil && !answer {
		fmt.Fprintln(env.Err, "Nothing was changed.")
		return cliui.ErrTold
	}
	return err
}

// store writes the contents into the repository, from where they are placed.
func store(ctx context.Context, f *found, repo *git.Repo, files []plannedFile) (map[string]rewind.FileContent, error) {
	filtered, err := filteredPaths(ctx, repo, files)
	if err != nil {
		return nil, err
	}
	out := map[string]rewind.FileContent{}
	for _, one := range files {
		content, err := f.Pool.Get(one.version.Content)
		if err != nil {
			return nil, fmt.Errorf("read the version of %s: %w", cliui.ShownName(one.path), err)
		}
		oid, err := repo.Writer().Blob(content)
		if err != nil {
			return nil, fmt.Errorf("store the version of %s: %w", cliui.ShownName(one.path), err)
		}
		c := rewind.FileContent{Mode: one.mode, Blob: oid}
		if !one.version.Filtered && one.version.Sure == versions.Exact && (filtered[one.path] || bytes.ContainsRune(content, '\r')) {
			c.Bytes = oid
			if c.Blob, err = asGitStores(ctx, repo, one.path, content); err != nil {
				return nil, fmt.Errorf("store the version of %s: %w", cliui.ShownName(one.path), err)
			}
		}
		out[one.path] = c
	}
	return out, repo.Writer().Sync()
}

// asGitStores stores a file's content as git's filters make it.
func asGitStores(ctx context.Context, repo *git.Repo, path string, content []byte) (git.OID, error) {
	out, err := repo.RunInput(ctx, content, "hash-object", "-w", "--stdin", "--path="+path)
	if err != nil {
		return git.OID{}, err
	}
	return git.ParseOID(strings.TrimSpace(string(out)))
}

// filteredPaths returns the files for which the repository names a filter or an encoding.
func filteredPaths(ctx context.Context, repo *git.Repo, files []plannedFile) (map[string]bool, error) {
	var in strings.Builder
	for _, f := range files {
		in.WriteString(f.path + "\x00")
	}
	out, err := repo.RunInput(ctx, []byte(in.String()), "check-attr", "-z", "--stdin", "filter", "ident", "working-tree-encoding")
	if err != nil {
		return nil, fmt.Errorf("ask git for the attributes of the files: %w", err)
	}
	filtered := map[string]bool{}
	words := strings.Split(string(out), "\x00")
	for i := 0; i+2 < len(words); i += 3 {
		if value := words[i+2]; value != "unspecified" && value != "unset" {
			filtered[words[i]] = true
		}
	}
	return filtered, nil
}

// report says what was written.
func report(env *cliui.Env, view planView) error {
	for _, k := range view.Kept {
		fmt.Fprintf(env.Err, "not written: %s: %s (--out DIR writes it beside)\n", cliui.ShownName(k.Path), cliui.ShownLine(k.Why))
	}
	if len(view.Written) == 0 {
		_, err := fmt.Fprintln(env.Out, "No file was written.")
		return err
	}
	fmt.Fprintf(env.Out, "Brought back %s.\n", cliui.Count(len(view.Written), "file"))
	if view.Saved == "" {
		return nil
	}
	_, err := fmt.Fprintf(env.Out, "The present was saved as %s. To undo this: entire undo\n", cliui.ShortID(view.Saved))
	return err
}
