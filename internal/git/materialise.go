package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sort"

	"entire/internal/git/object"
	"entire/internal/git/process"
	"entire/internal/git/store"
)

// File is one file of a tree: its path, mode and blob.
type File struct {
	Path string
	Mode uint32
	OID  object.OID
}

// StageError names the files that [Repo.Materialise] could not write, and why. All other
// files are written.
type StageError struct {
	Reasons map[string]string // by path
}

func (e *StageError) Error() string {
	paths := make([]string, 0, len(e.Reasons))
	for p := range e.Reasons {
		paths = append(paths, p)
	}
	sort.Strings(paths)
	msg := fmt.Sprintf("write %q: %s", object.Clip(paths[0]), e.Reasons[paths[0]])
	if len(paths) > 1 {
		msg += fmt.Sprintf(" (and %d more)", len(paths)-1)
	}
	return msg
}

// stageTries bounds how many bad files are found one by one before the rest is given up.
const stageTries = 8

// sandboxConfig keeps a temporary index free of side effects and of losing entries to a
// sparse checkout, and keeps files in the requested order.
var sandboxConfig = []string{
	"-c", "core.sparseCheckout=false", "-c", "index.sparse=false", "-c", "core.splitIndex=false",
	"-c", "core.untrackedCache=false", "-c", "core.fsmonitor=false", "-c", "checkout.workers=1",
}

// Materialise writes files (regular, executable, symbolic links) below dir, at their own
// paths and through git's smudge filters, with the attributes of tree (and
// info/attributes, and the user's). dir is an absolute path; it is created, and should be
// empty. The user's index and worktree stay unchanged; filters run in the worktree, as
// always.
//
// A submodule among files is an error before anything is written. A file that cannot be
// written, or whose required filter does not run, is named in a [*StageError]; the others
// are written.
func (r *Repo) Materialise(ctx context.Context, tree object.OID, files []File, dir string) error {
	failed := &StageError{Reasons: map[string]string{}}
	possible := make([]File, 0, len(files))
	for _, f := range files {
		if f.Mode != object.ModeFile && f.Mode != object.ModeExec && f.Mode != object.ModeSymlink || f.OID.IsZero() {
			return fmt.Errorf("write %q: mode %o is not a file", object.Clip(f.Path), f.Mode)
		}
		if err := object.PossiblePath(f.Path); err != nil {
			failed.Reasons[f.Path] = err.Error()
			continue
		}
		possible = append(possible, f)
	}
	if err := os.MkdirAll(dir, 0o750); err != nil {
		return fmt.Errorf("stage files: %w", err)
	}
	if len(possible) > 0 {
		if err := r.stage(ctx, tree, possible, dir, failed); err != nil {
			return fmt.Errorf("stage files: %w", err)
		}
	}
	if len(failed.Reasons) > 0 {
		return failed
	}
	return nil
}

func (r *Repo) stage(ctx context.Context, tree object.OID, files []File, dir string, failed *StageError) error {
	if err := r.SyncPending(); err != nil {
		return err
	}
	index, err := r.attributeFiles(ctx, tree, files)
	if err != nil {
		return err
	}
	c, err := r.stageCommand(ctx, dir)
	if err != nil {
		return err
	}
	indexFile := dir + ".index"
	c.Env = append(c.Env, "GIT_INDEX_FILE="+indexFile)
	defer os.Remove(indexFile)
	var in bytes.Buffer
	for _, f := range append(index, files...) { // a requested file replaces an attribute file of the same path
		fmt.Fprintf(&in, "%o %s\t%s\x00", f.Mode, f.OID, f.Path)
	}
	c.Stdin = &in
	if _, err := c.Output(ctx, "update-index", "-z", "--index-info"); err != nil {
		return err
	}
	return checkout(ctx, c, files, failed)
}

