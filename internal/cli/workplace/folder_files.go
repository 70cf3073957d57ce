package workplace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"entire/internal/cli/cliui"
	"entire/internal/durable"
	"entire/internal/git"
	"entire/internal/project"
)

// NeedGitHint is the hint for what a folder outside git cannot have.
const NeedGitHint = "`git init` makes this a repository, and `entire enable` then continues from here"

// FolderHere returns the folder outside git that contains the current directory and was set up;
// "" in a repository, or if nothing was set up.
func FolderHere(ctx context.Context, env *cliui.Env) (string, error) {
	dir, err := env.Here()
	if err != nil {
		return "", err
	}
	p := FindPlace(dir)
	if !p.Folder {
		return "", nil
	}
	if outside, err := OutsideGit(ctx, env, dir); err != nil || !outside {
		return "", err
	}
	return p.Top, nil
}

func OutsideGit(ctx context.Context, env *cliui.Env, dir string) (bool, error) {
	repo, err := discover(ctx, env, dir)
	if errors.Is(err, git.ErrNotRepository) {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	return false, repo.Close()
}

// This file keeps the files of a folder outside git, so that the rewind commands work there as in a
// repository. A repository in the project's folder of the session store holds them; the folder
// itself has no part of it.

// Names in the project's folder of the data directory. They reach the disk.
const (
	folderFilesName   = "files.git"
	folderSkippedName = "files.skipped" // says why the files are not kept
)

// Limits of the folders whose files are kept.
const (
	folderFilesMax  = 20000
	folderLookLimit = 5 * time.Second
	folderCopiesMax = 20 // folders with the same key
)

// ErrFolderTooLarge is returned for a folder that is too large to keep its files.
var ErrFolderTooLarge = fmt.Errorf("it has more than %d files that no .gitignore leaves out", folderFilesMax)

// ErrNothingKept is returned for a folder in which no turn has ended yet.
var ErrNothingKept = errors.New("nothing is kept of this folder's files yet")

// OpenFolder opens the kept files of the folder top. If there are none yet, create begins them;
// without create that is ErrNothingKept.
func OpenFolder(ctx context.Context, env *cliui.Env, top string, create bool) (*Workplace, error) {
	data := DataDir(env)
	if data == "" {
		return nil, errors.New("no data directory: neither HOME nor XDG_DATA_HOME is set")
	}
	if real, err := filepath.EvalSymlinks(top); err == nil {
		top = real
	}
	find := project.Find
	if create {
		find = project.Key
	}
	ident, err := find(ctx, top, env.Environ)
	if err != nil {
		return nil, err
	}
	gitDir, there, err := folderRepo(ident.Dir(data), top)
	if err != nil {
		return nil, err
	}
	if !there && !create {
		return nil, ErrNothingKept
	}
	if err := git.CreateApart(gitDir); err != nil {
		return nil, err
	}
	in := *env
	in.Environ = git.ApartEnviron(env.Environ, gitDir, top)
	wp, settingsErr, err := OpenAt(ctx, &in, top)
	if err != nil {
		return nil, err
	}
	if settingsErr != nil {
		wp.Log.Warn("settings not understood", "err", settingsErr)
	}
	wp.ident = &ident
	if !there {
		if err := beginFolder(ctx, wp, gitDir, top); err != nil {
			wp.Close()
			return nil, errors.Join(err, os.RemoveAll(gitDir))
		}
	}
	return wp, nil
}

// beginFolder checks that a folder is within the limits. It returns ErrFolderTooLarge otherwise.
func beginFolder(ctx context.Context, wp *Workplace, gitDir, top string) error {
	skipped := filepath.Join(filepath.Dir(gitDir), folderSkippedName)
	limited, cancel := context.WithTimeout(ctx, folderLookLimit)
	defer cancel()
	st, err := wp.Repo.Status(limited)
	if limited.Err() != nil || err == nil && len(st.Entries) > folderFilesMax {
		return errors.Join(ErrFolderTooLarge, durable.WriteFile(skipped, []byte(ErrFolderTooLarge.Error()+"\n"), 0o600))
	}
	if err == nil {
		err = git.SetApartOf(gitDir, top)
	}
	return errors.Join(err, durable.Remove(skipped))
}

// folderRepo returns the repository that holds the files of the folder top. A copied folder,
// which has the same key, gets its own; a moved folder keeps its repository.
func folderRepo(dir, top string) (gitDir string, there bool, err error) {
	for n := 1; n <= folderCopiesMax; n++ {
		gitDir = filepath.Join(dir, folderFilesName)
		if n > 1 {
			gitDir = filepath.Join(dir, strings.Replace(folderFilesName, ".", fmt.Sprintf("-%d.", n), 1))
		}
		if _, err := os.Lstat(gitDir); errors.Is(err, fs.ErrNotExist) {
			return gitDir, false, nil
		} else if err != nil {
			return "", false, err
		}
		of, err := git.ApartOf(gitDir)
		switch {
		case err != nil:
			return "", false, err
		case of == top:
			return gitDir, true, nil
		case of == "" || !hasMarker(of):
			return gitDir, true, git.SetApartOf(gitDir, top)
		}
	}
	return "", false, fmt.Errorf("%s: more than %d folders have the same key", top, folderCopiesMax)
}

// hasMarker reports whether a folder that was set up still exists.
func hasMarker(top string) bool {
	_, err := os.Lstat(filepath.Join(top, ".entire", "project-id"))
	return err == nil
}

// FolderSkipped returns why a folder's files are not kept, "" if they are.
func FolderSkipped(ctx context.Context, env *cliui.Env, top string) string {
	data := DataDir(env)
	ident, err := project.Find(ctx, top, env.Environ)
	if err != nil || data == "" {
		return ""
	}
	text, err := durable.ReadOwn(filepath.Join(ident.Dir(data), folderSkippedName))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(text))
}

// identity returns the project of the workplace.
func (wp *Workplace) identity(ctx context.Context) project.Identity {
	if wp.ident != nil {
		return *wp.ident
	}
	return project.InRepo(ctx, wp.Repo)
}

// folderPoints opens the current folder for the commands about points, if it is outside git;
// otherwise top is "".
func folderPoints(ctx context.Context, env *cliui.Env) (wp *Workplace, top string, err error) {
	top, err = FolderHere(ctx, env)
	if err != nil || top == "" {
		return nil, "", err
	}
	wp, err = OpenFolder(ctx, env, top, false)
	if errors.Is(err, ErrNothingKept) {
		hint := "the end of a turn that changed a file makes a point"
		if why := FolderSkipped(ctx, env, top); why != "" {
			return nil, top, cliui.Failf("list in a .gitignore what need not be kept", "the files of %s are not kept: %s", top, why)
		}
		return nil, top, cliui.Failf(hint, "%w", err)
	}
	if err == nil {
		Recover(ctx, env, wp)
	}
	return wp, top, err
}
