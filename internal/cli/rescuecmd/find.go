package rescuecmd

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"entire/internal/cli/cliui"
	"entire/internal/cli/sessionlib"
	"entire/internal/cli/workplace"
	"entire/internal/git"
	"entire/internal/rescue/gather"
	"entire/internal/rescue/versions"
	"entire/internal/term"
)

// found is everything that is known of the files.
type found struct {
	*gather.Collector
	repo  *git.Repo
	files map[string][]versions.Version // by path, oldest first
}

// Close frees what is kept aside.
func (f *found) Close() {
	if f.Collector != nil {
		f.Pool.Close()
	}
}

// withStore calls do with the sessions of the project, nil if there is no store.
func withStore(ctx context.Context, env *cliui.Env, do func(*sessionlib.Library) error) error {
	opened := false
	err := sessionlib.WithLibrary(ctx, env, func(l *sessionlib.Library) error {
		opened = true
		return do(l)
	})
	if !opened {
		return do(nil)
	}
	return err
}

// homeNamed returns another home directory, such as one from a backup.
func homeNamed(env *cliui.Env, name string) (string, error) {
	homes, err := formerFolders(env, []string{name})
	if err == nil && !cliui.IsDir(homes[0]) {
		err = cliui.Failf("name a home directory, or a copy of one", "there is no folder %s", cliui.ShownName(homes[0]))
	}
	if err != nil {
		return "", err
	}
	return homes[0], nil
}

// find gathers the evidence, and puts the versions together.
func find(ctx context.Context, env *cliui.Env, wp *workplace.Workplace, o filesOptions) (*found, error) {
	paths, err := workplace.RepoPaths(env, wp, o.paths)
	if err != nil {
		return nil, err
	}
	former, err := formerFolders(env, o.former)
	if err != nil {
		return nil, err
	}
	say := newSpeaker(env)
	defer say.done()
	home := env.Home()
	if o.home != "" {
		if home, err = homeNamed(env, o.home); err != nil {
			return nil, err
		}
	}
	f := &found{repo: wp.Repo, files: map[string][]versions.Version{}}
	err = withStore(ctx, env, func(l *sessionlib.Library) error {
		h, err := historiesOf(ctx, env, wp.Repo, home, former, say.tell)
		if err != nil {
			return err
		}
		if l != nil {
			if err := h.addStored(ctx, l); err != nil {
				h.notes = append(h.notes, "the store of sessions could not be read: "+err.Error())
			}
		}
		f.Collector = gather.New(ctx, gather.Where{Repo: wp.Repo, Former: h.former, Home: home, Environ: env.Environ, Paths: paths,
			Transcripts: h.transcripts, Now: env.Now(), Progress: say.tell})
		f.Notes = h.notes
		if l == nil {
			return f.All(ctx)
		}
		return l.Hold(func() error { return f.All(ctx) })
	})
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("gather what is left of the files: %w", err)
	}
	say.tell("versions")
	for _, p := range slices.Sorted(maps.Keys(f.Evidence)) {
		list, err := versions.Build(f.Evidence[p], f.Pool)
		if err != nil {
			f.Close()
			return nil, fmt.Errorf("put the versions of %s together: %w", cliui.ShownName(p), err)
		}
		f.files[p] = list
	}
	return f, nil
}

// formerFolders returns the folders in which the worktree was, as whole paths.
func formerFolders(env *cliui.Env, names []string) ([]string, error) {
	var out []string
	for _, name := range names {
		if rest, ok := strings.CutPrefix(name, "~/"); ok {
			name = filepath.Join(env.Home(), rest)
		}
		name, err := env.Abs(name)
		if err != nil {
			return nil, err
		}
		out = append(out, filepath.Clean(name))
	}
	return out, nil
}

