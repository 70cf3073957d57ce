package store

import (
	"bytes"
	"crypto/sha1"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"entire/internal/git/object"
	"entire/internal/testrepo"
)

// layered is a repository with objects of every kind in every place: two packs
// with deltas by offset and by name, loose ones, a packed and a loose ref.
func layered(t *testing.T) *testrepo.Repo {
	t.Helper()
	r := testrepo.New(t, base)
	words := rand.New(rand.NewPCG(1, 2))
	text := make([]string, 400)
	for i := range text {
		text[i] = fmt.Sprintf("line %d of %x", i, words.Uint64())
	}
	step := func(n int) {
		text[words.IntN(len(text))] = fmt.Sprintf("changed in %d to %x", n, words.Uint64())
		r.Write("src/deep/er/big.txt", strings.Join(text, "\n"))
		r.Write(fmt.Sprintf("src/many/file%d", n), fmt.Sprint(n))
		r.Commit(fmt.Sprint("step ", n))
	}
	for n := range 12 {
		step(n)
	}
	r.Git("tag", "-a", "-m", "a tag", "v1")
	r.Git("repack", "-q", "-a", "-d", "--depth=50", "--window=50")
	r.Git("pack-refs", "--all")
	for n := range 6 {
		step(100 + n)
	}
	r.Git("-c", "repack.usedeltabaseoffset=false", "repack", "-q", "-d")
	step(200)
	r.Git("update-ref", "refs/heads/entire/loose", "HEAD~2")
	r.Write("empty", "")
	r.Git("rm", "-q", "-r", "--cached", "src/deep")
	r.Git("commit", "-q", "-m", "a loose one")
	return r
}

// everything lists all objects of a repository.
func everything(r *testrepo.Repo) (specs []string) {
	for line := range strings.Lines(r.Git("cat-file", "--batch-all-objects", "--batch-check=%(objectname)")) {
		specs = append(specs, strings.TrimSpace(line))
	}
	return specs
}

// asked is a reader that asks git for everything.
func asked(t *testing.T, r *testrepo.Repo) *Reader {
	t.Helper()
	rd := open(t, r).Reader(t.Context())
	rd.files = nil
	return rd
}

func TestNativeReaderAnswersAsGit(t *testing.T) {
	t.Parallel()
	r := layered(t)
	specs := everything(r)
	head := r.Head()
	for _, s := range []string{
		"HEAD", "HEAD^{commit}", "HEAD^{tree}", "HEAD~1", "HEAD~19", "HEAD~20", head + "~3", head + "^{commit}", head + "^{tree}", head + "~0",
		"refs/heads/main", "refs/heads/main^{commit}", "refs/heads/entire/loose^{commit}", "refs/heads/entire", "refs/heads/none^{commit}", "refs/heads/entire/none",
		"HEAD:src", "HEAD:src/many/file3", "HEAD:src/none/x", "HEAD:empty/below", "HEAD~1:src/deep/er/big.txt", "refs/heads/entire/loose:src", "HEAD^{tree}:src",
		"main", "refs/tags/v1", "refs/tags/v1^{commit}", "v1~2", "nope", strings.Repeat("12", 20), "HEAD:", "HEAD^", "HEAD~", "HEAD:src//many", "HEAD:src/", "HEAD~x", "@",
	} {
		specs = append(specs, s)
	}
	want := must[[]object.Object](t)(asked(t, r).Objects(specs...))
	for i, s := range specs {
		rd := open(t, r).Reader(t.Context())
		got := must[[]object.Object](t)(rd.Objects(s))[0]
		if got.OID != want[i].OID || got.Type != want[i].Type || !bytes.Equal(got.Data, want[i].Data) {
			t.Errorf("%s: %s %s with %d bytes, want %s %s with %d", s, got.Type, got.OID, len(got.Data), want[i].Type, want[i].OID, len(want[i].Data))
		}
		if len(s) == 40 && want[i].Type != "" && rd.cmd != nil {
			t.Errorf("%s: git was asked", s)
		}
		small := must[[]object.Object](t)(rd.Small(50, s))[0]
		if len(got.Data) <= 50 && small.Large || len(got.Data) > 50 && (!small.Large || small.Data != nil || small.Type != got.Type) {
			t.Errorf("%s: small %s with %d bytes, large %t", s, small.Type, len(small.Data), small.Large)
		}
		fresh := open(t, r).Reader(t.Context())
		if small := must[[]object.Object](t)(fresh.Small(50, s))[0]; small.OID != got.OID || small.Type != got.Type || small.Large != (len(got.Data) > 50) {
			t.Errorf("%s: at once small %+v", s, small)
		}
	}
}

