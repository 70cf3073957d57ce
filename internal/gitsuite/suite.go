//go:build unix

package main

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"time"
)

//go:embed git.sh
var gitScript []byte

//go:embed control.sh
var controlScript []byte

// limit is how long one script may take.
const limit = 15 * time.Minute

// hookNames are the hooks that `entire enable` installs.
var hookNames = []string{"prepare-commit-msg", "commit-msg", "post-commit", "pre-push"}

// A suite is the folder with what the scripts are run with.
type suite struct {
	source  string // git's tree
	git     string // the git under test
	version string
	work    string
	kit     string // has entire, the hooks, and in "git" the wrapper
}

func newSuite(ctx context.Context, o options) (*suite, error) {
	if o.source == "" {
		return nil, errors.New("name git's source tree with -source; internal/gitsuite/source.sh makes one")
	}
	s := &suite{}
	for _, p := range []struct{ to, from *string }{{&s.source, &o.source}, {&s.work, &o.work}, {&o.bin, &o.bin}} {
		path, err := absolute(*p.from)
		if err != nil {
			return nil, err
		}
		*p.to = path
	}
	var err error
	if s.git, err = exec.LookPath("git"); err != nil {
		return nil, err
	}
	if s.version, err = version(ctx, s.git); err != nil {
		return nil, err
	}
	theirs, err := version(ctx, filepath.Join(s.source, "git"))
	if err != nil {
		return nil, fmt.Errorf("%s is not built: %w", s.source, err)
	}
	if theirs != s.version {
		return nil, fmt.Errorf("git on PATH is %s and the tests are of %s: take the same", s.version, theirs)
	}
	s.kit = filepath.Join(s.work, "kit")
	return s, s.makeKit(ctx, o.bin)
}

// makeKit writes the wrapper, and takes the hooks from repositories that the program itself has set up.
func (s *suite) makeKit(ctx context.Context, bin string) error {
	for _, dir := range []string{"git", "home"} {
		if err := os.MkdirAll(filepath.Join(s.kit, dir), 0o755); err != nil {
			return err
		}
	}
	if err := os.Symlink(bin, filepath.Join(s.kit, "entire")); err != nil {
		return err
	}
	if err := os.Symlink(bin, filepath.Join(s.kit, "git", "entire")); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(s.kit, "git", "git"), gitScript, 0o755); err != nil {
		return err
	}
	for _, kind := range []string{"plain", "chained"} {
		if err := s.takeHooks(ctx, kind); err != nil {
			return err
		}
		for _, mode := range []string{"branch", "trailer"} {
			if err := s.writeControl(mode, kind); err != nil {
				return err
			}
		}
	}
	return nil
}

// takeHooks enables Entire in a repository, with hooks of its own for "chained", and keeps the hooks.
func (s *suite) takeHooks(ctx context.Context, kind string) error {
	repo, out := filepath.Join(s.kit, "repo-"+kind), filepath.Join(s.kit, "hooks", kind)
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	if err := s.command(ctx, "", s.git, "init", "-q", repo); err != nil {
		return err
	}
	from := filepath.Join(repo, ".git", "hooks")
	if kind == "chained" {
		for _, name := range hookNames {
			if err := os.WriteFile(filepath.Join(from, name), []byte("#!/bin/sh\n"), 0o755); err != nil {
				return err
			}
		}
	}
	if err := s.command(ctx, repo, filepath.Join(s.kit, "entire"), "enable", "--agent", "generic"); err != nil {
		return err
	}
	for _, name := range hookNames {
		text, err := os.ReadFile(filepath.Join(from, name))
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(out, name), text, 0o755); err != nil {
			return err
		}
	}
	return nil
}

// writeControl writes the hooks of a control: they do nothing, or add a trailer.
func (s *suite) writeControl(mode, kind string) error {
	out := filepath.Join(s.kit, mode, kind)
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	for _, name := range hookNames {
		text := "#!/bin/sh\n"
		if name == hookNames[0] && mode == "trailer" {
			text = string(controlScript)
		}
		if kind == "chained" {
			text += fmt.Sprintf("if [ -x \"${0%%/*}/%s.pre-entire\" ]; then exec \"${0%%/*}/%[1]s.pre-entire\" \"$@\"; fi\n", name)
		}
		if err := os.WriteFile(filepath.Join(out, name), []byte(text), 0o755); err != nil {
			return err
		}
	}
	return nil
}

func (s *suite) command(ctx context.Context, dir string, words ...string) error {
	cmd := exec.CommandContext(ctx, words[0], words[1:]...)
	home := filepath.Join(s.kit, "home")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "HOME="+home, "XDG_DATA_HOME="+home, "XDG_CACHE_HOME="+home, "XDG_CONFIG_HOME="+home)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%v: %w\n%s", words, err, out)
	}
	return nil
}

// runAll runs the scripts in one mode, some at a time.
func (s *suite) runAll(ctx context.Context, mode string, names []string, workers int) *outcome {
	o := &outcome{mode: mode, results: map[test]string{}}
	next := make(chan string)
	var mu sync.Mutex
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for name := range next {
				begun := time.Now()
				results, problem := s.runScript(ctx, mode, name)
				mu.Lock()
				o.add(name, results, problem)
				fmt.Fprintf(os.Stderr, "%-8s %-50s %3d tests %6.1f s %s\n", mode, name, len(results), time.Since(begun).Seconds(), problem)
				mu.Unlock()
			}
		})
	}
	for _, name := range names {
		if ctx.Err() == nil {
			next <- name
		}
	}
	close(next)
	wg.Wait()
	return o
}
