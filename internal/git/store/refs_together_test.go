package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"entire/internal/git/object"
	"entire/internal/testrepo"
)

// refFolders are the folders of refs and reflogs.
func refFolders(t *testing.T, r *testrepo.Repo) (out []string) {
	t.Helper()
	for _, dir := range []string{"refs", "logs"} {
		ok(t, filepath.WalkDir(r.Path(".git/"+dir), func(path string, d fs.DirEntry, err error) error {
			if err == nil && d.IsDir() {
				out = append(out, strings.TrimPrefix(path, r.Dir))
			}
			return err
		}))
	}
	return out
}

// TestRefsMovedTogetherWithoutGitAreAsGitMovesThem compares all files and folders of refs and reflogs after a
// transaction, where $a and $b are commits.
func TestRefsMovedTogetherWithoutGitAreAsGitMovesThem(t *testing.T) {
	t.Parallel()
	gitOnly(t)
	for name, row := range map[string]struct{ setUp, updates string }{
		"a deletion":                        {"update refs/heads/entire/a $a", "delete refs/heads/entire/a $a"},
		"a deletion beside another":         {"update refs/heads/entire/a $a\nupdate refs/heads/entire/b $a", "delete refs/heads/entire/a $a"},
		"deep":                              {"update refs/heads/entire/a/b/c $a\nupdate refs/heads/entire/x $a", "delete refs/heads/entire/a/b/c $a"},
		"deep, beside another":              {"update refs/heads/entire/a/b/c $a\nupdate refs/heads/entire/a/d $a", "delete refs/heads/entire/a/b/c $a"},
		"no branch, without a log":          {"update refs/entire/a/b $a", "delete refs/entire/a/b $a"},
		"in no folder":                      {"update refs/entire/a $a", "delete refs/entire/a $a"},
		"all":                               {"update refs/heads/entire/a $a\nupdate refs/entire/b $b", "delete refs/heads/entire/a $a\ndelete refs/entire/b $b"},
		"a linked commit":                   {"update refs/heads/entire/v1 $a\nupdate refs/heads/entire/x $b", "update refs/heads/entire/v1 $b $a\nupdate refs/entire/turns/day $b $z\ndelete refs/heads/entire/x $b"},
		"deletion first":                    {"update refs/heads/entire/a/x $a", "delete refs/heads/entire/a/x $a\nupdate refs/heads/entire/a/y $a $z"},
		"renamed":                           {"update refs/heads/entire/a $a", "update refs/heads/entire/b $a $z\ndelete refs/heads/entire/a $a"},
		"two new ones":                      {"", "update refs/heads/entire/a $a $z\nupdate refs/entire/b/c $b $z"},
		"moved while packed":                {"update refs/heads/entire/a $a\npack\nupdate refs/heads/entire/x $a", "update refs/heads/entire/a $b $a\ndelete refs/heads/entire/x $a"},
		"a longer name is packed":           {"update refs/heads/entire/xy $a\npack\nupdate refs/heads/entire/x $a", "delete refs/heads/entire/x $a"},
		"a name that ends with it is there": {"update refs/heads/refs/heads/entire/x $a\npack\nupdate refs/heads/entire/x $a", "delete refs/heads/entire/x $a"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := testrepo.New(t)
			a := r.Head()
			b := r.Commit("b")
			in := strings.NewReplacer("$a", a, "$b", b, "$z", strings.Repeat("0", 40)).Replace
			for command := range strings.Lines(in(row.setUp)) {
				words := strings.Fields(command)
				if words[0] == "pack" {
					r.Git("pack-refs", "--all", "--prune")
				} else {
					r.Git("update-ref", words[1], words[2])
				}
			}
			other := r.Copy(t)
			var updates []RefUpdate
			for line := range strings.Lines(in(row.updates)) {
				words := strings.Fields(line)
				u := RefUpdate{Name: words[1], Old: oidOf(t, words[len(words)-1])}
				if words[0] == "update" {
					u.New = oidOf(t, words[2])
				}
				updates = append(updates, u)
			}
			if done, err := withoutGit(t, open(t, r), updates); !done || err != nil {
				t.Fatalf("git is asked: %t, %v", done, err)
			}
			other.GitInput(in(row.updates)+"\n", "update-ref", "--no-deref", "--stdin")
			if got, want := refFiles(t, r), refFiles(t, other); got != want {
				t.Errorf("without git:\n%s\nwith git:\n%s", got, want)
			}
			if got, want := refFolders(t, r), refFolders(t, other); !slices.Equal(got, want) {
				t.Errorf("folders without git: %q\nwith git: %q", got, want)
			}
			left, _ := filepath.Glob(r.Path(".git/objects/tmp_obj_*"))
			deeper, _ := filepath.Glob(r.Path(".git/objects/*/tmp_obj_*"))
			if locks, _ := filepath.Glob(r.Path(".git/*.lock")); len(left)+len(deeper)+len(locks) != 0 {
				t.Errorf("left behind: %q %q %q", left, deeper, locks)
			}
		})
	}
}

