package store

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"entire/internal/testrepo"
)

func TestHashFilesNamesWhatItCannotStore(t *testing.T) {
	t.Parallel()
	r := testrepo.New(t)
	r.Write("a", "a\n")
	r.Write("d/f", "f\n")
	r.Write("z", "z\n")
	r.Write("nl\nname", "n\n")
	r.Symlink("/etc/passwd", "link")
	repo := open(t, r)
	paths := []string{"a", "gone", "d", "link", "nl\nname", "d/f/below", "z"}
	res := must[HashResult](t)(repo.HashFiles(t.Context(), paths))
	if want := map[string]string{"gone": "gone", "d": "a folder", "link": "a symbolic link", "d/f/below": "gone"}; !maps.Equal(res.Skipped, want) {
		t.Errorf("skipped %q, want %q", res.Skipped, want)
	}
	for _, p := range []string{"a", "nl\nname", "z"} {
		if got, want := res.OIDs[p], repo.BlobOID([]byte(r.Read(p))); got != want {
			t.Errorf("%q: %s, want %s", p, got, want)
		}
	}
	if len(res.OIDs) != 3 || len(res.Raw) != 0 {
		t.Errorf("stored %d, raw %q", len(res.OIDs), res.Raw)
	}
}

// TestOneBadFileDoesNotStopTheBatch: a file that only git finds it cannot store.
func TestOneBadFileDoesNotStopTheBatch(t *testing.T) {
	t.Parallel()
	r := testrepo.New(t, testrepo.Files(map[string]string{".gitattributes": "*.u16 working-tree-encoding=UTF-16LE\n"}))
	var paths []string
	for i := range 20 {
		p := fmt.Sprintf("f%02d", i)
		if i%3 == 0 {
			p += ".u16"
		}
		r.Write(p, "odd") // three bytes are no UTF-16
		paths = append(paths, p)
	}
	repo := open(t, r)
	res := must[HashResult](t)(repo.HashFiles(t.Context(), paths))
	if len(res.OIDs) != 20 || len(res.Skipped) != 0 {
		t.Errorf("stored %d of 20, skipped %q", len(res.OIDs), res.Skipped)
	}
	if len(res.Raw) != 7 {
		t.Errorf("stored as they are %q, want the seven that cannot be converted", res.Raw)
	}
}

// TestFilterThatIsNotHere: many files of a required filter that does not run
// cost a few processes, not one each, and other files keep their filters.
func TestFilterThatIsNotHere(t *testing.T) {
	t.Parallel()
	r := testrepo.New(t, testrepo.Files(map[string]string{".gitattributes": "*.big filter=lfs\n*.up filter=up\n"}))
	r.Git("config", "filter.lfs.process", "no-such-command-anywhere")
	r.Git("config", "filter.lfs.required", "true")
	r.Git("config", "filter.up.clean", "tr a-z A-Z")
	var paths, big []string
	for i := range 40 {
		p := fmt.Sprintf("d/%02d.%s", i, []string{"big", "up", "txt"}[i%3])
		r.Write(p, fmt.Sprintf("content %d\n", i))
		paths = append(paths, p)
		if i%3 == 0 {
			big = append(big, p)
		}
	}
	repo := open(t, r)
	spawns := countSpawns(t, repo)
	res := must[HashResult](t)(repo.HashFiles(t.Context(), paths))
	slices.Sort(res.Raw)
	if !slices.Equal(res.Raw, big) {
		t.Errorf("stored as they are %q, want %q", res.Raw, big)
	}
	for _, p := range paths {
		content := r.Read(p)
		if strings.HasSuffix(p, ".up") {
			content = strings.ToUpper(content)
		}
		if res.OIDs[p] != repo.BlobOID([]byte(content)) {
			t.Errorf("%s has another content", p)
		}
	}
	if n := spawns(); n > 3*hashTries+3 {
		t.Errorf("%d processes", n)
	}
}

// TestHashedFilesAreDurable: after Sync nothing git wrote for us is left to be
// written back, and its objects can be read.
func TestHashedFilesAreDurable(t *testing.T) {
	t.Parallel()
	r := testrepo.New(t)
	r.Write("a", "a\n")
	repo := open(t, r)
	res := must[HashResult](t)(repo.HashFiles(t.Context(), []string{"a", "README.md"}))
	r.Git("gc", "-q") // README.md's blob is in a pack now: nothing to write back
	ok(t, repo.Writer().Sync())
	if len(repo.loose) != 0 {
		t.Errorf("%q is not durable", repo.loose)
	}
	for p, oid := range res.OIDs {
		if got := r.Git("cat-file", "-p", oid.String()); got+"\n" != r.Read(p) {
			t.Errorf("%s holds %q", p, got)
		}
	}
}
