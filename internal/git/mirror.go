package git

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"entire/internal/durable"
	"entire/internal/git/object"
	"entire/internal/git/process"
	"entire/internal/git/store"
)

// A Mirror is a repository without a worktree's files that follows some refs of another one. It is a cache: nothing in
// it is anybody's only copy, so it may be deleted at any time.
type Mirror struct {
	Repo *Repo
	URL  string

	// User and Password are sent to a server of the web; both "" for none. They reach neither a command line nor a disk.
	User, Password string
}

// mirrorRemote names the other repository in the commands of a Mirror.
const mirrorRemote = "origin"

// OpenMirror opens the mirror in dir, which it makes if there is none. It must be closed.
func OpenMirror(ctx context.Context, dir string, environ []string) (*Repo, error) {
	gitDir := filepath.Join(dir, ".git")
	if _, err := os.Lstat(filepath.Join(gitDir, "HEAD")); errors.Is(err, os.ErrNotExist) {
		if err := createMirror(gitDir); err != nil {
			return nil, fmt.Errorf("make the mirror %s: %w", dir, err)
		}
	}
	return Discover(ctx, dir, environ)
}

// createMirror writes an empty repository; its HEAD comes last, so that what is half made is made again.
func createMirror(gitDir string) error {
	for _, sub := range []string{"objects/info", "objects/pack", "refs/heads"} {
		if err := os.MkdirAll(filepath.Join(gitDir, filepath.FromSlash(sub)), 0o700); err != nil {
			return err
		}
	}
	files := [][2]string{
		{"config", "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n\tlogallrefupdates = false\n[gc]\n\tauto = 0\n"},
		{"HEAD", "ref: refs/heads/none\n"},
	}
	for _, f := range files {
		if err := durable.WriteFile(filepath.Join(gitDir, f[0]), []byte(f[1]), 0o600); err != nil {
			return err
		}
	}
	return nil
}

// RemoveMirror removes the mirror in dir.
func RemoveMirror(dir string) error {
	return os.RemoveAll(filepath.Join(dir, ".git"))
}

// Fetch makes the refs that the patterns name (such as refs/heads/x or refs/heads/*) equal to those of the URL: moved,
// also backwards, added and removed. It leaves out the contents of files where the server can do that; Files gets them.
func (m *Mirror) Fetch(ctx context.Context, patterns ...string) error {
	args := []string{"--prune", "--filter=blob:none", mirrorRemote}
	for _, p := range patterns {
		args = append(args, "+"+p+":"+p)
	}
	return m.fetch(ctx, nil, args...)
}

// Files fetches the contents of files that the mirror does not have.
func (m *Mirror) Files(ctx context.Context, oids []object.OID) error {
	missing, err := m.missing(ctx, oids)
	if err != nil || len(missing) == 0 {
		return err
	}
	const most = 20_000 // in one request: git needs more time for each where there are many
	for some := range slices.Chunk(missing, most) {
		var names strings.Builder
		for _, oid := range some {
			names.WriteString(oid.String() + "\n")
		}
		if err := m.fetch(ctx, []byte(names.String()), "--filter=blob:none", "--stdin", mirrorRemote); err != nil {
			return err
		}
	}
	return nil
}

// missing returns those of oids that the mirror does not have, each once. All names of its objects are listed: git looks
// for an object that is not there much longer than for one that is.
func (m *Mirror) missing(ctx context.Context, oids []object.OID) ([]object.OID, error) {
	if len(oids) == 0 {
		return nil, nil
	}
	wanted := make(map[object.OID]bool, len(oids))
	for _, oid := range oids {
		wanted[oid] = true
	}
	here := &lineWriter{each: func(line []byte) error {
		oid, err := object.ParseOID(string(line))
		delete(wanted, oid)
		return err
	}}
	args := []string{"cat-file", "--batch-all-objects", "--batch-check=%(objectname)", "--unordered", "--buffer"}
	cmd := m.Repo.Command(nil).Cmd(ctx, args...)
	var stderr strings.Builder
	cmd.Stdout, cmd.Stderr = here, &stderr
	if err := store.WrapExit(ctx, cmd.Run(), args, stderr.String()); err != nil {
		return nil, fmt.Errorf("find missing files: %w", err)
	}
	var missing []object.OID
	for _, oid := range oids {
		if wanted[oid] {
			delete(wanted, oid)
			missing = append(missing, oid)
		}
	}
	return missing, nil
}

// A lineWriter calls each for every line that is written to it.
type lineWriter struct {
	each func(line []byte) error
	rest []byte
}

func (w *lineWriter) Write(p []byte) (int, error) {
	data := p
	if len(w.rest) > 0 {
		data = append(w.rest, p...)
	}
	for {
		line, rest, found := bytes.Cut(data, []byte("\n"))
		if !found {
			break
		}
		if err := w.each(line); err != nil {
			return 0, err
		}
		data = rest
	}
	w.rest = append(w.rest[:0:0], data...)
	return len(p), nil
}

// Reachable reports whether the other repository answers: if it does and Fetch fails all the same, the mirror is damaged.
func (m *Mirror) Reachable(ctx context.Context) bool {
	return m.run(ctx, nil, "ls-remote", "--quiet", mirrorRemote, "refs/none") == nil
}

// fetch runs git fetch.
func (m *Mirror) fetch(ctx context.Context, stdin []byte, args ...string) error {
	return m.run(ctx, stdin, slices.Concat([]string{"fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules", "--no-auto-maintenance", "--refmap="}, args)...)
}

// run runs a command that uses the network. That the mirror lacks files on purpose is said to this command only: for every other one a
// file that is not here is missing, and nothing is fetched behind its back.
func (m *Mirror) run(ctx context.Context, stdin []byte, args ...string) error {
	n := m.Repo.Network()
	env, err := n.env(ctx, m.URL)
	if err != nil {
		return err
	}
	config := map[string]string{
		"remote." + mirrorRemote + ".url":                m.URL,
		"remote." + mirrorRemote + ".promisor":           "true",
		"remote." + mirrorRemote + ".partialclonefilter": "blob:none",
		"fetch.negotiationAlgorithm":                     "skipping",
	}
	if stdin != nil {
		config["fetch.negotiationAlgorithm"] = "noop" // the commits are here, their files are not
	}
	if m.User != "" || m.Password != "" {
		config["http."+m.URL+".extraHeader"] = "Authorization: Basic " + base64.StdEncoding.EncodeToString([]byte(m.User+":"+m.Password))
	}
	c := store.Command{Dir: m.Repo.Dir(), Env: process.WithConfig(env, config), Flags: slices.Concat(quietConfig, store.DurableConfig)}
	return m.finish(ctx, c.Cmd(ctx, args...), args, stdin)
}