// TestTransactionsThatOnlyGitCarriesOut change no ref, because of one of their refs.
func TestTransactionsThatOnlyGitCarriesOut(t *testing.T) {
	t.Parallel()
	gitOnly(t)
	const moved, gone, added = "refs/heads/entire/moved", "refs/heads/entire/gone", "refs/heads/entire/added"
	for name, setUp := range map[string]func(r *testrepo.Repo){
		"packed":           func(r *testrepo.Repo) { r.Git("pack-refs", "--all", "--prune") },
		"packed and loose": func(r *testrepo.Repo) { r.Git("pack-refs", "--all", "--no-prune") },
		"refs are packed":  func(r *testrepo.Repo) { r.Write(".git/packed-refs.lock", "") },
		"packed elsewhere": func(r *testrepo.Repo) { r.Write("packed", ""); r.Symlink("../packed", ".git/packed-refs") }, // git's lock is there, too
		"gone is locked":   func(r *testrepo.Repo) { r.Write(".git/"+gone+".lock", "") },
		"added is locked":  func(r *testrepo.Repo) { r.Write(".git/"+added+".lock", "") },
		"symbolic":         func(r *testrepo.Repo) { r.Git("symbolic-ref", gone, moved) },
		"a link":           func(r *testrepo.Repo) { r.Remove(".git/" + gone); r.Symlink("moved", ".git/"+gone) },
		"broken":           func(r *testrepo.Repo) { r.Write(".git/"+gone, "") },
		"HEAD":             func(r *testrepo.Repo) { r.Git("symbolic-ref", "HEAD", gone) },
		"in the way":       func(r *testrepo.Repo) { r.Git("update-ref", added+"/x", "HEAD") },
		"log is a folder":  func(r *testrepo.Repo) { r.Write(".git/logs/"+moved+"/x", "") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := testrepo.New(t)
			a := oidOf(t, r.Head())
			b := oidOf(t, r.Commit("b"))
			r.Git("-c", "core.logAllRefUpdates=false", "update-ref", moved, a.String())
			r.Git("update-ref", gone, a.String())
			setUp(r)
			before := refFiles(t, r)
			updates := []RefUpdate{{moved, b, a}, {added, a, object.OID{}}, {gone, object.OID{}, a}}
			if done, err := withoutGit(t, open(t, r), updates); done || err != nil {
				t.Errorf("without git: %t, %v", done, err)
			}
			if after := refFiles(t, r); after != before {
				t.Errorf("before:\n%s\nafter:\n%s", before, after)
			}
		})
	}
}

