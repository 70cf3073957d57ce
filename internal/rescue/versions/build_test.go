package versions_test

import (
	"crypto/sha1"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"entire/internal/rescue/versions"
)

// memory keeps contents in memory.
type memory struct {
	texts map[versions.Hash]string
	known map[versions.Hash]bool
}

func newMemory() *memory {
	return &memory{texts: map[versions.Hash]string{}, known: map[versions.Hash]bool{}}
}

func (m *memory) Get(h versions.Hash) ([]byte, error) {
	text, ok := m.texts[h]
	if !ok {
		return nil, fmt.Errorf("no %s", h)
	}
	return []byte(text), nil
}

func (m *memory) Put(content []byte) (versions.Hash, error) {
	h := versions.Hash(fmt.Sprintf("%x", sha1.Sum(content)))
	m.texts[h] = string(content)
	return h, nil
}

func (m *memory) Find(prefix string) (versions.Hash, bool) {
	for h := range m.texts {
		if strings.HasPrefix(string(h), prefix) {
			return h, true
		}
	}
	return "", false
}

func (m *memory) Known(h versions.Hash) bool { return m.known[h] }

func (m *memory) whole(text string, at time.Time) versions.Evidence {
	h, _ := m.Put([]byte(text))
	return versions.Evidence{Path: "f", At: at, Source: "whole", Content: h, Size: int64(len(text))}
}

func second(n int) time.Time { return time.Unix(1_800_000_000+int64(n)*10, 0) }

// TestHistories replays random histories of one file and tells only a part of each. What Build calls exact or
// verified was the content at that time; what it calls partial has no line that the content did not have.
func TestHistories(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		m := newMemory()
		text := "line 1\nline 2\nline 3\n"
		var evidence []versions.Evidence
		was := map[time.Time]string{}
		steps := rapid.IntRange(1, 12).Draw(t, "steps")
		for n := range steps {
			at := second(n)
			before := text
			told := rapid.SampledFrom([]string{"whole", "edit", "hunks", "shown", "silent edit", "read"}).Draw(t, "told")
			edit := randomEdit(t, text, n)
			switch told {
			case "whole":
				text = randomText(t, n)
				evidence = append(evidence, m.whole(text, at))
			case "edit":
				text = strings.Replace(text, edit.Old, edit.New, 1)
				evidence = append(evidence, versions.Evidence{Path: "f", At: at, Source: "edit", Kind: versions.Edited, Edits: []versions.Edit{edit}})
			case "hunks":
				text = strings.Replace(text, edit.Old, edit.New, 1)
				evidence = append(evidence, versions.Evidence{Path: "f", At: at, Source: "hunks", Kind: versions.Edited, Edits: []versions.Edit{hunksOf(before, text)}})
			case "silent edit":
				text = strings.Replace(text, edit.Old, edit.New, 1)
			case "shown":
				evidence = append(evidence, shown(t, text, at))
			case "read":
				e := m.whole(text, at)
				e.Loose = true
				evidence = append(evidence, e)
			}
			was[at] = text
		}
		list, err := versions.Build(evidence, m)
		if err != nil {
			t.Fatal(err)
		}
		everWas := map[string]bool{}
		for _, text := range was {
			everWas[text] = true
		}
		for _, v := range list {
			got := m.texts[v.Content]
			switch v.Sure {
			case versions.Exact:
				if got != was[v.At] {
					t.Fatalf("exact at %s: %q, was %q", v.At, got, was[v.At])
				}
			case versions.Verified:
				if !everWas[got] {
					t.Fatalf("verified %q, which never was", got)
				}
			}
		}
		for i := 1; i < len(list); i++ {
			if list[i].At.Before(list[i-1].At) {
				t.Fatal("not in the order of time")
			}
		}
	})
}

