package git

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"entire/internal/durable"
	"entire/internal/git/object"
	"entire/internal/git/store"
)

// errIndexLocked is returned by SetIndex while another git holds the index.
var errIndexLocked = errors.New("the index is locked")

// indexTries bounds how often a locked index is tried again; with the pauses, this takes
// two seconds.
const indexTries = 40

// plainIndex is configuration that keeps a temporary index in one file and its writing
// without side effects.
var plainIndex = []string{"-c", "core.splitIndex=false", "-c", "index.sparse=false", "-c", "core.untrackedCache=false", "-c", "core.fsmonitor=false"}

// CommitEdits runs `git commit` as the user would: with their hooks, their signature and
// their identity, on the current HEAD. It commits the user's index with edits applied, in
// a temporary index; it does not write the user's index. Hooks see extra in their
// environment. If git or a hook refuses, it returns an [*ExitError].
func (r *Repo) CommitEdits(ctx context.Context, message string, edits []store.Edit, extra ...string) error {
	dir, done, err := r.Scratch("commit")
	if err != nil {
		return fmt.Errorf("commit: %w", err)
	}
	defer done()
	index, text := filepath.Join(dir, "index"), filepath.Join(dir, "message")
	if err := os.WriteFile(text, []byte(message), 0o600); err != nil {
		return fmt.Errorf("commit: %w", err)
	}
	if err := r.seedIndex(ctx, index, edits); err != nil {
		return fmt.Errorf("commit: %w", err)
	}
	if err := r.SyncPending(); err != nil {
		return fmt.Errorf("commit: %w", err)
	}
	cmd := store.Command{Dir: r.Dir(), Env: slices.Concat(r.UserEnv, []string{"GIT_INDEX_FILE=" + index, "GIT_EDITOR=:", "GIT_TERMINAL_PROMPT=0"}, extra), Apart: true}.
		Cmd(ctx)
	// Only options that keep git's maintenance out of a hook: the user's hooks inherit the
	// options on this command line.
	args := []string{"commit", "-q", "--cleanup=whitespace", "-F", text}
	cmd.Args = append([]string{"git", "-c", "gc.auto=0", "-c", "maintenance.auto=false"}, args...)
	// A file, because a hook may start a process that holds a pipe open.
	said, err := os.Create(filepath.Join(dir, "said"))
	if err != nil {
		return fmt.Errorf("commit: %w", err)
	}
	defer said.Close()
	cmd.Stdout, cmd.Stderr = said, said
	err = cmd.Run()
	heard, _ := os.ReadFile(said.Name())
	return store.WrapExit(ctx, err, args, string(heard[:min(len(heard), saidMax)]))
}

// saidMax bounds how much output of git and the hooks is kept.
const saidMax = 16 << 10

// seedIndex copies the user's index, with git's cached data about the files, and applies
// edits.
func (r *Repo) seedIndex(ctx context.Context, index string, edits []store.Edit) error {
	c := r.Command(nil)
	c.Flags, c.Env = plainIndex, append(slices.Clip(c.Env), "GIT_INDEX_FILE="+index)
	data, err := os.ReadFile(r.indexPath())
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if _, err := c.Output(ctx, "read-tree", "HEAD"); err != nil {
			return err
		}
	case err != nil:
		return err
	default:
		if err := os.WriteFile(index, data, 0o600); err != nil {
			return err
		}
	}
	c.Stdin = strings.NewReader(r.indexInfo(edits))
	_, err = c.Output(ctx, "update-index", "--add", "--replace", "-z", "--index-info")
	return err
}

func (r *Repo) indexPath() string { return filepath.Join(r.GitDir, "index") }

// IndexLocked reports whether another git is writing the user's index.
func (r *Repo) IndexLocked() bool {
	_, err := os.Lstat(r.indexPath() + ".lock")
	return err == nil
}