// TestOneRefThatMovedStopsATransaction, with and without packed refs.
func TestOneRefThatMovedStopsATransaction(t *testing.T) {
	t.Parallel()
	gitOnly(t)
	r := testrepo.New(t)
	a := oidOf(t, r.Head())
	b := oidOf(t, r.Commit("b"))
	r.Git("update-ref", "refs/heads/entire/x", a.String())
	r.Git("update-ref", "refs/heads/entire/y", a.String())
	repo, before := open(t, r), refFiles(t, r)
	for _, updates := range [][]RefUpdate{
		{{"refs/heads/entire/x", b, a}, {"refs/heads/entire/y", object.OID{}, b}},
		{{"refs/heads/entire/x", b, b}, {"refs/heads/entire/y", object.OID{}, a}},
		{{"refs/heads/entire/y", object.OID{}, a}, {"refs/heads/entire/x", b, object.OID{}}},
		{{"refs/heads/entire/x", b, a}, {"refs/heads/entire/new", a, b}},
		{{"refs/heads/entire/y", object.OID{}, b}},
	} {
		if done, err := withoutGit(t, repo, updates); !done || !errors.Is(err, ErrRefMoved) {
			t.Errorf("%v: %t, %v", updates, done, err)
		}
		if err := repo.UpdateRefs(t.Context(), updates); !errors.Is(err, ErrRefMoved) {
			t.Errorf("%v: %v", updates, err)
		}
	}
	if after := refFiles(t, r); after != before {
		t.Errorf("before:\n%s\nafter:\n%s", before, after)
	}
	done, err := withoutGit(t, repo, []RefUpdate{{"refs/heads/entire/x", a, b}, {"refs/heads/entire/none", object.OID{}, a}})
	if !done || err != nil {
		t.Errorf("all is as it should be: %t, %v", done, err)
	}
}

// TestALockOfPackedRefsThatAKilledProgramLeft is removed once it is old if this program made it; git's is not.
func TestALockOfPackedRefsThatAKilledProgramLeft(t *testing.T) {
	t.Parallel()
	gitOnly(t)
	for _, content := range []string{packedLockMark, ""} {
		r := testrepo.New(t)
		head, lock := oidOf(t, r.Head()), r.Path(".git/packed-refs.lock")
		r.Git("update-ref", aloneRef, "HEAD")
		r.Git("pack-refs", "--all")
		r.Git("config", "core.packedRefsTimeout", "1")
		r.Write(".git/packed-refs.lock", content)
		old := time.Now().Add(-2 * StaleLock)
		ok(t, os.Chtimes(lock, old, old))
		repo, ours := open(t, r), content != ""
		if repo.OwnPackedLock() != ours {
			t.Errorf("%q is ours: %t", content, !ours)
		}
		if err := repo.UpdateRefs(t.Context(), []RefUpdate{{aloneRef, object.OID{}, head}}); (err == nil) != ours {
			t.Errorf("%q: %v", content, err)
		}
		if _, err := os.Lstat(lock); (err != nil) != ours {
			t.Errorf("%q: the lock: %v", content, err)
		}
	}
}

// TestALockOfPackedRefsThatGitLeft: to ask git again is useless, and takes a second each time.
func TestALockOfPackedRefsThatGitLeft(t *testing.T) {
	t.Parallel()
	gitOnly(t)
	r := testrepo.New(t)
	head, trace := oidOf(t, r.Head()), filepath.Join(r.Home, "trace")
	r.Git("update-ref", aloneRef, "HEAD")
	r.Git("pack-refs", "--all")
	r.Git("config", "core.packedRefsTimeout", "1")
	r.Write(".git/packed-refs.lock", "")
	old := time.Now().Add(-2 * StaleLock)
	ok(t, os.Chtimes(r.Path(".git/packed-refs.lock"), old, old))
	r.Setenv("GIT_TRACE", trace)
	repo := open(t, r)
	if err := repo.UpdateRefs(t.Context(), []RefUpdate{{aloneRef, object.OID{}, head}}); err == nil || !strings.Contains(err.Error(), "packed-refs.lock") {
		t.Errorf("error %v", err)
	}
	if said := string(must[[]byte](t)(os.ReadFile(trace))); strings.Count(said, "git update-ref") != 1 {
		t.Errorf("git ran not once:\n%s", said)
	}
	b := oidOf(t, r.Commit("b"))
	ok(t, repo.UpdateRefs(t.Context(), []RefUpdate{{aloneRef, b, head}}))
}

