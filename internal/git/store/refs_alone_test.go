package store

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"entire/internal/git/object"
	"entire/internal/testrepo"
)

const aloneRef = "refs/heads/entire/step"

// refFiles are the files of refs and reflogs with their modes and what is in them, without the times in reflogs.
func refFiles(t *testing.T, r *testrepo.Repo) string {
	t.Helper()
	var out strings.Builder
	for _, dir := range []string{"refs", "logs", "packed-refs", "HEAD"} {
		ok(t, filepath.WalkDir(r.Path(".git/"+dir), func(path string, d fs.DirEntry, err error) error {
			if errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			fi, err := os.Lstat(path)
			if err != nil || fi.IsDir() {
				return err
			}
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			rel, err := filepath.Rel(r.Dir, path)
			out.WriteString(rel + " " + fi.Mode().String() + "\n" + logTime.ReplaceAllString(string(text), "> TIME $1"))
			return err
		}))
	}
	return out.String()
}

var logTime = regexp.MustCompile(`> [0-9]{10,} ([+-][0-9]{4})`)

// withoutGit reports whether updates were carried out without git.
func withoutGit(t *testing.T, r *Repo, updates []RefUpdate) (done bool, err error) {
	t.Helper()
	rest, err := r.moveInFiles(t.Context(), updates)
	if len(rest) != 0 && len(rest) != len(updates) {
		t.Errorf("left: %v", rest)
	}
	return len(rest) == 0, err
}

func gitOnly(t *testing.T) {
	if os.Getenv("GIT_DEFAULT_REF_FORMAT") == "reftable" {
		t.Skip("refs are in tables: git moves them")
	}
}