// TestToldHistories replays histories in which every change is told: each version comes back byte for byte.
func TestToldHistories(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		m := newMemory()
		text := randomText(t, 0)
		evidence := []versions.Evidence{m.whole(text, second(0))}
		want := []string{text}
		for n := 1; n <= rapid.IntRange(1, 10).Draw(t, "steps"); n++ {
			edit := randomEdit(t, text, n)
			next := strings.Replace(text, edit.Old, edit.New, 1)
			if rapid.Bool().Draw(t, "as hunks") {
				edit = hunksOf(text, next)
			}
			if text == next {
				continue
			}
			text = next
			evidence = append(evidence, versions.Evidence{Path: "f", At: second(n), Source: "edit", Kind: versions.Edited, Edits: []versions.Edit{edit}})
			want = append(want, text)
		}
		forward, err := versions.Build(evidence, m)
		if err != nil {
			t.Fatal(err)
		}
		if got := m.all(forward); !slices.Equal(got, want) {
			t.Fatalf("forward: got %q, want %q", got, want)
		}
		seen := append(slices.Clone(evidence), m.whole(text, second(99)))
		list, err := versions.Build(seen, m)
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range list {
			if v.Sure < versions.Verified {
				t.Fatalf("a chain between two contents is %s at %s", v.Sure, v.At)
			}
		}
	})
}

// TestBackwards rebuilds what was before changes, where only the content after them is known.
func TestBackwards(t *testing.T) {
	t.Parallel()
	m := newMemory()
	evidence := []versions.Evidence{
		{Path: "f", At: second(1), Source: "edit", Kind: versions.Edited, Edits: []versions.Edit{{Old: "one", New: "two"}}},
		{Path: "f", At: second(2), Source: "edit", Kind: versions.Edited, Edits: []versions.Edit{{Old: "two", New: "three"}}},
		m.whole("begin\nthree\nend\n", second(3)),
	}
	list, err := versions.Build(evidence, m)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"begin\none\nend\n", "begin\ntwo\nend\n", "begin\nthree\nend\n"}
	if got := m.all(list); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if last := list[len(list)-1]; last.Sure != versions.Exact || !last.Last.Equal(second(3)) {
		t.Errorf("the last one is %s, seen until %s", last.Sure, last.Last)
	}
}

// TestPartial: some lines of a file were shown, and they stay known through changes.
func TestPartial(t *testing.T) {
	t.Parallel()
	m := newMemory()
	list, err := versions.Build([]versions.Evidence{
		{Path: "f", At: second(1), Kind: versions.Shown, First: 3, Total: 6, Text: "c\nd"},
		{Path: "f", At: second(2), Kind: versions.Edited, Edits: []versions.Edit{{Old: "d", New: "D\nE"}}},
		{Path: "f", At: second(3), Kind: versions.Shown, First: 1, Total: 7, Text: "a\nb"},
		{Path: "f", At: second(4), Kind: versions.Shown, First: 6, Total: 7, Text: "f\n"},
	}, m)
	if err != nil {
		t.Fatal(err)
	}
	last := list[len(list)-1]
	if got := m.texts[last.Content]; last.Sure != versions.Rebuilt || got != "a\nb\nc\nD\nE\nf\n" {
		t.Errorf("%s %q", last.Sure, got)
	}
	if first := list[0]; first.Sure != versions.Partial || m.texts[first.Content] != "[lines 1 to 2 are not known]\nc\nd\n[lines 5 to 6 are not known]\n" {
		t.Errorf("%s %q", first.Sure, m.texts[first.Content])
	}
}

// TestSubstitutions replaces texts in lines as sed does.
func TestSubstitutions(t *testing.T) {
	t.Parallel()
	sed, err := exec.LookPath("sed")
	if err != nil {
		t.Skip("there is no sed here")
	}
	for script, edit := range map[string]versions.Edit{
		"s/a/b/":   {EachLine: true, Old: "a", New: "b"},
		"s/a/b/g":  {EachLine: true, Old: "a", New: "b", All: true},
		"s/^a/b/":  {EachLine: true, Old: "a", New: "b", Begins: true},
		"s/a$/b/":  {EachLine: true, Old: "a", New: "b", Ends: true},
		"s/^a$/b/": {EachLine: true, Old: "a", New: "b", Begins: true, Ends: true},
		"s/aa//":   {EachLine: true, Old: "aa"},
	} {
		for _, text := range []string{"a\naa\n ba a\n\nend a", "a\n", "none\n", "aaaa\na"} {
			cmd := exec.Command(sed, script)
			cmd.Stdin = strings.NewReader(text)
			want, err := cmd.Output()
			if err != nil {
				t.Fatal(err)
			}
			m := newMemory()
			list, err := versions.Build([]versions.Evidence{m.whole(text, second(0)),
				{Path: "f", At: second(1), Kind: versions.Edited, Edits: []versions.Edit{edit}}}, m)
			if err != nil {
				t.Fatal(err)
			}
			if got := m.texts[list[len(list)-1].Content]; got != string(want) {
				t.Errorf("%s of %q: %q, want %q", script, text, got, want)
			}
		}
	}
}