// TestADeadLockOfPackedRefs: nothing is packed under it any more, so a ref that is not packed is deleted beside it, if
// need be once the lock is old enough.
func TestADeadLockOfPackedRefs(t *testing.T) {
	t.Parallel()
	gitOnly(t)
	for name, age := range map[string]time.Duration{"in a file": 2 * StaleLock, "soon old": StaleLock - time.Second/4, "packed": 2 * StaleLock} {
		packed := name == "packed"
		r := testrepo.New(t)
		head, lock := oidOf(t, r.Head()), r.Path(".git/packed-refs.lock")
		r.Git("update-ref", aloneRef, "HEAD")
		r.Git("config", "core.packedRefsTimeout", "200")
		if packed {
			r.Git("pack-refs", "--all")
		}
		r.Write(".git/packed-refs.lock", "")
		old := time.Now().Add(-age)
		ok(t, os.Chtimes(lock, old, old))
		repo := open(t, r)
		if err := repo.UpdateRefs(t.Context(), []RefUpdate{{aloneRef, object.OID{}, head}}); (err != nil) != packed {
			t.Errorf("%s: %v", name, err)
		}
		if _, there, err := repo.Ref(t.Context(), aloneRef); err != nil || there != packed {
			t.Errorf("%s: it is there: %t, %v", name, there, err)
		}
		ok(t, statError(lock))
	}
}

// TestAnothersLockOfPackedRefsStays: a program that was stopped for long does not remove the lock that another took.
func TestAnothersLockOfPackedRefsStays(t *testing.T) {
	t.Parallel()
	gitOnly(t)
	r := testrepo.New(t)
	repo, lock := open(t, r), r.Path(".git/packed-refs.lock")
	unlock, locked := repo.lockPacked()
	if _, again := repo.lockPacked(); !locked || again {
		t.Fatalf("locked: %t, and once more: %t", locked, again)
	}
	ok(t, os.Remove(lock))
	r.Write(".git/packed-refs.lock", "another's")
	unlock()
	if _, err := os.Lstat(lock); err != nil {
		t.Error(err)
	}
	ok(t, os.Remove(lock))
	if unlock, locked = repo.lockPacked(); !locked {
		t.Fatal("not locked")
	}
	// Where sshfs or SMB have the files, a second name of a file is another inode, and times change later.
	text := r.Read(".git/packed-refs.lock")
	ok(t, os.Remove(lock))
	r.Write(".git/packed-refs.lock", text)
	if unlock(); !errors.Is(statError(lock), fs.ErrNotExist) {
		t.Error("our lock stays")
	}
}

func statError(path string) error {
	_, err := os.Lstat(path)
	return err
}

// togetherRefs are the refs of a process of incrementTogether: one that all share, but those whose names begin with
// apart, and two of its own in turn.
func togetherRefs(own string) [3]string {
	shared := "refs/heads/entire/shared"
	if strings.HasPrefix(own, "apart") {
		shared += own
	}
	return [3]string{shared, "refs/heads/entire/turn/" + own + "/a", "refs/heads/entire/turn/" + own + "/b"}
}

