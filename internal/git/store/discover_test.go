package store

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"entire/internal/git/object"
	"entire/internal/git/process"
	"entire/internal/testrepo"
)

func TestNativeDiscoveryAgreesWithGit(t *testing.T) {
	t.Parallel()
	for name, setup := range map[string]func(*testrepo.Repo) *testrepo.Repo{
		"ordinary":     func(r *testrepo.Repo) *testrepo.Repo { return r },
		"no file mode": func(r *testrepo.Repo) *testrepo.Repo { r.Git("config", "core.fileMode", "false"); return r },
		"linked":       func(r *testrepo.Repo) *testrepo.Repo { return r.Worktree("side") },
		"linked, with configuration of its own": func(r *testrepo.Repo) *testrepo.Repo {
			r.Git("config", "extensions.worktreeConfig", "true")
			side := r.Worktree("side")
			side.Git("config", "--worktree", "core.fileMode", "false")
			return side
		},
		"relative": func(r *testrepo.Repo) *testrepo.Repo {
			side := r.Worktree("side")
			rel := must[string](t)(filepath.Rel(side.Dir, r.Path(".git/worktrees/side")))
			side.Write(".git", "gitdir: "+filepath.ToSlash(rel)+"\n")
			return side
		},
		"detached": func(r *testrepo.Repo) *testrepo.Repo { r.Git("checkout", "-q", "--detach"); return r },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := setup(testrepo.New(t, base))
			for _, dir := range []string{".", "kept"} {
				native, known := discoverNative(r.In(dir).Dir)
				if !known || native == nil {
					t.Fatalf("from %s: not found natively", dir)
				}
				native.finish(process.ReadEnv(r.Env), nil)
				asked := must[*Repo](t)(discoverByGit(t.Context(), r.In(dir).Dir, process.ReadEnv(r.Env)))
				if native.Top != asked.Top || native.GitDir != asked.GitDir || native.CommonDir != asked.CommonDir ||
					native.FileMode != asked.FileMode || native.objects != asked.objects || native.Bare != asked.Bare || native.WorktreeID != asked.WorktreeID {
					t.Errorf("from %s: natively %+v, git says %+v", dir, native, asked)
				}
			}
		})
	}
}

func TestUnusualShapesAreLeftToGit(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name string
		make func(r *testrepo.Repo)
	}{
		{"extension", func(r *testrepo.Repo) { r.Git("config", "extensions.preciousObjects", "true") }},
		{"per worktree", func(r *testrepo.Repo) {
			r.Git("config", "extensions.worktreeConfig", "true")
			r.Git("config", "--worktree", "core.worktree", r.Dir)
		}},
		{"core.worktree", func(r *testrepo.Repo) { r.Git("config", "core.worktree", r.Dir) }},
		{"include", func(r *testrepo.Repo) { r.Git("config", "include.path", "more") }},
		{"shared", func(r *testrepo.Repo) { r.Git("config", "core.sharedRepository", "group") }},
		{"fileMode no", func(r *testrepo.Repo) { r.Git("config", "core.fileMode", "no") }},
		{"bare on the header's line", func(r *testrepo.Repo) { r.Write(".git/config", "[core \"x]\"]\n[core] bare = true\n") }},
		{"broken HEAD", func(r *testrepo.Repo) { r.Write(".git/HEAD", "") }},
		{"no refs", func(r *testrepo.Repo) { r.Remove(".git/refs") }},
		{"linked .git", func(r *testrepo.Repo) {
			ok(t, os.Rename(r.Path(".git"), r.Path("../real")))
			r.Symlink("../real", ".git")
		}},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			r := testrepo.New(t)
			row.make(r)
			if repo, known := discoverNative(r.Dir); known {
				t.Errorf("taken for ordinary: %+v", repo)
			}
		})
	}
}