// TestARefMovedWithoutGitIsAsGitMovesIt compares all files of refs and reflogs.
func TestARefMovedWithoutGitIsAsGitMovesIt(t *testing.T) {
	t.Parallel()
	gitOnly(t)
	home := func(text string) func(r *testrepo.Repo) {
		return func(r *testrepo.Repo) { ok(t, os.WriteFile(filepath.Join(r.Home, ".gitconfig"), []byte(text), 0o644)) }
	}
	for _, row := range []struct {
		name   string
		ref    string // aloneRef if empty
		before string // "", "loose", "packed" or "both"
		setUp  func(r *testrepo.Repo)
	}{
		{name: "new"},
		{name: "loose", before: "loose"},
		{name: "packed", before: "packed"},
		{name: "loose and packed", before: "both"},
		{name: "in a folder of its own", ref: "refs/heads/entire/a/b/c"},
		{name: "no branch", ref: "refs/entire/turns/x", before: "loose"},
		{name: "no branch, with a log", ref: "refs/entire/x", before: "loose", setUp: func(r *testrepo.Repo) { r.Write(".git/logs/refs/entire/x", "") }},
		{name: "log always", ref: "refs/entire/x", setUp: func(r *testrepo.Repo) { r.Git("config", "core.logAllRefUpdates", "always") }},
		{name: "log never", setUp: func(r *testrepo.Repo) { r.Git("config", "core.logAllRefUpdates", "false") }},
		{name: "log never, with a log", before: "loose", setUp: func(r *testrepo.Repo) { r.Git("config", "core.logAllRefUpdates", "off") }},
		{name: "committer", setUp: func(r *testrepo.Repo) {
			r.Git("config", "committer.name", "Commit Ter")
			r.Git("config", "author.email", "author@example.com")
		}},
		{name: "committer in the environment", setUp: func(r *testrepo.Repo) {
			r.Setenv("GIT_COMMITTER_NAME", "En Viron")
			r.Setenv("GIT_COMMITTER_EMAIL", "")
			r.Unsetenv("GIT_COMMITTER_EMAIL")
			r.Setenv("GIT_AUTHOR_DATE", "2001-01-01T00:00:00Z")
			r.Setenv("EMAIL", "not@this")
		}},
		{name: "time zone", setUp: func(r *testrepo.Repo) { r.Setenv("TZ", "Asia/Kolkata") }},
		{name: "no time zone", setUp: func(r *testrepo.Repo) { r.Setenv("TZ", "") }},
		{name: "reflog action", setUp: func(r *testrepo.Repo) { r.Setenv("GIT_REFLOG_ACTION", "rebase") }},
		{name: "quoted name", setUp: home("[user]\n\tname = \"Ä \\\"B\\\" # C\"x ; comment\n\temail = <a@b>\n[user]\n\temail = c@d\n")},
		{name: "hooks elsewhere", setUp: func(r *testrepo.Repo) {
			r.Write(".git/hooks/reference-transaction", "#!/bin/sh\nexit 1\n")
			r.Chmod(".git/hooks/reference-transaction", 0o755)
			r.Git("config", "core.hooksPath", "ci/hooks")
		}},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			ref := row.ref
			if ref == "" {
				ref = aloneRef
			}
			r := testrepo.New(t)
			var old object.OID
			if row.before != "" {
				old = oidOf(t, r.Head())
				r.Git("update-ref", ref, "HEAD")
			}
			if row.before == "packed" || row.before == "both" {
				r.Git("pack-refs", "--all")
			}
			b := oidOf(t, r.Commit("b"))
			if row.before == "both" {
				old = b
				r.Git("update-ref", ref, b.String())
				b = oidOf(t, r.Commit("c"))
			}
			if row.setUp != nil {
				row.setUp(r)
			}
			other := r.Copy(t)
			ok(t, os.RemoveAll(other.Home))
			ok(t, testrepo.CopyTree(r.Home, other.Home))
			for _, entry := range r.Env {
				if name, value, _ := strings.Cut(entry, "="); !strings.Contains(value, r.Home) {
					other.Setenv(name, value)
				}
			}
			if done, err := withoutGit(t, open(t, r), []RefUpdate{{ref, b, old}}); !done || err != nil {
				t.Fatalf("git is asked: %t, %v", done, err)
			}
			other.Git("update-ref", "--no-deref", ref, b.String(), old.String())
			if got, want := refFiles(t, r), refFiles(t, other); got != want {
				t.Errorf("without git:\n%s\nwith git:\n%s", got, want)
			}
			if left, _ := filepath.Glob(r.Path(".git/objects/*/tmp_obj_*")); len(left) != 0 {
				t.Errorf("left behind: %q", left)
			}
		})
	}
}