func (m *memory) all(list []versions.Version) []string {
	var out []string
	for _, v := range list {
		out = append(out, m.texts[v.Content])
	}
	return out
}

func randomText(t *rapid.T, n int) string {
	var b strings.Builder
	for i := range rapid.IntRange(1, 8).Draw(t, "lines") {
		fmt.Fprintf(&b, "text %d.%d\n", n, i)
	}
	if rapid.Bool().Draw(t, "open end") {
		return strings.TrimSuffix(b.String(), "\n")
	}
	return b.String()
}

// randomEdit replaces a run of lines, which are all different, by others.
func randomEdit(t *rapid.T, text string, n int) versions.Edit {
	lines := strings.SplitAfter(text, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	from := rapid.IntRange(0, len(lines)-1).Draw(t, "from")
	to := rapid.IntRange(from+1, len(lines)).Draw(t, "to")
	e := versions.Edit{Old: strings.Join(lines[from:to], "")}
	for i := range rapid.IntRange(1, 3).Draw(t, "new lines") {
		e.New += fmt.Sprintf("edit %d.%d\n", n, i)
	}
	return e
}

// hunksOf returns the change between two texts as one hunk with all lines.
func hunksOf(before, after string) versions.Edit {
	h := versions.Hunk{}
	add := func(sign, text string) {
		for line := range strings.Lines(text) {
			h.Lines = append(h.Lines, sign+strings.TrimSuffix(line, "\n"))
			if !strings.HasSuffix(line, "\n") {
				h.Lines = append(h.Lines, `\ No newline at end of file`)
			}
		}
	}
	add("-", before)
	add("+", after)
	return versions.Edit{Hunks: []versions.Hunk{h}}
}

func shown(t *rapid.T, text string, at time.Time) versions.Evidence {
	lines := strings.Split(text, "\n")
	from := rapid.IntRange(0, len(lines)-1).Draw(t, "shown from")
	to := rapid.IntRange(from+1, len(lines)).Draw(t, "shown to")
	return versions.Evidence{Path: "f", At: at, Source: "shown", Kind: versions.Shown, First: from + 1, Total: len(lines), Text: strings.Join(lines[from:to], "\n")}
}

// TestTreeSeemsYoungerThanTheLoss: a tree that git may have made bears a time after the loss, because a step's time is
// whole seconds. The content that a step saw before is lost all the same; what only such a tree shows is not.
func TestTreeSeemsYoungerThanTheLoss(t *testing.T) {
	t.Parallel()
	m := newMemory()
	saw, tree, gone := m.whole("mine\n", second(1)), m.whole("mine\n", second(2).Add(300*time.Millisecond)), m.whole("", second(2))
	saw.Snapshot, tree.Computed, gone.Kind = true, true, versions.Gone
	for name, row := range map[string]struct {
		evidence []versions.Evidence
		why      versions.Why
	}{
		"a step saw it":  {[]versions.Evidence{saw, gone, tree}, versions.Missing},
		"only git's own": {[]versions.Evidence{gone, tree}, versions.Deleted},
	} {
		list, err := versions.Build(row.evidence, m)
		if err != nil {
			t.Fatal(err)
		}
		if i, why := versions.Choose(list, versions.Present{}, false, func(versions.Hash) bool { return false }); why != row.why || i >= 0 && list[i].Content != saw.Content {
			t.Errorf("%s: version %d, %q, want %q", name, i, why, row.why)
		}
	}
}
