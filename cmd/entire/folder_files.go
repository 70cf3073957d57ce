package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"entire/agent"
	"entire/internal/durable"
	"entire/internal/git"
	"entire/internal/project"
	"entire/internal/single"
	"entire/strategy/engine"
)

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

// errFolderTooLarge is returned for a folder that is too large to keep its files.
var errFolderTooLarge = fmt.Errorf("it has more than %d files that no .gitignore leaves out", folderFilesMax)

// errNothingKept is returned for a folder in which no turn has ended yet.
var errNothingKept = errors.New("nothing is kept of this folder's files yet")

// openFolder opens the kept files of the folder top. If there are none yet, create begins them;
// without create that is errNothingKept.
func (w *world) openFolder(ctx context.Context, top string, create bool) (*workplace, error) {
	data := w.dataDir()
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
	ident, err := find(ctx, top, w.environ)
	if err != nil {
		return nil, err
	}
	gitDir, there, err := folderRepo(ident.Dir(data), top)
	if err != nil {
		return nil, err
	}
	if !there && !create {
		return nil, errNothingKept
	}
	if err := git.CreateApart(gitDir); err != nil {
		return nil, err
	}
	in := *w
	in.environ = git.ApartEnviron(w.environ, gitDir, top)
	wp, settingsErr, err := in.openAt(ctx, top)
	if err != nil {
		return nil, err
	}
	if settingsErr != nil {
		wp.log.Warn("settings not understood", "err", settingsErr)
	}
	wp.ident = &ident
	if !there {
		if err := beginFolder(ctx, wp, gitDir, top); err != nil {
			wp.close()
			return nil, errors.Join(err, os.RemoveAll(gitDir))
		}
	}
	return wp, nil
}

// beginFolder checks that a folder is within the limits. It returns errFolderTooLarge otherwise.
func beginFolder(ctx context.Context, wp *workplace, gitDir, top string) error {
	skipped := filepath.Join(filepath.Dir(gitDir), folderSkippedName)
	limited, cancel := context.WithTimeout(ctx, folderLookLimit)
	defer cancel()
	st, err := wp.repo.Status(limited)
	if limited.Err() != nil || err == nil && len(st.Entries) > folderFilesMax {
		return errors.Join(errFolderTooLarge, durable.WriteFile(skipped, []byte(errFolderTooLarge.Error()+"\n"), 0o600))
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

// folderSkipped returns why a folder's files are not kept, "" if they are.
func (w *world) folderSkipped(ctx context.Context, top string) string {
	data := w.dataDir()
	ident, err := project.Find(ctx, top, w.environ)
	if err != nil || data == "" {
		return ""
	}
	text, err := os.ReadFile(filepath.Join(ident.Dir(data), folderSkippedName))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(text))
}

// identity returns the project of the workplace.
func (wp *workplace) identity(ctx context.Context) project.Identity {
	if wp.ident != nil {
		return *wp.ident
	}
	return project.InRepo(ctx, wp.repo)
}

// folderPoints opens the current folder for the commands about points, if it is outside git;
// otherwise top is "".
func (w *world) folderPoints(ctx context.Context) (wp *workplace, top string, err error) {
	top, err = w.folderHere(ctx)
	if err != nil || top == "" {
		return nil, "", err
	}
	wp, err = w.openFolder(ctx, top, false)
	if errors.Is(err, errNothingKept) {
		hint := "the end of a turn that changed a file makes a point"
		if why := w.folderSkipped(ctx, top); why != "" {
			return nil, top, failf("list in a .gitignore what need not be kept", "the files of %s are not kept: %s", top, why)
		}
		return nil, top, failf(hint, "%w", err)
	}
	if err == nil {
		w.recover(ctx, wp)
	}
	return wp, top, err
}

// handleInFolder keeps a folder's files at an event of its agent. It returns nil if they are not
// kept, and logs errors: the conversation is kept anyway.
func (h *hookRun) handleInFolder(ctx context.Context, ev agent.Event, top string, f *storeFeed) *workplace {
	if ev.Type != agent.SessionStart && h.folderSkipped(ctx, top) != "" {
		return nil // the next session start checks again
	}
	single.All()
	ctx, stop := h.interruptible(ctx) // an interrupted hook must not leave a half-made repository
	defer stop()
	limited, cancel := context.WithTimeout(ctx, hookLimit/2)
	defer cancel()
	wp, err := h.openFolder(limited, top, true)
	if err != nil {
		f.log.Warn("the folder's files are not kept", "err", err)
		return nil
	}
	wp.redact, wp.engine.ReadWithin = f.Redact, hookLimit/4
	if _, err := engine.Handle(limited, wp.engine, ev); err != nil {
		f.log.Warn("no point was made of the folder's files", "session_id", ev.SessionID.String(), "err", err)
	}
	if ev.TranscriptPath == "" {
		f.OwnTranscript = wp.engine.OwnTranscript(ev.SessionID)
	}
	return wp
}