// TestRefsThatOnlyGitMoves stay as they are until git is asked.
func TestRefsThatOnlyGitMoves(t *testing.T) {
	t.Parallel()
	gitOnly(t)
	hook := func(file string) func(r *testrepo.Repo) {
		return func(r *testrepo.Repo) {
			r.Write(file, "#!/bin/sh\nexit 0\n")
			r.Chmod(file, 0o755)
		}
	}
	for name, setUp := range map[string]func(r *testrepo.Repo){
		"symbolic":        func(r *testrepo.Repo) { r.Git("symbolic-ref", aloneRef, "refs/heads/elsewhere") },
		"a link":          func(r *testrepo.Repo) { r.Write(".git/refs/heads/entire/x", ""); r.Symlink("x", ".git/"+aloneRef) },
		"broken":          func(r *testrepo.Repo) { r.Write(".git/"+aloneRef, "") },
		"a folder":        func(r *testrepo.Repo) { r.Git("update-ref", aloneRef+"/below", "HEAD") },
		"an empty folder": func(r *testrepo.Repo) { ok(t, os.MkdirAll(r.Path(".git/"+aloneRef+"/a/b"), 0o755)) },
		"below a ref":     func(r *testrepo.Repo) { r.Git("update-ref", "refs/heads/entire", "HEAD") },
		"below a packed":  func(r *testrepo.Repo) { r.Git("update-ref", "refs/heads/entire", "HEAD"); r.Git("pack-refs", "--all") },
		"above a packed": func(r *testrepo.Repo) {
			r.Git("update-ref", aloneRef+"/below", "HEAD")
			r.Git("pack-refs", "--all", "--prune")
		},
		"locked":          func(r *testrepo.Repo) { r.Write(".git/"+aloneRef+".lock", "") },
		"HEAD":            func(r *testrepo.Repo) { r.Git("symbolic-ref", "HEAD", aloneRef) },
		"hook":            hook(".git/hooks/reference-transaction"),
		"hook elsewhere":  func(r *testrepo.Repo) { hook("ci/reference-transaction")(r); r.Git("config", "core.hooksPath", "ci") },
		"hook configured": func(r *testrepo.Repo) { r.Git("config", "hook.x.event", "reference-transaction") },
		"nobody": func(r *testrepo.Repo) {
			ok(t, os.WriteFile(filepath.Join(r.Home, ".gitconfig"), nil, 0o644))
			r.Setenv("EMAIL", "a@b")
		},
		"a name with crud":   func(r *testrepo.Repo) { r.Git("config", "user.name", "A. B.") },
		"empty name":         func(r *testrepo.Repo) { r.Setenv("GIT_COMMITTER_NAME", "") },
		"date":               func(r *testrepo.Repo) { r.Setenv("GIT_COMMITTER_DATE", "2001-01-01T00:00:00Z") },
		"time zone":          func(r *testrepo.Repo) { r.Setenv("TZ", "XYZ-3") },
		"quarantine":         func(r *testrepo.Repo) { r.Setenv("GIT_QUARANTINE_PATH", r.Dir) },
		"odd log setting":    func(r *testrepo.Repo) { r.Git("config", "core.logAllRefUpdates", "2") },
		"log is a folder":    func(r *testrepo.Repo) { r.Write(".git/logs/"+aloneRef+"/x", "") },
		"shared":             func(r *testrepo.Repo) { r.Git("config", "core.sharedRepository", "group") },
		"shared by the user": func(r *testrepo.Repo) { r.Git("config", "--global", "core.sharedRepository", "group") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := testrepo.New(t)
			head := oidOf(t, r.Head())
			setUp(r)
			before := refFiles(t, r)
			if done, err := withoutGit(t, open(t, r), []RefUpdate{{aloneRef, head, object.OID{}}}); done || err != nil {
				t.Errorf("moved without git: %t, %v", done, err)
			}
			if after := refFiles(t, r); after != before {
				t.Errorf("before:\n%s\nafter:\n%s", before, after)
			}
			if _, err := os.Lstat(r.Path(".git/" + aloneRef + ".lock")); name != "locked" && err == nil {
				t.Error("a lock is left")
			}
		})
	}
}

func TestUpdatesThatOnlyGitCarriesOut(t *testing.T) {
	t.Parallel()
	r := testrepo.New(t)
	head, tree := oidOf(t, r.Head()), oidOf(t, r.Git("rev-parse", "HEAD^{tree}"))
	repo := open(t, r)
	many := make([]RefUpdate, manyRefs)
	for i := range many {
		many[i] = RefUpdate{fmt.Sprintf("refs/entire/%d", i), head, object.OID{}}
	}
	for name, updates := range map[string][]RefUpdate{
		"many":                   many,
		"one twice":              {{"refs/entire/a", head, object.OID{}}, {"refs/entire/a", head, object.OID{}}},
		"one below":              {{"refs/entire/a/b", head, object.OID{}}, {"refs/entire/a", head, object.OID{}}},
		"a deletion, of nothing": {{aloneRef, object.OID{}, object.OID{}}},
		"somebody's":             {{"refs/heads/other", head, object.OID{}}},
		"no commit":              {{aloneRef, tree, object.OID{}}},
		"missing":                {{aloneRef, object.MustOID(strings.Repeat("12", 20)), object.OID{}}},
		"dots":                   {{"refs/entire/../../config", head, object.OID{}}},
		"a lock's name":          {{"refs/entire/a.lock/b", head, object.OID{}}},
		"an odd letter":          {{"refs/entire/a b", head, object.OID{}}},
		"an empty part":          {{"refs/entire//b", head, object.OID{}}},
		"a hidden part":          {{"refs/entire/.b", head, object.OID{}}},
		"ends with a dot":        {{"refs/entire/b.", head, object.OID{}}},
	} {
		if done, err := withoutGit(t, repo, updates); done || err != nil {
			t.Errorf("%s: without git: %t, %v", name, done, err)
		}
	}
	if sha := testrepo.New(t, testrepo.SHA256()); sha != nil {
		if done, err := withoutGit(t, open(t, sha), []RefUpdate{{aloneRef, oidOf(t, sha.Head()), object.OID{}}}); done || err != nil {
			t.Errorf("SHA-256: without git: %t, %v", done, err)
		}
	}
}

