package git

import (
	"bytes"
	"context"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"entire/internal/git/object"
	"entire/internal/git/store"
)

// Status is what differs between HEAD, the index and the worktree.
type Status struct {
	Head    object.OID // zero on an unborn branch
	Branch  string     // short name; "" when detached
	Entries []StatusEntry
	Nested  []string // untracked nested repositories, without the trailing slash; their content is not recorded

	// Unstorable are paths that differ and that no tree can hold (see [ValidPath]), such
	// as `git~1`: git lists them, and refuses to add them.
	Unstorable []string

	// Closed are the folders that git could not open, "." for the top: it skips the
	// untracked files in them.
	Closed []ClosedFolder
}

// ClosedFolder is a folder that git could not open, with the reason.
type ClosedFolder struct {
	Path   string
	Why    string
	Denied bool // for lack of permission, which lasts
}

// StatusEntry is one path that differs. Path is relative to the top, with
// forward slashes, in the exact bytes git uses.
type StatusEntry struct {
	Path      string
	HeadMode  uint32 // 0 when not in HEAD
	HeadOID   object.OID
	IndexMode uint32 // 0 when not in the index
	IndexOID  object.OID
	WorkMode  uint32 // 0 if git saw no file, and for untracked files
	Untracked bool
	Unmerged  bool
	Submodule bool
	Ignored   bool // git does not list it by default: see [Repo.Matching]

	// AsIndex says that the worktree's file equals the index's.
	AsIndex bool
}

// StatusProcess is a running `git status`.
type StatusProcess struct {
	done chan struct{}
	st   *Status
	err  error
}

// StartStatus starts `git status` in the background, so that other work can be done
// meanwhile. The caller must call Wait.
func (r *Repo) StartStatus(ctx context.Context) *StatusProcess {
	p := &StatusProcess{done: make(chan struct{})}
	go func() {
		defer close(p.done)
		p.st, p.err = r.runStatus(ctx, r.untrackedMode(ctx))
	}()
	return p
}

// Wait waits for git and returns the status.
func (p *StatusProcess) Wait() (*Status, error) {
	<-p.done
	return p.st, p.err
}

// runStatus runs `git status` with untracked files in the given mode; the answer is the same in each.
func (r *Repo) runStatus(ctx context.Context, mode string) (*Status, error) {
	out, warned, err := r.Command(nil).Outputs(ctx, "--no-optional-locks", "status", "--porcelain=v2", "-z", "--branch", "--no-ahead-behind",
		"--untracked-files="+mode, "--no-renames", "--ignore-submodules=dirty")
	if err != nil {
		return nil, fmt.Errorf("read status: %w", err)
	}
	st, err := parseStatus(out)
	if err != nil {
		return nil, err
	}
	st.Closed = closedFolders(warned)
	if mode != "all" {
		err = r.openFolders(ctx, st)
	}
	if own := r.FoldersInWorktree(); len(own) > 0 {
		st.Entries = slices.DeleteFunc(st.Entries, func(e StatusEntry) bool {
			return e.Untracked && slices.ContainsFunc(own, func(dir string) bool { return strings.HasPrefix(e.Path, dir) })
		})
	}
	return st, err
}

// FoldersInWorktree returns the repository's own folders that are in the worktree under another name than .git, with a
// final slash: `git status` takes them for the user's.
func (r *Repo) FoldersInWorktree() (own []string) {
	for _, dir := range []string{r.GitDir, r.CommonDir} {
		rel, err := filepath.Rel(r.Dir(), dir)
		if rel = filepath.ToSlash(rel); err == nil && filepath.IsLocal(rel) && rel != "." && rel != ".git" && !strings.HasPrefix(rel, ".git/") {
			own = append(own, rel+"/")
		}
	}
	return own
}

// closedFolders parses git's warnings, which are not translated.
func closedFolders(warned string) (closed []ClosedFolder) {
	for line := range strings.Lines(warned) {
		rest, ok := strings.CutPrefix(strings.TrimSpace(line), "warning: could not open directory '")
		at := strings.LastIndex(rest, "': ")
		if !ok || at < 0 {
			continue
		}
		why := rest[at+len("': "):]
		closed = append(closed, ClosedFolder{Path: path.Clean(rest[:at]), Why: why, Denied: why == "Permission denied"})
	}
	return closed
}