// stageCommand returns a git command whose worktree is dir: `checkout-index` reads the
// attribute files of the worktree before those of its index, and dir has none. Filters
// still run where they would run otherwise.
func (r *Repo) stageCommand(ctx context.Context, dir string) (store.Command, error) {
	env := append(append([]string{}, r.Env...), "GIT_DIR="+r.GitDir, "GIT_WORK_TREE="+dir)
	c := store.Command{Dir: dir, Env: env, Flags: sandboxConfig}
	if r.Top == "" {
		return c, nil
	}
	filters, err := r.ConfigMatching(ctx, `^filter\..*\.(smudge|process)$`)
	if err != nil {
		return c, err
	}
	home := `cd "$ENTIRE_TOP" || exit; unset GIT_INDEX_FILE; GIT_WORK_TREE=$ENTIRE_TOP; `
	overrides := map[string]string{}
	for key, cmd := range filters {
		if cmd != "" {
			overrides[key] = home + cmd
		}
	}
	c.Env = append(process.WithConfig(c.Env, overrides), "ENTIRE_TOP="+r.Top)
	return c, nil
}

// checkout writes files from the index. Git ends at the first file that it cannot write:
// that one is set aside and the rest is requested again.
func checkout(ctx context.Context, c store.Command, files []File, failed *StageError) error {
	for try := 0; len(files) > 0; try++ {
		var in bytes.Buffer
		for _, f := range files {
			in.WriteString(f.Path + "\x00")
		}
		c.Stdin = &in
		_, err := c.Output(ctx, "checkout-index", "-z", "--stdin")
		if ctx.Err() != nil {
			return err
		}
		var exit *store.ExitError
		if err != nil && !(errors.As(err, &exit) && exit.Code > 0) {
			return err // git was killed, and a file may be incomplete
		}
		if files = unwritten(c, files); len(files) == 0 {
			return err
		}
		if err == nil {
			return fmt.Errorf("%d files were not written", len(files))
		}
		reason := exit.Reason()
		if try >= stageTries {
			for _, f := range files {
				failed.Reasons[f.Path] = reason
			}
			return nil
		}
		failed.Reasons[files[0].Path] = reason
		files = files[1:]
	}
	return nil
}

// unwritten returns the files that do not exist yet, in order.
func unwritten(c store.Command, files []File) []File {
	var rest []File
	for _, f := range files {
		if _, err := os.Lstat(filepath.Join(c.Dir, filepath.FromSlash(f.Path))); errors.Is(err, fs.ErrNotExist) {
			rest = append(rest, f)
		}
	}
	return rest
}

// attributeFiles returns the .gitattributes of tree in every folder above files.
func (r *Repo) attributeFiles(ctx context.Context, tree object.OID, files []File) ([]File, error) {
	paths := make([]string, len(files))
	for i, f := range files {
		paths[i] = f.Path
	}
	return r.onTheWay(ctx, tree, paths, ".gitattributes")
}

// onTheWay returns the regular files called name in tree's folders above paths, with one
// round trip for each level.
func (r *Repo) onTheWay(ctx context.Context, tree object.OID, paths []string, name string) ([]File, error) {
	root := &store.EditNode{Base: tree}
	for _, p := range paths {
		if dir, _, nested := object.CutLast(p); nested {
			root.Add(&store.Edit{Path: dir})
		}
	}
	type folder struct {
		prefix string
		node   *store.EditNode
	}
	var found []File
	for level := []folder{{"", root}}; len(level) > 0; {
		oids := make([]object.OID, len(level))
		for i, f := range level {
			oids[i] = f.node.Base
		}
		trees, err := r.Reader(ctx).Trees(oids...)
		if err != nil {
			return nil, err
		}
		var next []folder
		for i, f := range level {
			for _, e := range trees[i] {
				switch child := f.node.Children[e.Name]; {
				case e.Name == name && (e.Mode == object.ModeFile || e.Mode == object.ModeExec):
					found = append(found, File{Path: f.prefix + name, Mode: e.Mode, OID: e.OID})
				case child != nil && e.Mode == object.ModeTree:
					child.Base = e.OID
					next = append(next, folder{f.prefix + e.Name + "/", child})
				}
			}
		}
		level = next
	}
	return found, nil
}
