package lineage_test

import (
	"os"
	"testing"
)

// TestPlacesAreCached: lines that are older than the tool and come back in other files are unknown, whatever the cache
// knows: nothing, an earlier HEAD, or nonsense.
func TestPlacesAreCached(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	first, second := l.text("old old"), l.text("old old")
	l.Write("f.txt", first)
	l.Write("g.txt", second)
	l.plain("before the tool")
	l.enable()
	look := func(want string) {
		t.Helper()
		if got := l.blame("h.txt"); got != want {
			t.Errorf("the owners are %q, not %q", got, want)
		}
	}
	l.Remove("f.txt")
	l.plain("f is gone")
	l.Write("h.txt", first+l.text("h"))
	l.plain("by hand")
	look("? ? h")

	l.Remove("g.txt")
	l.plain("g is gone, too")
	l.Write("h.txt", l.Read("h.txt")+second)
	l.plain("by hand")
	look("? ? h ? ?")

	cache := l.GitPath("entire/cache/places")
	whole, err := os.ReadFile(cache)
	if err != nil {
		t.Fatal(err)
	}
	for _, data := range []string{"", "{", "{}\n", string(whole[:len(whole)-3]), string(whole[:len(whole)-4]) + "\xff\xff\xff\xff"} {
		if err := os.WriteFile(cache, []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
		look("? ? h ? ?")
	}
}