func TestARefThatMovedIsNotOverwritten(t *testing.T) {
	t.Parallel()
	gitOnly(t)
	for _, packed := range []bool{false, true} {
		r := testrepo.New(t)
		a := oidOf(t, r.Head())
		b := oidOf(t, r.Commit("b"))
		c := oidOf(t, r.Commit("c"))
		r.Git("update-ref", aloneRef, a.String())
		if packed {
			r.Git("pack-refs", "--all")
		}
		repo, before := open(t, r), refFiles(t, r)
		for _, old := range []object.OID{b, {}} {
			if done, err := withoutGit(t, repo, []RefUpdate{{aloneRef, c, old}}); !done || !errors.Is(err, ErrRefMoved) {
				t.Errorf("from %s: %t, %v", old, done, err)
			}
			if done, err := withoutGit(t, repo, []RefUpdate{{aloneRef, a, old}}); !done || err != nil {
				t.Errorf("to what it is: %t, %v", done, err)
			}
		}
		if done, err := withoutGit(t, repo, []RefUpdate{{aloneRef + "2", c, b}}); !done || !errors.Is(err, ErrRefMoved) {
			t.Errorf("what is not there: %t, %v", done, err)
		}
		if after := refFiles(t, r); after != before {
			t.Errorf("before:\n%s\nafter:\n%s", before, after)
		}
	}
}

// TestARefThatCannotBeRead is not taken for the older value that packed-refs has.
func TestARefThatCannotBeRead(t *testing.T) {
	t.Parallel()
	gitOnly(t)
	r := testrepo.New(t)
	old := oidOf(t, r.Head())
	r.Git("update-ref", aloneRef, "HEAD")
	r.Git("pack-refs", "--all", "--prune")
	b := oidOf(t, r.Commit("b"))
	r.Symlink("step", ".git/"+aloneRef) // to itself, which nobody can read, not even root
	repo := open(t, r)
	if oid, found, known := repo.fileRef(aloneRef); known {
		t.Errorf("it is read as %s, %t", oid, found)
	}
	if err := repo.UpdateRefs(t.Context(), []RefUpdate{{aloneRef, b, old}}); err == nil {
		t.Error("it was moved from its older value")
	}
	r.Git("symbolic-ref", "HEAD", aloneRef)
	if oid, known := repo.HeadInFiles(); known {
		t.Errorf("HEAD is read as %s", oid)
	}
	ok(t, os.Remove(r.Path(".git/"+aloneRef)))
	ok(t, os.MkdirAll(r.Path(".git/"+aloneRef+"/empty"), 0o755))
	if oid, found, known := repo.fileRef(aloneRef); !known || !found || oid != old {
		t.Errorf("in the place of a folder: %s, %t, %t", oid, found, known)
	}
}

// TestRefsBesideAlternates: such objects are git's to read.
func TestRefsBesideAlternates(t *testing.T) {
	t.Parallel()
	r := testrepo.New(t)
	head, clone := oidOf(t, r.Head()), filepath.Join(t.TempDir(), "clone")
	r.Git("clone", "-q", "--shared", r.Dir, clone)
	repo := must[*Repo](t)(Discover(t.Context(), clone, r.Env))
	defer repo.Close()
	ok(t, repo.UpdateRefs(t.Context(), []RefUpdate{{aloneRef, head, object.OID{}}}))
	if oid, _, err := repo.Ref(t.Context(), aloneRef); err != nil || oid != head {
		t.Errorf("it is %s, %v", oid, err)
	}
}

