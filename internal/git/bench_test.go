package git

import (
	"fmt"
	"testing"

	"entire/internal/git/object"
	"entire/internal/git/store"
	"entire/internal/testrepo"
)

// thousand is a packed repository of 1,000 files with three of them changed.
func thousand(b *testing.B) *testrepo.Repo {
	files := map[string]string{}
	for i := range 1000 {
		files[fmt.Sprintf("d%02d/e%d/f%03d.go", i%20, i%3, i)] = fmt.Sprintf("package p // %d\n", i)
	}
	r := testrepo.New(b, testrepo.Files(files))
	r.Git("gc", "-q")
	return r
}

func change(r *testrepo.Repo, n int) {
	for i := range 3 {
		r.Write(fmt.Sprintf("d%02d/e%d/f%03d.go", i, i, i), fmt.Sprintf("package p // %d changed %d\n", i, n))
	}
}

// BenchmarkSnapshot is what a Stop hook does with git: discovery, status, three
// files hashed, their trees, a commit, a ref.
func BenchmarkSnapshot(b *testing.B) {
	r := thousand(b)
	n := 0
	for b.Loop() {
		b.StopTimer()
		change(r, n)
		n++
		b.StartTimer()
		repo, err := Discover(b.Context(), r.Dir, r.Env)
		ok(b, err)
		snapshot(b, repo, "refs/heads/entire/bench")
		ok(b, repo.Close())
	}
}

// BenchmarkStatus is plain git's part of it.
func BenchmarkStatus(b *testing.B) {
	r := thousand(b)
	change(r, 0)
	repo := open(b, r)
	for b.Loop() {
		must[*Status](b)(repo.Status(b.Context()))
	}
}

func BenchmarkHashFiles(b *testing.B) {
	for _, files := range []int{3, 100} {
		b.Run(fmt.Sprintf("%d files", files), func(b *testing.B) {
			r := testrepo.New(b)
			repo := open(b, r)
			paths := make([]string, files)
			for i := range paths {
				paths[i] = fmt.Sprintf("f%d", i)
			}
			n := 0
			for b.Loop() {
				b.StopTimer()
				for _, p := range paths {
					r.Write(p, fmt.Sprintf("%s %d\n", p, n))
				}
				n++
				b.StartTimer()
				must[store.HashResult](b)(repo.HashFiles(b.Context(), paths))
				ok(b, repo.Writer().Sync())
			}
		})
	}
}

// BenchmarkObjects writes a hundred blobs and makes them durable.
func BenchmarkObjects(b *testing.B) {
	repo := open(b, testrepo.New(b))
	n := 0
	for b.Loop() {
		for range 100 {
			must[object.OID](b)(repo.Writer().Blob(fmt.Appendf(nil, "blob %d\n", n)))
			n++
		}
		ok(b, repo.Writer().Sync())
	}
}

// BenchmarkEditTree changes one file of a folder of 10,000.
func BenchmarkEditTree(b *testing.B) {
	repo := open(b, testrepo.New(b))
	blob := must[object.OID](b)(repo.Writer().Blob([]byte("x")))
	entries := make([]object.TreeEntry, 10_000)
	for i := range entries {
		entries[i] = object.TreeEntry{Mode: object.ModeFile, Name: fmt.Sprintf("f%05d", i), OID: blob}
	}
	base := must[object.OID](b)(repo.Writer().Tree(entries))
	n := 0
	b.ReportAllocs()
	for b.Loop() {
		n++
		must[object.OID](b)(repo.EditTree(b.Context(), base, []store.Edit{{Path: fmt.Sprintf("n%d", n), Mode: object.ModeFile, OID: blob}}))
	}
}

func BenchmarkDiscover(b *testing.B) {
	r := testrepo.New(b)
	side := r.Worktree("side")
	for name, dir := range map[string]*testrepo.Repo{"ordinary": r, "linked": side} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				must[*Repo](b)(Discover(b.Context(), dir.Dir, dir.Env))
			}
		})
	}
}

// TestProcessesOfASnapshot counts what a Stop hook starts: status, hash-object,
// cat-file, for-each-ref (this test's own, for the old value), update-ref.
func TestProcessesOfASnapshot(t *testing.T) {
	t.Parallel()
	r := edited(testrepo.New(t, base))
	repo := open(t, r)
	spawns := countSpawns(t, repo.Repo)
	snapshot(t, repo, shapeRef)
	ok(t, repo.Close())
	if n := spawns(); n > 5 {
		t.Errorf("%d processes", n)
	}
}
