package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"entire/internal/git/object"
	"entire/internal/testrepo"
)

func TestReaderAnswers(t *testing.T) {
	t.Parallel()
	r := testrepo.New(t, base)
	big := strings.Repeat("0123456789abcde\n", 100_000)
	r.Write("big", big)
	r.Write("with space", "s\n")
	r.Commit("big")
	rd := open(t, r).Reader(t.Context())
	objs := must[[]object.Object](t)(rd.Objects("HEAD", "HEAD:big", "nope", "HEAD:nope", "HEAD:with space", "HEAD^{tree}", strings.Repeat("12", 20), "HEAD:with missing"))
	var kinds []string
	for _, o := range objs {
		kinds = append(kinds, o.Type)
	}
	if got := strings.Join(kinds, ","); got != "commit,blob,,,blob,tree,," {
		t.Errorf("types %s", got)
	}
	if string(objs[1].Data) != big || string(objs[4].Data) != "s\n" {
		t.Error("another content")
	}
	if _, err := rd.Object("nope"); !errors.Is(err, object.ErrMissing) {
		t.Errorf("error %v", err)
	}
	for _, spec := range []string{"", "HEAD\nHEAD", "a\x00"} {
		if _, err := rd.Object(spec); err == nil || errors.Is(err, object.ErrMissing) {
			t.Errorf("%q: error %v", spec, err)
		}
	}
	if _, err := rd.Tree(oidOf(t, r.Head())); err == nil || errors.Is(err, object.ErrMissing) {
		t.Errorf("a commit was read as a tree: %v", err)
	}
	if _, err := rd.Blob(object.OID{}); !errors.Is(err, object.ErrMissing) {
		t.Errorf("error %v", err)
	}
}

// TestManyQuestionsAtOnce are more than the pipes hold.
func TestManyQuestionsAtOnce(t *testing.T) {
	t.Parallel()
	r := testrepo.New(t, testrepo.Files(map[string]string{"f": strings.Repeat("x", 10_000)}))
	rd := open(t, r).Reader(t.Context())
	specs := make([]string, 3000)
	for i := range specs {
		specs[i] = "HEAD:f"
		if i%100 == 7 {
			specs[i] = fmt.Sprintf("HEAD:none%d", i)
		}
	}
	for i, o := range must[[]object.Object](t)(rd.Objects(specs...)) {
		if missing := i%100 == 7; (o.Type == "") != missing || !missing && len(o.Data) != 10_000 {
			t.Fatalf("%d: type %q, %d bytes", i, o.Type, len(o.Data))
		}
	}
}

func TestPathsOfATree(t *testing.T) {
	t.Parallel()
	r := testrepo.New(t, testrepo.Files(map[string]string{"a/b/c": "x", "f": "y"}))
	rd := open(t, r).Reader(t.Context())
	head, found, err := rd.CommitOf("refs/heads/main")
	if err != nil || !found || head.OID.String() != r.Head() || head.Subject() != "first" {
		t.Fatalf("%+v, %t, %v", head, found, err)
	}
	for path, want := range map[string]uint32{"a": object.ModeTree, "a/b/c": object.ModeFile, "f": object.ModeFile, "": object.ModeTree, "x": 0, "f/g": 0, "a/b/c/d": 0, "a/x/y": 0} {
		e, found, err := rd.Path(head.Tree, path)
		if err != nil || found != (want != 0) || e.Mode != want {
			t.Errorf("%q: mode %o, found %t, error %v", path, e.Mode, found, err)
		}
	}
	if _, found, err := rd.CommitOf("refs/heads/none"); found || err != nil {
		t.Errorf("found %t, error %v", found, err)
	}
}

// TestPartialClone: what was promised and not fetched is missing, however many
// such objects are asked for, and everything else is still read.
func TestPartialClone(t *testing.T) {
	t.Parallel()
	r := partial(t)
	repo := open(t, r)
	objs := must[[]object.Object](t)(repo.Reader(t.Context()).Objects(
		"HEAD:kept/same.txt", "HEAD:kept/changed.txt", "HEAD", "HEAD:kept/changed.txt", "HEAD:kept/removed.txt"))
	var kinds []string
	for _, o := range objs {
		kinds = append(kinds, o.Type)
	}
	if got := strings.Join(kinds, ","); got != "blob,,commit,,blob" {
		t.Errorf("types %s", got)
	}
	if !strings.Contains(r.Git("rev-list", "--objects", "--missing=print", "HEAD"), "?") {
		t.Error("missing objects were fetched")
	}
}