// TestATransactionThatGitLeftHalfDone is completed once nothing is in the way, and the error says what was.
func TestATransactionThatGitLeftHalfDone(t *testing.T) {
	t.Parallel()
	gitOnly(t)
	r := testrepo.New(t)
	head := oidOf(t, r.Head())
	r.Setenv("TZ", "XYZ0") // only git knows that one
	r.Write(".git/logs/refs/heads/entire/b/in/the/way", "")
	repo, updates := open(t, r), []RefUpdate{{"refs/heads/entire/a", head, object.OID{}}, {"refs/heads/entire/b", head, object.OID{}}}
	if err := repo.UpdateRefs(t.Context(), updates); err == nil || !strings.Contains(err.Error(), "logs") {
		t.Errorf("error %v", err)
	}
	if got := r.Git("for-each-ref", "--format=%(refname)", "refs/heads/entire"); got != updates[0].Name {
		t.Fatalf("git moved %q", got)
	}
	ok(t, os.RemoveAll(r.Path(".git/logs/refs/heads/entire/b")))
	ok(t, repo.UpdateRefs(t.Context(), updates))
	if got := r.Git("rev-parse", updates[1].Name); got != head.String() {
		t.Errorf("it is %s", got)
	}
}

// TestALockThatAKilledProgramLeft is removed once it is old, as one of git's.
func TestALockThatAKilledProgramLeft(t *testing.T) {
	t.Parallel()
	r := testrepo.New(t)
	head := oidOf(t, r.Head())
	lock := r.Path(".git/" + aloneRef + ".lock")
	r.Write(".git/"+aloneRef+".lock", head.String()+"\n")
	old := time.Now().Add(-2 * StaleLock)
	ok(t, os.Chtimes(lock, old, old))
	ok(t, open(t, r).UpdateRefs(t.Context(), []RefUpdate{{aloneRef, head, object.OID{}}}))
	if got := r.Git("rev-parse", aloneRef); got != head.String() {
		t.Errorf("it names %s", got)
	}
	if _, err := os.Lstat(lock); err == nil {
		t.Error("the lock is left")
	}
}

// TestRefsMovedWithAndWithoutGit: programs that move refs with git and without it, or while git packs the refs and
// removes their folders, lose no update, and no line of a reflog. Git's own programs lose updates while another packs
// refs: git 2.39 takes packed-refs for unchanged if size, second and inode are the same, as on ext4.
func TestRefsMovedWithAndWithoutGit(t *testing.T) {
	t.Parallel()
	gitOnly(t)
	for _, packs := range []bool{false, true} {
		t.Run(fmt.Sprintf("packs=%t", packs), func(t *testing.T) { t.Parallel(); moveBesideGit(t, packs) })
	}
}

