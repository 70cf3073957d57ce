package rescuecmd

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"entire/internal/cli/cliui"
	"entire/internal/git"
	"entire/internal/rescue/versions"
)

// writeBeside writes the plan's files into a folder of their own. It replaces nothing: the folder is new or empty, and
// no link in it is followed.
func writeBeside(ctx context.Context, env *cliui.Env, f *found, plan *filesPlan, o filesOptions) error {
	dirs, err := formerFolders(env, []string{o.out})
	if err != nil {
		return err
	}
	dir := dirs[0]
	root, err := openEmpty(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	view := plan.view()
	view.Dir = dir
	for _, one := range plan.files {
		if err := ctx.Err(); err != nil {
			return err
		}
		name := one.path
		if one.version.Sure == versions.Partial {
			name += ".partial"
		}
		if err := writeNew(root, name, one.version.Content, one.mode, f); err != nil {
			return fmt.Errorf("write %s below %s: %w", cliui.ShownName(one.path), cliui.ShownName(dir), err)
		}
		view.Written = append(view.Written, name)
	}
	for _, n := range plan.nameless {
		name := "unnamed/" + n.At.UTC().Format("20060102-150405") + "-" + string(n.Content)[:12]
		if err := writeNew(root, name, n.Content, git.ModeFile, f); err != nil {
			return fmt.Errorf("write %s below %s: %w", name, cliui.ShownName(dir), err)
		}
		view.Written = append(view.Written, name)
	}
	if o.json {
		return env.PrintJSON(view)
	}
	text, err := plan.text(ctx, env, f, o.diff, false)
	if err != nil {
		return err
	}
	fmt.Fprint(env.Err, text)
	_, err = fmt.Fprintf(env.Out, "Wrote %s into %s. The worktree is as it was.\n", cliui.Count(len(view.Written), "file"), cliui.ShownName(dir))
	return err
}

// openEmpty opens a folder, and makes it if it is not there.
func openEmpty(dir string) (*os.Root, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("make the folder for the files: %w", err)
	}
	inside, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("look into the folder for the files: %w", err)
	}
	if len(inside) > 0 {
		return nil, cliui.Failf("name a folder that is new or empty", "%s has files, and none of them is replaced", cliui.ShownName(dir))
	}
	return os.OpenRoot(dir)
}

// writeNew writes a file that is not there yet.
func writeNew(root *os.Root, name string, hash versions.Hash, mode uint32, f *found) error {
	content, err := f.Pool.Get(hash)
	if err != nil {
		return err
	}
	name = filepath.FromSlash(name)
	if dir := path.Dir(filepath.ToSlash(name)); dir != "." {
		if err := root.MkdirAll(filepath.FromSlash(dir), 0o755); err != nil {
			return err
		}
	}
	perm := fs.FileMode(0o644)
	if mode == git.ModeExec {
		perm = 0o755
	}
	file, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return err
	}
	_, err = file.Write(content)
	return errors.Join(err, file.Close())
}