// TestDeadReaderIsNotAbsence: what could not be read is an error, and the next
// question is answered again.
func TestDeadReaderIsNotAbsence(t *testing.T) {
	t.Parallel()
	r := testrepo.New(t, base)
	repo := open(t, r)
	rd := repo.Reader(t.Context())
	rd.files = nil
	ok(t, rd.start())
	ok(t, rd.cmd.Process.Kill())
	_, _ = rd.cmd.Process.Wait()
	if _, err := rd.Object("HEAD"); err == nil || errors.Is(err, object.ErrMissing) {
		t.Errorf("error %v", err)
	}
	if _, err := rd.Object("HEAD"); err != nil {
		t.Error(err)
	}
}

func TestCorruptObjectIsNotAbsence(t *testing.T) {
	t.Parallel()
	r := testrepo.New(t, base)
	repo := open(t, r)
	oid := oidOf(t, r.Git("rev-parse", "HEAD:kept/same.txt"))
	ok(t, os.Remove(repo.loosePath(oid)))
	ok(t, os.WriteFile(repo.loosePath(oid), []byte("junk"), 0o644))
	_, err := repo.Reader(t.Context()).Blob(oid)
	if err == nil || errors.Is(err, object.ErrMissing) || strings.Contains(err.Error(), "\n") || !strings.Contains(err.Error(), "damaged") {
		t.Errorf("error %v", err)
	}
	if _, err := repo.Reader(t.Context()).Object("HEAD"); err != nil {
		t.Error(err)
	}
}

func TestReaderOutlivesItsFirstContext(t *testing.T) {
	t.Parallel()
	r := testrepo.New(t)
	repo := open(t, r)
	ctx, cancel := context.WithCancel(t.Context())
	if _, err := repo.Reader(ctx).Object("HEAD"); err != nil {
		t.Fatal(err)
	}
	cancel()
	if _, err := repo.Reader(ctx).Object("HEAD"); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if _, err := repo.Reader(t.Context()).Object("HEAD"); err != nil {
		t.Error(err)
	}
	ok(t, repo.Close())
	ok(t, repo.Close())
}

// TestCancelEndsGit and what git had started.
func TestCancelEndsGit(t *testing.T) {
	t.Parallel()
	r := filtered(t, "touch started; sleep 600", "cat")
	r.Write("a.big", "x\n")
	repo := open(t, r)
	ctx, cancel := context.WithCancel(t.Context())
	cancelled := make(chan time.Time, 1)
	go func() {
		for range 6000 {
			if r.Exists("started") {
				break
			}
			time.Sleep(10 * time.Millisecond)
		}
		cancelled <- time.Now()
		cancel()
	}()
	_, err := repo.HashFiles(ctx, []string{"a.big"})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if took := time.Since(<-cancelled); took > time.Minute {
		t.Errorf("ended after %v", took)
	}
}

// TestExitErrorOfAFullDisk has what git 2.39 says when it cannot write: commands give their hint by the system's error.
func TestExitErrorOfAFullDisk(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]error{
		"fatal: unable to write loose object file: No space left on device":                       syscall.ENOSPC,
		"error: unable to create temporary file: Disk quota exceeded\nfatal: failed to write":     syscall.EDQUOT,
		"fatal: Unable to create '/r/.git/index.lock': Read-only file system":                     syscall.EROFS,
		"git@example.org: Permission denied (publickey).\nfatal: Could not read from the remote.": nil,
	} {
		err := fmt.Errorf("save: %w", &ExitError{Args: []string{"hash-object"}, Code: 128, Stderr: said})
		for _, cause := range []error{syscall.ENOSPC, syscall.EDQUOT, syscall.EROFS, syscall.EACCES} {
			if errors.Is(err, cause) != (cause == want) {
				t.Errorf("%q is %v: %v", said, cause, !(cause == want))
			}
		}
	}
}

