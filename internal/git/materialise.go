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
	"strings"
)

// File is one file of a tree: its path, mode and blob.
type File struct {
	Path string
	Mode uint32
	OID  OID
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
	msg := fmt.Sprintf("write %q: %s", clip(paths[0]), e.Reasons[paths[0]])
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
func (r *Repo) Materialise(ctx context.Context, tree OID, files []File, dir string) error {
	failed := &StageError{Reasons: map[string]string{}}
	possible := make([]File, 0, len(files))
	for _, f := range files {
		if f.Mode != ModeFile && f.Mode != ModeExec && f.Mode != ModeSymlink || f.OID.IsZero() {
			return fmt.Errorf("write %q: mode %o is not a file", clip(f.Path), f.Mode)
		}
		if err := possiblePath(f.Path); err != nil {
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

// possiblePath returns an error for a path that no file can have, on this or any system.
func possiblePath(path string) error {
	if err := ValidPath(path); err != nil {
		return err
	}
	if !filepath.IsLocal(filepath.FromSlash(path)) {
		return errors.New("is not possible on this system")
	}
	return nil
}

func (r *Repo) stage(ctx context.Context, tree OID, files []File, dir string, failed *StageError) error {
	if err := r.syncPending(); err != nil {
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
	c.env = append(c.env, "GIT_INDEX_FILE="+indexFile)
	defer os.Remove(indexFile)
	var in bytes.Buffer
	for _, f := range append(index, files...) { // a requested file replaces an attribute file of the same path
		fmt.Fprintf(&in, "%o %s\t%s\x00", f.Mode, f.OID, f.Path)
	}
	c.stdin = &in
	if _, err := c.output(ctx, "update-index", "-z", "--index-info"); err != nil {
		return err
	}
	return c.checkout(ctx, files, failed)
}

// stageCommand returns a git command whose worktree is dir: `checkout-index` reads the
// attribute files of the worktree before those of its index, and dir has none. Filters
// still run where they would run otherwise.
func (r *Repo) stageCommand(ctx context.Context, dir string) (command, error) {
	env := append(append([]string{}, r.env...), "GIT_DIR="+r.GitDir, "GIT_WORK_TREE="+dir)
	c := command{dir: dir, env: env, flags: sandboxConfig}
	if r.Top == "" {
		return c, nil
	}
	filters, err := r.configMatching(ctx, `^filter\..*\.(smudge|process)$`)
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
	c.env = append(withConfig(c.env, overrides), "ENTIRE_TOP="+r.Top)
	return c, nil
}

// checkout writes files from the index. Git ends at the first file that it cannot write:
// that one is set aside and the rest is requested again.
func (c command) checkout(ctx context.Context, files []File, failed *StageError) error {
	for try := 0; len(files) > 0; try++ {
		var in bytes.Buffer
		for _, f := range files {
			in.WriteString(f.Path + "\x00")
		}
		c.stdin = &in
		_, err := c.output(ctx, "checkout-index", "-z", "--stdin")
		if ctx.Err() != nil {
			return err
		}
		var exit *ExitError
		if err != nil && !(errors.As(err, &exit) && exit.Code > 0) {
			return err // git was killed, and a file may be incomplete
		}
		if files = c.unwritten(files); len(files) == 0 {
			return err
		}
		if err == nil {
			return fmt.Errorf("%d files were not written", len(files))
		}
		reason := exit.reason()
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
func (c command) unwritten(files []File) []File {
	var rest []File
	for _, f := range files {
		if _, err := os.Lstat(filepath.Join(c.dir, filepath.FromSlash(f.Path))); errors.Is(err, fs.ErrNotExist) {
			rest = append(rest, f)
		}
	}
	return rest
}

// attributeFiles returns the .gitattributes of tree in every folder above files.
func (r *Repo) attributeFiles(ctx context.Context, tree OID, files []File) ([]File, error) {
	paths := make([]string, len(files))
	for i, f := range files {
		paths[i] = f.Path
	}
	return r.onTheWay(ctx, tree, paths, ".gitattributes")
}

// onTheWay returns the regular files called name in tree's folders above paths, with one
// round trip for each level.
func (r *Repo) onTheWay(ctx context.Context, tree OID, paths []string, name string) ([]File, error) {
	root := &editNode{base: tree}
	for _, p := range paths {
		if dir, _, nested := cutLast(p); nested {
			root.add(&Edit{Path: dir})
		}
	}
	type folder struct {
		prefix string
		node   *editNode
	}
	var found []File
	for level := []folder{{"", root}}; len(level) > 0; {
		oids := make([]OID, len(level))
		for i, f := range level {
			oids[i] = f.node.base
		}
		trees, err := r.Reader(ctx).Trees(oids...)
		if err != nil {
			return nil, err
		}
		var next []folder
		for i, f := range level {
			for _, e := range trees[i] {
				switch child := f.node.children[e.Name]; {
				case e.Name == name && (e.Mode == ModeFile || e.Mode == ModeExec):
					found = append(found, File{Path: f.prefix + name, Mode: e.Mode, OID: e.OID})
				case child != nil && e.Mode == ModeTree:
					child.base = e.OID
					next = append(next, folder{f.prefix + e.Name + "/", child})
				}
			}
		}
		level = next
	}
	return found, nil
}

// cutLast splits path at its last slash; nested is false without one.
func cutLast(path string) (dir, base string, nested bool) {
	i := strings.LastIndexByte(path, '/')
	if i < 0 {
		return "", path, false
	}
	return path[:i], path[i+1:], true
}