// present returns what the worktree has of the files now.
func (f *found) present(ctx context.Context, paths []string) map[string]versions.Present {
	out, standing := map[string]versions.Present{}, []string{}
	for _, p := range paths {
		now := versions.Present{Listed: f.Listed[p].OID != ""}
		info, err := os.Lstat(filepath.Join(f.repo.Top, filepath.FromSlash(p)))
		if now.Exists = err == nil; now.Exists && info.Mode().IsRegular() {
			now.Empty = info.Size() == 0
			if raw, err := f.repo.RawOID(filepath.Join(f.repo.Top, filepath.FromSlash(p))); err == nil {
				now.Hashes = append(now.Hashes, versions.Hash(raw.String()))
			}
			if !strings.ContainsAny(p, "\n\r\"") {
				standing = append(standing, p)
			}
		}
		out[p] = now
	}
	if len(standing) == 0 {
		return out
	}
	text, err := f.repo.RunInput(ctx, []byte(strings.Join(standing, "\n")+"\n"), "hash-object", "--stdin-paths")
	if lines := strings.Fields(string(text)); err == nil && len(lines) == len(standing) {
		for i, p := range standing {
			now := out[p]
			now.Hashes = append(now.Hashes, versions.Hash(lines[i]))
			out[p] = now
		}
	}
	return out
}

// moved returns a function that reports whether a content is in the worktree under another name.
func (f *found) moved(ctx context.Context) func(versions.Hash) bool {
	there := map[versions.Hash]bool{}
	for p, l := range f.Listed {
		if _, err := os.Lstat(filepath.Join(f.repo.Top, filepath.FromSlash(p))); err == nil {
			there[versions.Hash(l.OID)] = true
		}
	}
	bySize := map[int64][]string{}
	if text, err := f.repo.Run(ctx, "ls-files", "-z", "--others", "--exclude-standard"); err == nil {
		names := strings.Split(string(text), "\x00")
		for _, p := range names[:min(len(names), 50_000)] {
			if info, err := os.Lstat(filepath.Join(f.repo.Top, filepath.FromSlash(p))); err == nil && p != "" && info.Mode().IsRegular() && !gather.IsBackup(path.Base(p)) {
				bySize[info.Size()] = append(bySize[info.Size()], filepath.Join(f.repo.Top, filepath.FromSlash(p)))
			}
		}
	}
	return func(h versions.Hash) bool {
		if there[h] {
			return true
		}
		content, err := f.Pool.Get(h)
		if err != nil || len(content) == 0 {
			return false
		}
		for _, file := range bySize[int64(len(content))] {
			if oid, err := f.repo.RawOID(file); err == nil && versions.Hash(oid.String()) == h {
				return true
			}
		}
		return false
	}
}

// inIgnoredFolder reports which of the files are in folders that git ignores, such as those of installed packages.
func (f *found) inIgnoredFolder(ctx context.Context, paths []string) map[string]bool {
	folders := map[string]bool{}
	for _, p := range paths {
		for dir := path.Dir(p); dir != "."; dir = path.Dir(dir) {
			folders[dir+"/"] = true
		}
	}
	ignored, err := f.repo.Ignored(ctx, slices.Sorted(maps.Keys(folders)))
	out := map[string]bool{}
	for _, p := range paths {
		for dir := path.Dir(p); err == nil && dir != "."; dir = path.Dir(dir) {
			out[p] = out[p] || ignored[dir+"/"] || ignored[dir]
		}
	}
	return out
}

// speaker tells a person at a terminal what is being read.
type speaker struct {
	env     *cliui.Env
	shown   bool // there is a person, at a terminal that can be drawn on
	next    time.Time
	written bool
}

func newSpeaker(env *cliui.Env) *speaker {
	return &speaker{env: env, shown: term.IsTerminal(env.Err) && env.Draws(), next: env.Now().Add(time.Second)}
}

// tell says what is being read, after a second and then now and again.
func (s *speaker) tell(what string) {
	if now := s.env.Now(); s.shown && now.After(s.next) {
		s.next, s.written = now.Add(200*time.Millisecond), true
		fmt.Fprintf(s.env.Redrawn(), "\r\x1b[K%s …", cliui.ShownLine("looking at "+what))
	}
}

func (s *speaker) done() {
	if s.written {
		fmt.Fprint(s.env.Redrawn(), "\r\x1b[K")
	}
}