// What a reader has given away stays as it is, in whatever order a long chain of deltas is
// read.
func TestNativeReaderReadsLongChains(t *testing.T) {
	t.Parallel()
	r := testrepo.New(t, base)
	words := rand.New(rand.NewPCG(3, 4))
	text := make([]string, 100)
	for i := range text {
		text[i] = fmt.Sprintf("line %d of %x", i, words.Uint64())
	}
	var versions []string
	for n := range 45 {
		text[words.IntN(len(text))] = fmt.Sprintf("changed in %d to %x", n, words.Uint64())
		r.Write("file", strings.Join(text, "\n"))
		r.Commit(fmt.Sprint("step ", n))
		versions = append(versions, strings.TrimSpace(r.Git("rev-parse", "HEAD:file")))
	}
	r.Git("repack", "-q", "-a", "-d", "-f", "--depth=50", "--window=50")
	shuffled := slices.Clone(versions)
	words.Shuffle(len(shuffled), func(i, k int) { shuffled[i], shuffled[k] = shuffled[k], shuffled[i] })
	backward := slices.Clone(versions)
	slices.Reverse(backward)
	for name, order := range map[string][]string{"forward": versions, "backward": backward, "shuffled": append(shuffled, shuffled...)} {
		rd := open(t, r).Reader(t.Context())
		var got []object.Object
		for few := range slices.Chunk(order, nativeObjects) {
			got = append(got, must[[]object.Object](t)(rd.Objects(few...))...)
		}
		for i, o := range got {
			if oid := object.ObjectOID(sha1.New(), "blob", o.Data); oid.String() != order[i] {
				t.Errorf("%s: the %d. version is %s, not %s", name, i, oid, order[i])
			}
		}
		if rd.cmd != nil {
			t.Errorf("%s: git was asked", name)
		}
	}
}

// TestOrdinaryReadsStartNoGit: what hooks ask for.
func TestOrdinaryReadsStartNoGit(t *testing.T) {
	t.Parallel()
	r := layered(t)
	for _, s := range []string{
		"HEAD^{commit}", "refs/heads/main^{commit}", "refs/heads/entire/none^{commit}", "refs/heads/entire/loose^{commit}",
		"HEAD:src/many/file3", "HEAD:none", "HEAD~4", "HEAD~1000", r.Head() + "^{tree}",
	} {
		rd := open(t, r).Reader(t.Context())
		if _, err := rd.Objects(s); err != nil || rd.cmd != nil {
			t.Errorf("%s: git was asked, error %v", s, err)
		}
	}
}

func TestOnlyGitReadsUnusualStores(t *testing.T) {
	t.Parallel()
	borrowed := layered(t).Clone("--shared")
	for name, r := range map[string]*testrepo.Repo{"alternates": borrowed, "sha256": testrepo.New(t, testrepo.SHA256(), base)} {
		rd := open(t, r).Reader(t.Context())
		o, err := rd.Object("HEAD^{commit}")
		if err != nil || o.OID.String() != r.Head() || rd.files != nil {
			t.Errorf("%s: %s, %v", name, o.OID, err)
		}
	}
	cut := layered(t)
	cut.Git("fetch", "-q", "--depth=3", cut.Clone("--bare").Dir, "main:cut", "--update-shallow")
	if !cut.Exists(".git/shallow") {
		t.Fatal("the repository is not shallow")
	}
	for _, s := range []string{"HEAD~1", "HEAD~2", "HEAD~3", "HEAD~9"} {
		want := must[[]object.Object](t)(asked(t, cut).Objects(s))[0]
		if got := must[[]object.Object](t)(open(t, cut).Reader(t.Context()).Objects(s))[0]; got.OID != want.OID {
			t.Errorf("%s of a shallow repository is %s, want %s", s, got.OID, want.OID)
		}
	}
}

// TestDamagedPackIsNeverBelieved: whatever happens to a pack or its index, what
// is read natively is what the ID says, or nothing.
func TestDamagedPackIsNeverBelieved(t *testing.T) {
	t.Parallel()
	r := layered(t)
	good := map[object.OID][]byte{}
	var ids []object.OID
	for _, s := range everything(r) {
		o := must[object.Object](t)(asked(t, r).Object(s))
		good[o.OID] = o.Data
		ids = append(ids, o.OID)
	}
	files, err := filepath.Glob(r.Path(".git/objects/pack/*"))
	ok(t, err)
	random := rand.New(rand.NewPCG(3, 4))
	found := 0
	for range 150 {
		path := files[random.IntN(len(files))]
		data := must[[]byte](t)(os.ReadFile(path))
		bad := slices.Clone(data)
		switch random.IntN(4) {
		case 0:
			bad = bad[:random.IntN(len(bad))]
		default:
			for range 1 + random.IntN(8) {
				bad[random.IntN(len(bad))] = byte(random.Uint32())
			}
		}
		ok(t, os.Remove(path))
		ok(t, os.WriteFile(path, bad, 0o644))
		store := object.NewObjectFiles(open(t, r).objects, true)
		for range 40 {
			id := ids[random.IntN(len(ids))]
			o, err := store.Read(id, 0)
			if err != nil {
				continue
			}
			if found++; !bytes.Equal(o.Data, good[id]) {
				t.Fatalf("%s was read as something else", id)
			}
		}
		store.Close()
		ok(t, os.WriteFile(path, data, 0o644))
	}
	if found < 1000 {
		t.Errorf("only %d objects were read", found)
	}
}
