package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"entire/internal/git/object"
	"entire/internal/git/store"
)

// Ignored returns which of paths the present worktree's rules ignore. A tracked file is
// not ignored. A path that git refuses to judge, because it is beyond a symbolic link, in
// a submodule or in a nested repository, counts as ignored, because the repository does
// not contain it.
func (r *Repo) Ignored(ctx context.Context, paths []string) (map[string]bool, error) {
	ignored := make(map[string]bool)
	foreign := map[string]bool{"": false}
	var ask []string
	for _, p := range paths {
		if dir, _, nested := object.CutLast(p); nested && r.foreign(dir, foreign) {
			ignored[p] = true
		} else {
			ask = append(ask, p)
		}
	}
	return ignored, checkIgnore(ctx, r.Command(nil), ask, ignored)
}

// foreign reports whether a folder is, or is below, a symbolic link or another repository;
// known caches the answers.
func (r *Repo) foreign(dir string, known map[string]bool) bool {
	if answer, ok := known[dir]; ok {
		return answer
	}
	above, _, _ := object.CutLast(dir)
	answer := r.foreign(above, known)
	if !answer {
		full := filepath.Join(r.Top, filepath.FromSlash(dir))
		fi, err := os.Lstat(full)
		switch {
		case err != nil:
		case fi.Mode()&fs.ModeSymlink != 0:
			answer = true
		case fi.IsDir():
			_, err := os.Lstat(filepath.Join(full, ".git"))
			answer = err == nil
		}
	}
	known[dir] = answer
	return answer
}

// IgnoredIn returns which of paths the rules of tree ignore: its .gitignore files above
// them, info/exclude and the user's excludes file. It does not consult the index: a
// tracked path that matches a rule is ignored here.
func (r *Repo) IgnoredIn(ctx context.Context, tree object.OID, paths []string) (map[string]bool, error) {
	ignored := make(map[string]bool)
	if len(paths) == 0 {
		return ignored, nil
	}
	top, done, err := r.Scratch("ignore")
	if err != nil {
		return nil, fmt.Errorf("check ignore rules: %w", err)
	}
	defer done()
	if err := r.layOut(ctx, tree, paths, ".gitignore", top); err != nil {
		return nil, fmt.Errorf("check ignore rules of %s: %w", tree.Short(), err)
	}
	c := r.Command(nil)
	c.Dir = top
	c.Env = append(append([]string{}, c.Env...), "GIT_DIR="+r.GitDir, "GIT_WORK_TREE="+top)
	return ignored, checkIgnore(ctx, c, paths, ignored, "--no-index")
}

// layOut writes tree's files called name above paths below top, as stored.
func (r *Repo) layOut(ctx context.Context, tree object.OID, paths []string, name, top string) error {
	files, err := r.onTheWay(ctx, tree, paths, name)
	if err != nil {
		return err
	}
	specs := make([]string, len(files))
	for i, f := range files {
		specs[i] = f.OID.String()
	}
	blobs, err := r.Reader(ctx).Objects(specs...)
	if err != nil {
		return err
	}
	for i, f := range files {
		if blobs[i].Type != "blob" {
			return fmt.Errorf("read %q: %w", object.Clip(f.Path), object.ErrMissing)
		}
		if err := object.PossiblePath(f.Path); err != nil {
			return err
		}
		to := filepath.Join(top, filepath.FromSlash(f.Path))
		if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
			return err
		}
		if err := os.WriteFile(to, blobs[i].Data, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// refusals are parts of the message with which git ends at a path that it refuses to
// judge.
var refusals = []string{"beyond a symbolic link", "in submodule", "outside repository"}

// checkIgnore runs git check-ignore and notes the ignored paths. Git ends at the first
// path that it refuses to judge: that one is noted as ignored and the rest is asked again.
func checkIgnore(ctx context.Context, c store.Command, paths []string, ignored map[string]bool, flags ...string) error {
	args := append([]string{"check-ignore", "-z", "-v", "-n", "--stdin"}, flags...)
	// This command knows no literal pathspecs; `./` in front makes each one so.
	c.Env = append(slices.Clone(c.Env), "GIT_LITERAL_PATHSPECS=0")
	for len(paths) > 0 {
		c.Stdin = strings.NewReader("./" + strings.Join(paths, "\x00./") + "\x00")
		out, err := c.Output(ctx, args...)
		n, perr := noteIgnored(out, paths, ignored)
		if perr != nil {
			return perr
		}
		paths = paths[n:]
		var exit *store.ExitError
		switch {
		case (err == nil || errors.As(err, &exit) && exit.Code == 1) && len(paths) == 0:
		case err == nil:
			return fmt.Errorf("check ignore rules: git left out %d paths", len(paths))
		case exit == nil || len(paths) == 0 || !slices.ContainsFunc(refusals, func(s string) bool { return strings.Contains(exit.Stderr, s) }):
			return fmt.Errorf("check ignore rules: %w", err)
		default:
			ignored[paths[0]], paths = true, paths[1:]
		}
	}
	return nil
}

// noteIgnored parses records of source, line, pattern and path, one for each of paths; n
// is the number of complete ones. A pattern that begins with `!` means that the path is
// not ignored.
func noteIgnored(out []byte, paths []string, ignored map[string]bool) (n int, err error) {
	fields := bytes.Split(out, []byte{0})
	for ; len(fields) > 4; fields = fields[4:] {
		if n >= len(paths) || string(fields[3]) != "./"+paths[n] {
			return n, fmt.Errorf("check ignore rules: git answered for %q", object.Clip(string(fields[3])))
		}
		if pattern := fields[2]; len(pattern) > 0 && pattern[0] != '!' {
			ignored[paths[n]] = true
		}
		n++
	}
	return n, nil
}