// Status returns what differs from HEAD. It does not refresh the user's index.
func (r *Repo) Status(ctx context.Context) (*Status, error) {
	return r.StartStatus(ctx).Wait()
}

// parseStatus parses the output of `git status --porcelain=v2 -z --branch`. It skips
// unknown types of records, as git's documentation asks.
func parseStatus(out []byte) (*Status, error) {
	st := &Status{}
	for len(out) > 0 {
		rec, rest, ok := bytes.Cut(out, []byte{0})
		if !ok {
			return nil, fmt.Errorf("read status: record %q is not terminated", object.Clip(string(rec)))
		}
		out = rest
		if len(rec) < 2 {
			continue
		}
		line := string(rec)
		var err error
		switch line[0] {
		case '#':
			err = st.header(line)
		case '1':
			err = st.changed(line)
		case '2':
			// Renames are turned off; a git that sends one adds the old path after it.
			if _, out, ok = bytes.Cut(out, []byte{0}); !ok {
				err = fmt.Errorf("rename without a source")
			}
		case 'u':
			err = st.unmerged(line)
		case '?':
			st.untracked(line[2:])
		}
		if err != nil {
			return nil, fmt.Errorf("read status: record %q: %w", object.Clip(line), err)
		}
	}
	st.dropPhantoms()
	return st, nil
}

func (st *Status) header(line string) error {
	name, value, _ := strings.Cut(strings.TrimPrefix(line, "# "), " ")
	switch name {
	case "branch.oid":
		if value == "(initial)" {
			return nil
		}
		oid, err := object.ParseOID(value)
		st.Head = oid
		return err
	case "branch.head":
		if value != "(detached)" && value != "(null)" { // or no branch
			st.Branch = value
		}
	}
	return nil
}

func (st *Status) untracked(path string) {
	if nested, ok := strings.CutSuffix(path, "/"); ok {
		st.Nested = append(st.Nested, nested)
		return
	}
	st.add(StatusEntry{Path: path, Untracked: true})
}

func (st *Status) add(e StatusEntry) {
	if object.ValidPath(e.Path) != nil {
		st.Unstorable = append(st.Unstorable, e.Path)
		return
	}
	st.Entries = append(st.Entries, e)
}

// changed parses `1 XY sub mH mI mW hH hI path`.
func (st *Status) changed(line string) error {
	f := strings.SplitN(line, " ", 9)
	if len(f) != 9 {
		return fmt.Errorf("want 9 fields, have %d", len(f))
	}
	e := StatusEntry{Path: f[8], Submodule: f[2] != "" && f[2][0] == 'S', AsIndex: len(f[1]) == 2 && f[1][1] == '.'}
	var err [5]error
	e.HeadMode, err[0] = parseMode(f[3])
	e.IndexMode, err[1] = parseMode(f[4])
	e.WorkMode, err[2] = parseMode(f[5])
	e.HeadOID, err[3] = object.ParseOID(f[6])
	e.IndexOID, err[4] = object.ParseOID(f[7])
	st.add(e)
	return store.FirstError(err[:])
}

// unmerged parses `u XY sub m1 m2 m3 mW h1 h2 h3 path`; "ours" is HEAD's side.
func (st *Status) unmerged(line string) error {
	f := strings.SplitN(line, " ", 11)
	if len(f) != 11 {
		return fmt.Errorf("want 11 fields, have %d", len(f))
	}
	e := StatusEntry{Path: f[10], Unmerged: true, Submodule: f[2] != "" && f[2][0] == 'S'}
	var err [3]error
	e.HeadMode, err[0] = parseMode(f[4])
	e.WorkMode, err[1] = parseMode(f[6])
	e.HeadOID, err[2] = object.ParseOID(f[8])
	st.add(e)
	return store.FirstError(err[:])
}

func parseMode(s string) (uint32, error) {
	v, err := strconv.ParseUint(s, 8, 32)
	return uint32(v), err
}