func moveBesideGit(t *testing.T, packs bool) {
	const processes, shared = 4, "refs/heads/entire/deep/er/count"
	times := testrepo.Amount(15, 200)
	r := testrepo.New(t)
	var running sync.WaitGroup
	for i := range processes {
		cmd := exec.Command(os.Args[0])
		own := fmt.Sprintf("refs/heads/entire/own/%d/count", i)
		cmd.Env = append(slices.Clone(r.Env), "GIT_TEST_INCREMENT="+shared+" "+own, "GIT_TEST_DIR="+r.Dir, "GIT_TEST_TIMES="+strconv.Itoa(times))
		if i%2 == 1 && !packs {
			cmd.Env = append(cmd.Env, "TZ=XYZ0") // only git knows that one
		}
		cmd.Stderr = os.Stderr
		ok(t, cmd.Start())
		running.Go(func() {
			if err := cmd.Wait(); err != nil {
				t.Error(err)
			}
		})
	}
	ended := make(chan struct{})
	go func() { running.Wait(); close(ended) }()
	for n := 0; packs; n++ {
		select {
		case <-ended:
		default:
			_, _ = r.TryGit("pack-refs", "--all", "--prune") // a lock may be in its way
			if n%5 == 0 {
				_, _ = r.TryGit("gc", "-q")
			}
			continue
		}
		break
	}
	<-ended
	counts := map[string]int{shared: processes * times}
	for i := range processes {
		counts[fmt.Sprintf("refs/heads/entire/own/%d/count", i)] = times
	}
	for ref, want := range counts {
		if n := r.Git("rev-list", "--count", ref); n != strconv.Itoa(want) {
			t.Errorf("%s: %s commits, want %d", ref, n, want)
		}
		lines := reflogLines(t, r, ref)
		if len(lines) != want {
			t.Errorf("%s: %d lines in the reflog, want %d", ref, len(lines), want)
		}
		var last object.OID
		for _, line := range lines {
			if line.Old != last {
				t.Errorf("%s: the reflog goes from %s to %s", ref, last, line.Old)
			}
			last = line.New
		}
		if now := r.Git("rev-parse", ref); now != last.String() {
			t.Errorf("%s is %s, the reflog says %s", ref, now, last)
		}
	}
	r.Fsck()
}

// reflogLines reads a reflog; each line must be whole.
func reflogLines(t *testing.T, r *testrepo.Repo, ref string) []ReflogEntry {
	t.Helper()
	text := r.Read(".git/logs/" + ref)
	for line := range strings.Lines(text) {
		if !wholeLine.MatchString(line) {
			t.Errorf("%s: odd line %q", ref, line)
		}
	}
	return ParseReflog([]byte(text))
}

var wholeLine = regexp.MustCompile(`^[0-9a-f]{40} [0-9a-f]{40} Tess Ter <tess@example\.com> [0-9]{10} \+0000\t?\n$`) // gc adds the tab

// saidUntilKilled runs this test's program in a repository, as env says, and kills it at a random instant. It returns the
// lines that the program wrote.
func saidUntilKilled(t *testing.T, r *testrepo.Repo, random *rand.Rand, env string) (said []string) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(slices.Clone(r.Env), env, "GIT_TEST_DIR="+r.Dir, "GIT_TEST_TIMES=1000")
	out := must[io.ReadCloser](t)(cmd.StdoutPipe())
	ok(t, cmd.Start())
	lines := bufio.NewScanner(out)
	for range 1 + random.IntN(8) {
		if !lines.Scan() {
			t.Fatal("it ended by itself")
		}
		said = append(said, lines.Text())
	}
	for range random.IntN(20_000) { // so that it is killed anywhere
		runtime.Gosched()
	}
	ok(t, cmd.Process.Kill())
	for lines.Scan() {
		said = append(said, lines.Text())
	}
	_ = cmd.Wait()
	return said
}

// TestKilledWhileMovingRefs: what a program had said to be done stays, whenever it is killed, and a lock that it left
// stops no other program for long.
func TestKilledWhileMovingRefs(t *testing.T) {
	t.Parallel()
	gitOnly(t)
	r := testrepo.New(t)
	random := rand.New(rand.NewPCG(3, 4))
	var said []string
	for range testrepo.Amount(15, 500) {
		said = append(said, saidUntilKilled(t, r, random, "GIT_TEST_INCREMENT="+aloneRef)...)
		old := time.Now().Add(-2 * StaleLock)
		if err := os.Chtimes(r.Path(".git/"+aloneRef+".lock"), old, old); err == nil {
			t.Log("a lock was left")
		}
	}
	ok(t, increment(t.Context(), open(t, r), aloneRef, "last"))
	files := r.Listed(aloneRef)
	for _, message := range said {
		if files["d/"+message] == "" {
			t.Errorf("%s is lost", message)
		}
	}
	reflogLines(t, r, aloneRef)
	r.Fsck()
}