// indexInfo returns the input of `update-index --index-info`: removals first, so that a
// file can replace a folder.
func (r *Repo) indexInfo(edits []store.Edit) string {
	var b strings.Builder
	for _, e := range edits {
		if e.Mode == 0 {
			fmt.Fprintf(&b, "0 %s\t%s\x00", r.HexOrZeros(object.OID{}), e.Path)
		}
	}
	for _, e := range edits {
		if e.Mode != 0 {
			b.WriteString(strconv.FormatUint(uint64(e.Mode), 8))
			fmt.Fprintf(&b, " %s\t%s\x00", e.OID, e.Path)
		}
	}
	return b.String()
}

// SetIndex sets or removes entries of the user's index and keeps all others. For files
// that equal their new entry, it refreshes git's cached data, so that the next status does
// not read them again. While another git holds the index it waits for a short time, then
// returns errIndexLocked.
func (r *Repo) SetIndex(ctx context.Context, edits []store.Edit) error {
	if len(edits) == 0 {
		return nil
	}
	for try := 0; ; try++ {
		c := r.Command(strings.NewReader(r.indexInfo(edits)))
		c.Apart = true // a git that is killed here would leave its lock on the user's index
		_, err := c.Output(ctx, "update-index", "--add", "--replace", "-z", "--index-info")
		if err == nil {
			r.refreshEntries(ctx, edits)
			return nil
		}
		switch {
		case !strings.Contains(err.Error(), "index.lock"):
			return fmt.Errorf("update the index: %w", err)
		case try >= indexTries:
			return fmt.Errorf("update the index: %w", errIndexLocked)
		}
		if err := durable.Pause(ctx, 50*time.Millisecond); err != nil {
			return err
		}
	}
}

// refreshEntries makes git note that the files equal their entries. This only makes the
// next status faster, so it ignores errors.
func (r *Repo) refreshEntries(ctx context.Context, edits []store.Edit) {
	var list strings.Builder
	for _, e := range edits {
		if e.Mode != 0 {
			list.WriteString(e.Path + "\x00")
		}
	}
	if list.Len() == 0 {
		return
	}
	c := r.Command(strings.NewReader(list.String()))
	c.Apart = true
	_, _ = c.Output(ctx, "add", "--refresh", "--pathspec-from-file=-", "--pathspec-file-nul")
}

// Favour says which side a merge chooses where both changed the same lines.
type Favour bool

// The values of Favour.
const (
	NoConflicts Favour = false // neither side: the merge is not clean
	Theirs      Favour = true  // their side
)

// MergeBlobs merges two descendants of a file's content and stores the result. clean is
// false if they cannot be merged: both changed the same lines, or the content is binary.
func (r *Repo) MergeBlobs(ctx context.Context, base, ours, theirs object.OID, favour Favour) (merged object.OID, clean bool, err error) {
	dir, done, err := r.Scratch("merge")
	if err != nil {
		return object.OID{}, false, fmt.Errorf("merge: %w", err)
	}
	defer done()
	for name, oid := range map[string]object.OID{"base": base, "ours": ours, "theirs": theirs} {
		data, err := r.Reader(ctx).Blob(oid)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), data, 0o600)
		}
		if err != nil {
			return object.OID{}, false, fmt.Errorf("merge: %w", err)
		}
	}
	args := []string{"merge-file", "-p", "-q"}
	if favour == Theirs {
		args = append(args, "--theirs")
	}
	for _, name := range []string{"ours", "base", "theirs"} {
		args = append(args, filepath.Join(dir, name))
	}
	out, err := r.Run(ctx, args...)
	var exit *store.ExitError
	if errors.As(err, &exit) {
		return object.OID{}, false, nil
	}
	if err != nil {
		return object.OID{}, false, err
	}
	if merged, err = r.Writer().Blob(out); err == nil {
		err = r.SyncPending() // for a later merge or git to read
	}
	return merged, err == nil, err
}