func TestConfigThatLooksUnusualOnly(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name, config    string
		fileMode, known bool
	}{
		{"plain", "[core]\n\tfilemode = true\n\tbare = false\n", true, true},
		{"mode off", "[core]\n\tfileMode=false\n", false, true},
		{"a branch's name", "[branch \"worktree-bare\"]\n\tremote = origin\n", true, true},
		{"an alias", "[alias]\n\tx = !f() { [ bare = true ]; }; f\n", true, true},
		{"value on the header's line", "[core]filemode=false", false, true},
		{"bare", "[core]\n\tbare\n", true, false},
		{"worktree config, odd", "[extensions]\n\tworktreeConfig = true ; yes\n", true, false},
		{"worktree config", "[extensions]\n\tworktreeConfig = true\n[core]\n\trepositoryformatversion = 1\n", true, true},
		{"old extension", "[Extensions]\nobjectFormat = sha256\n", true, false},
		{"version 1", "[core]\n\trepositoryFormatVersion = 1\n", true, true},
		{"a version of the future", "[core]\n\trepositoryformatversion = 2\n", true, false},
		{"includeIf", "[includeIf \"gitdir:x\"]\npath = y\n", true, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			cfg := plainConfig{fileMode: true}
			if known := cfg.read(row.config) && !cfg.unusual; known != row.known || known && cfg.fileMode != row.fileMode {
				t.Errorf("%+v, known %t", cfg, known)
			}
		})
	}
}