// togetherMain counts up a shared ref, and in the same transaction creates one of two refs and deletes the other.
func togetherMain(own string) int {
	ctx := context.Background()
	repo, err := Discover(ctx, os.Getenv("GIT_TEST_DIR"), os.Environ())
	if err == nil {
		times, _ := strconv.Atoi(os.Getenv("GIT_TEST_TIMES"))
		for n := 0; n < times && err == nil; n++ {
			message := fmt.Sprintf("%d %d", os.Getpid(), n)
			if err = incrementTogether(ctx, repo, own, message); err == nil {
				fmt.Println(message)
			}
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// incrementTogether finds both refs only where own is "x", for a program that is killed between two renames.
func incrementTogether(ctx context.Context, repo *Repo, own, message string) error {
	refs := togetherRefs(own)
	for {
		var was [3]object.OID
		for i, ref := range refs {
			var err error
			if was[i], _, err = repo.Ref(ctx, ref); err != nil {
				return err
			}
		}
		if !was[1].IsZero() && !was[2].IsZero() && own != "x" {
			return fmt.Errorf("%s: a deleted ref is back", own)
		}
		blob, err := repo.Writer().Blob([]byte(message))
		if err != nil {
			return err
		}
		c := object.Commit{Tree: repo.EmptyTree(), Author: tester, Committer: tester, Message: message}
		if !was[0].IsZero() {
			old, err := repo.Reader(ctx).Commit(was[0])
			if err != nil {
				return err
			}
			c.Tree, c.Parents = old.Tree, []object.OID{was[0]}
		}
		if c.Tree, err = repo.EditTree(ctx, c.Tree, []Edit{{Path: "d/" + message, Mode: object.ModeFile, OID: blob}}); err != nil {
			return err
		}
		tip, err := repo.Writer().Commit(c)
		if err != nil {
			return err
		}
		updates := []RefUpdate{{refs[0], tip, was[0]}}
		put, drop := 1, 2
		if !was[1].IsZero() {
			put, drop = 2, 1
		}
		updates = append(updates, RefUpdate{refs[put], tip, was[put]})
		if !was[drop].IsZero() {
			updates = append(updates, RefUpdate{refs[drop], object.OID{}, was[drop]})
		}
		if err = repo.UpdateRefs(ctx, updates); !errors.Is(err, ErrRefMoved) {
			return err
		}
	}
}

// TestTransactionsWithAndWithoutGit: programs that use git and others that do not lose no update. While git packs refs,
// where a packed ref is git's to delete, each moves refs of its own (see TestRefsMovedWithAndWithoutGit), and no ref
// that was deleted comes back.
func TestTransactionsWithAndWithoutGit(t *testing.T) {
	t.Parallel()
	gitOnly(t)
	for _, packs := range []bool{false, true} {
		t.Run(fmt.Sprintf("packs=%t", packs), func(t *testing.T) { t.Parallel(); transactBesideGit(t, packs) })
	}
}

func transactBesideGit(t *testing.T, packs bool) {
	const processes = 4
	name := func(i int) string { return map[bool]string{true: "apart"}[packs] + strconv.Itoa(i) }
	times := testrepo.Amount(15, 200)
	r := testrepo.New(t)
	var running sync.WaitGroup
	for i := range processes {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(slices.Clone(r.Env), "GIT_TEST_TOGETHER="+name(i), "GIT_TEST_DIR="+r.Dir, "GIT_TEST_TIMES="+strconv.Itoa(times))
		if i%2 == 1 {
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
	for running := packs; running; {
		select {
		case <-ended:
			running = false
		default:
			_, _ = r.TryGit("pack-refs", "--all", "--prune") // a lock may be in its way
		}
	}
	<-ended
	shared := map[string]int{}
	for i := range processes {
		refs := togetherRefs(name(i))
		shared[refs[0]] += times
		if there := r.Git("for-each-ref", "--format=%(refname)", filepath.Dir(refs[1])); there != refs[1+(times+1)%2] {
			t.Errorf("%d: %q", i, there)
		}
	}
	for ref, want := range shared {
		if n := r.Git("rev-list", "--count", ref); n != strconv.Itoa(want) {
			t.Errorf("%s: %s commits, want %d", ref, n, want)
		}
		var last object.OID
		for _, line := range reflogLines(t, r, ref) {
			if line.Old != last {
				t.Errorf("%s: the reflog goes from %s to %s", ref, last, line.Old)
			}
			last = line.New
		}
	}
	r.Fsck()
}

// TestKilledInATransaction: what a program had said to be done stays, whenever it is killed, and locks that it left
// stop no other program for long.
func TestKilledInATransaction(t *testing.T) {
	t.Parallel()
	gitOnly(t)
	r := testrepo.New(t)
	refs := togetherRefs("x")
	random := rand.New(rand.NewPCG(5, 6))
	var said []string
	for range testrepo.Amount(15, 500) {
		said = append(said, saidUntilKilled(t, r, random, "GIT_TEST_TOGETHER=x")...)
		old := time.Now().Add(-2 * StaleLock)
		for _, ref := range append([]string{packedRefsFile}, refs[:]...) {
			if err := os.Chtimes(r.Path(".git/"+ref+".lock"), old, old); err == nil {
				t.Log("a lock was left: " + ref)
			}
		}
	}
	ok(t, incrementTogether(t.Context(), open(t, r), "x", "last"))
	files := r.Listed(refs[0])
	for _, message := range said {
		if files["d/"+message] == "" {
			t.Errorf("%s is lost", message)
		}
	}
	reflogLines(t, r, refs[0])
	r.Fsck()
}

// TestKilledAtEachCallOfATransaction kills a program before each call that touches a ref, its lock or its reflog: the refs
// that live on move first, and what is left stops no later transaction.
func TestKilledAtEachCallOfATransaction(t *testing.T) {
	t.Parallel()
	gitOnly(t)
	strace, err := exec.LookPath("strace")
	if err != nil {
		t.Skip("strace is not installed")
	}
	r := testrepo.New(t)
	refs := togetherRefs("x")
	repo := open(t, r)
	args := []string{"-f", "-qq", "-o", "/dev/null"}
	locks := []string{r.Path(".git/packed-refs.lock")}
	for _, ref := range refs {
		locks = append(locks, r.Path(".git/"+ref+".lock"))
		args = append(args, "-P", r.Path(".git/"+ref), "-P", r.Path(".git/logs/"+ref))
	}
	for _, lock := range locks {
		args = append(args, "-P", lock)
	}
	kills := 0
	for _, call := range []string{"linkat", "renameat", "unlinkat", "openat"} {
		for n := 1; ; n++ {
			ok(t, incrementTogether(t.Context(), repo, "x", fmt.Sprintf("before %s %d", call, n))) // no lock is in its way
			before := valuesOf(t, r, refs)
			cmd := exec.Command(strace, append(slices.Clone(args), "-e", fmt.Sprintf("inject=%s:signal=KILL:when=%d", call, n), os.Args[0])...)
			cmd.Env = append(slices.Clone(r.Env), "GIT_TEST_TOGETHER=x", "GIT_TEST_DIR="+r.Dir, "GIT_TEST_TIMES=1", "GOMAXPROCS=1")
			said, err := cmd.Output()
			after := valuesOf(t, r, refs)
			put, drop := 1, 2
			if before[1] != "" {
				put, drop = 2, 1
			}
			switch moved, made, gone := after[0] != before[0], after[put] != before[put], after[drop] != before[drop]; {
			case gone && after[drop] != "", gone && (!made || !moved), made && !moved, made && after[put] != after[0]:
				t.Errorf("%s %d: %q became %q", call, n, before, after)
			case len(said) > 0 && !gone:
				t.Errorf("%s %d: it said that it is done", call, n)
			}
			old := time.Now().Add(-2 * StaleLock)
			for _, lock := range locks {
				_ = os.Chtimes(lock, old, old) // most are not there
			}
			if err == nil {
				break
			}
			kills++
		}
	}
	t.Logf("%d kills", kills)
	if kills < 10 {
		t.Errorf("only %d kills", kills)
	}
	for _, lock := range locks {
		if _, err := os.Lstat(lock); err == nil {
			t.Errorf("%s is left", lock)
		}
	}
	r.Fsck()
}

func valuesOf(t *testing.T, r *testrepo.Repo, refs [3]string) (out [3]string) {
	t.Helper()
	for i, ref := range refs {
		out[i], _ = r.TryGit("rev-parse", "--verify", "-q", ref) // fails where there is none
	}
	return out
}