func TestExitErrorIsOneLine(t *testing.T) {
	t.Parallel()
	repo := open(t, testrepo.New(t))
	_, err := repo.Run(t.Context(), "rev-parse", "--verify", "no\nsuch")
	var exit *ExitError
	if !errors.As(err, &exit) || exit.Code != 128 || strings.Contains(err.Error(), "\n") || !strings.HasPrefix(err.Error(), "git rev-parse: fatal: ") {
		t.Errorf("error %q", err)
	}
	for stderr, want := range map[string]string{
		"": "git status: exit status 3", "warning: w\nfatal: f\nhint: h": "git status: fatal: f", "  a\tb \nc": "git status: a b",
	} {
		if got := (&ExitError{Args: []string{"--no-optional-locks", "status", "-z"}, Code: 3, Stderr: stderr}).Error(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestConfig(t *testing.T) {
	t.Parallel()
	r := testrepo.New(t)
	r.Git("config", "Some.Key", "first")
	r.Git("config", "--add", "some.key", "last\nline")
	r.Git("config", "branch.feature/x+(y).merge", "m")
	r.Git("config", "branch.feature/xx(y).merge", "other")
	r.Write(".git/config", r.Read(".git/config")+"[some]\n\ttrue\n\tempty =\n")
	got, err := open(t, r).Config(t.Context(), "some.key", "some.true", "some.empty", "branch.feature/x+(y).merge", "none.at-all")
	ok(t, err)
	testrepo.Same(t, got, map[string]string{"some.key": "last\nline", "some.true": "true", "some.empty": "", "branch.feature/x+(y).merge": "m"})
	if got, err := open(t, r).Config(t.Context(), "none.at-all"); err != nil || len(got) != 0 {
		t.Errorf("%v, %v", got, err)
	}
}

// TestConfigInFiles: what git's files alone tell is what git says, and the rest is left to git.
func TestConfigInFiles(t *testing.T) {
	t.Parallel()
	keys := []string{"core.untrackedcache", "some.key", "some.other"}
	for text, alone := range map[string]bool{
		"":                            true,
		"[core]\nuntrackedCache=keep": true,
		"[some]\nkey = one # two\n[SOME] Key = \" a b \"\nother = \\\"": true,
		"[some]\nkey = one\n[some \"sub\"]\nkey = two":                  true,
		"[some]\nkey": false,
		"[some]\nkey = one\n[includeIf \"onbranch:x\"]\npath = other": false,
		"[include]\npath = more": true,
	} {
		r := testrepo.New(t)
		r.Write(".git/more", "[some]\nkey = more\n")
		r.Write(".git/other", "[some]\nother = maybe\n")
		r.Write(".git/config", r.Read(".git/config")+text+"\n")
		repo := open(t, r)
		c, supported := repo.gitConfig()
		if !supported {
			t.Skip("only git can read its configuration here")
		}
		got, known := c.Values(keys)
		want, err := repo.ConfigMatching(t.Context(), `^(core\.untrackedcache|some\.key|some\.other)$`)
		ok(t, err)
		if known {
			testrepo.Same(t, got, want)
		}
		if known != alone {
			t.Errorf("%q without git: %t", text, known)
		}
	}
}

func TestLog(t *testing.T) {
	t.Parallel()
	r := testrepo.New(t)
	second := r.Commit("second\n\nbody | with\nlines")
	repo := open(t, r)
	log := must[[]object.Commit](t)(repo.Log(t.Context(), "HEAD", 5))
	if len(log) != 2 || log[0].OID.String() != second || log[0].Subject() != "second" || log[1].Subject() != "first" ||
		len(log[0].Parents) != 1 || log[0].Parents[0] != log[1].OID || log[0].Author.Name != testrepo.UserName {
		t.Errorf("log %+v", log)
	}
	if got := must[[]object.Commit](t)(repo.Log(t.Context(), "HEAD", 1)); len(got) != 1 {
		t.Errorf("%d commits", len(got))
	}
	if got := must[[]object.Commit](t)(open(t, testrepo.New(t, testrepo.Unborn())).Log(t.Context(), "HEAD", 5)); len(got) != 0 {
		t.Errorf("%d commits on an unborn branch", len(got))
	}
}