func TestNotARepository(t *testing.T) {
	t.Parallel()
	home := testrepo.NewHome(t)
	plain := t.TempDir()
	for name, environ := range map[string][]string{
		"natively": testrepo.Environ(home),
		"by git":   append(testrepo.Environ(home), "GIT_CEILING_DIRECTORIES=/nowhere", "LC_ALL=de_DE.UTF-8", "LANGUAGE=de"),
		"GIT_DIR":  append(testrepo.Environ(home), "GIT_DIR="+plain),
	} {
		if _, err := Discover(t.Context(), plain, environ); !errors.Is(err, ErrNotRepository) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

func TestInsideTheGitDirectory(t *testing.T) {
	t.Parallel()
	r := testrepo.New(t)
	repo := open(t, r.In(".git/refs"))
	if repo.Top != "" || repo.GitDir != r.Path(".git") {
		t.Errorf("top %q, git dir %s", repo.Top, repo.GitDir)
	}
}

func TestForeignOwnerIsLeftToGit(t *testing.T) {
	t.Parallel()
	fi, err := os.Stat(string(filepath.Separator))
	ok(t, err)
	if got, want := process.OwnedByUs(fi), os.Geteuid() == 0; got != want {
		t.Errorf("root folder owned by us: %t, want %t", got, want)
	}
	r := testrepo.New(t)
	r.Git("config", "core.worktree", r.Dir) // git is asked
	r.Setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
	_, err = Discover(t.Context(), r.Dir, r.Env)
	if err == nil || errors.Is(err, ErrNotRepository) || !strings.Contains(err.Error(), "dubious ownership") {
		t.Errorf("error %v", err)
	}
}

// TestEnvironment checks what git exports to hooks and users set.
func TestEnvironment(t *testing.T) {
	t.Parallel()
	r := testrepo.New(t, base)
	side := r.Worktree("side")
	other := testrepo.New(t)
	sub := r.In("kept")
	for _, row := range []struct {
		name  string
		dir   string
		env   []string
		top   string
		index string
	}{
		{"nothing", sub.Dir, nil, r.Dir, ""},
		{"GIT_DIR wins", other.Dir, []string{"GIT_DIR=" + r.Path(".git"), "GIT_WORK_TREE=" + r.Dir}, "", ""},
		{"GIT_DIR and GIT_WORK_TREE", sub.Dir, []string{"GIT_DIR=../.git", "GIT_WORK_TREE=.."}, r.Dir, ""},
		{"hook in a linked worktree", side.Dir, []string{"GIT_DIR=" + side.GitPath("."), "GIT_INDEX_FILE=" + side.GitPath("index")}, side.Dir, side.GitPath("index")},
		{"relative index", r.Dir, []string{"GIT_INDEX_FILE=.git/index"}, r.Dir, r.Path(".git/index")},
		{"relative index is the top's", sub.Dir, []string{"GIT_INDEX_FILE=.git/index"}, r.Dir, r.Path(".git/index")},
		{"absolute index", r.Dir, []string{"GIT_INDEX_FILE=" + r.Path(".git/next-index-1.lock"), "GIT_PREFIX=kept/"}, r.Dir, r.Path(".git/next-index-1.lock")},
		{"empty variables", r.Dir, []string{"GIT_INDEX_FILE=", "GIT_CEILING_DIRECTORIES="}, r.Dir, ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			repo, err := Discover(t.Context(), row.dir, append(slices.Clone(r.Env), row.env...))
			ok(t, err)
			defer repo.Close()
			if repo.Top != row.top || repo.IndexFile != row.index {
				t.Errorf("top %q, index %q; want %q, %q", repo.Top, repo.IndexFile, row.top, row.index)
			}
			for _, kv := range repo.Env {
				if strings.HasPrefix(kv, "GIT_INDEX_FILE=") || strings.HasPrefix(kv, "GIT_PREFIX=") {
					t.Errorf("%s reaches our commands", kv)
				}
			}
			if repo.Top == r.Dir {
				got := must[[]byte](t)(repo.Run(t.Context(), "rev-parse", "--show-toplevel"))
				if strings.TrimSpace(string(got)) != r.Dir {
					t.Errorf("our commands run in %s", got)
				}
			}
		})
	}
}

func TestConfigOfTheCallersCommandLine(t *testing.T) {
	t.Parallel()
	r := testrepo.New(t)
	for name, env := range map[string][]string{
		"parameters": {"GIT_CONFIG_PARAMETERS='user.name'='Some One' 'core.fileMode'='false'"},
		"count": {"GIT_CONFIG_COUNT=2", "GIT_CONFIG_KEY_0=user.name", "GIT_CONFIG_VALUE_0=Some One",
			"GIT_CONFIG_KEY_1=core.filemode", "GIT_CONFIG_VALUE_1=false"},
	} {
		repo, err := Discover(t.Context(), r.Dir, append(slices.Clone(r.Env), env...))
		ok(t, err)
		defer repo.Close()
		if who := repo.Identity(t.Context()); who.Name != "Some One" || who.Email != testrepo.UserEmail {
			t.Errorf("%s: identity %+v", name, who)
		}
		if repo.FileMode {
			t.Errorf("%s: core.fileMode is not seen", name)
		}
	}
}

// TestQuarantine: in a pre-receive hook new objects go to the quarantine, refs
// must not move.
func TestQuarantine(t *testing.T) {
	t.Parallel()
	r := testrepo.New(t, base)
	objects := filepath.Join(r.Dir, ".git/objects/quarantine")
	ok(t, os.MkdirAll(objects, 0o755))
	repo, err := Discover(t.Context(), r.Dir, append(slices.Clone(r.Env), "GIT_OBJECT_DIRECTORY=.git/objects/quarantine",
		"GIT_ALTERNATE_OBJECT_DIRECTORIES="+r.Path(".git/objects"), "GIT_QUARANTINE_PATH="+objects))
	ok(t, err)
	defer repo.Close()
	oid := must[object.OID](t)(repo.Writer().Blob([]byte("quarantined\n")))
	ok(t, repo.Writer().Sync())
	if _, err := os.Stat(filepath.Join(objects, oid.String()[:2], oid.String()[2:])); err != nil {
		t.Error(err)
	}
	if _, err := repo.Reader(t.Context()).Object("HEAD:kept/same.txt"); err != nil {
		t.Error(err)
	}
	err = repo.UpdateRefs(t.Context(), []RefUpdate{{Name: "refs/heads/x", New: oidOf(t, r.Head())}})
	if err == nil || !strings.Contains(err.Error(), "quarantine") {
		t.Errorf("a ref moved in quarantine: %v", err)
	}
}

func TestBranch(t *testing.T) {
	t.Parallel()
	r := testrepo.New(t)
	side := r.Worktree("a-side")
	if got := open(t, r).Branch(t.Context()) + " " + open(t, side).Branch(t.Context()) + " " + open(t, testrepo.New(t, testrepo.Unborn())).Branch(t.Context()); got != "main a-side main" {
		t.Errorf("branches %q", got)
	}
	r.Git("checkout", "-q", "--detach")
	if got := open(t, r).Branch(t.Context()); got != "" {
		t.Errorf("detached on %q", got)
	}
}
