package rewind_test

import (
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"entire/checkpoint/shadow"
	"entire/id"
	"entire/internal/git"
	"entire/internal/merge3"
	"entire/strategy/rewind"
	"entire/strategy/sessionstate"
)

// cells is the model of a file: each maker writes into lines of its own, far from
// the others', so that what a rewind must make of it is told by looking at whose a
// line is.
type cells map[string]string

const (
	cellsEach = 3
	aroundAll = 3
)

var cellMakers = []string{"s1", "s2", "me"}

func cellName(maker string, n int) string { return fmt.Sprintf("%s/%d", maker, n) }

func (c cells) text() string {
	var b strings.Builder
	for _, m := range cellMakers {
		for n := range cellsEach {
			for i := range aroundAll {
				fmt.Fprintf(&b, "around %s %d %d\n", m, n, i)
			}
			fmt.Fprintf(&b, "%s\n", c[cellName(m, n)])
		}
	}
	return b.String()
}

// blobs is a store of texts.
type blobs map[git.OID]string

func (b blobs) put(text string) sessionstate.FileVersion {
	sum := sha1.Sum([]byte(text))
	oid := git.MustOID(hex.EncodeToString(sum[:]))
	b[oid] = text
	return sessionstate.FileVersion{Mode: git.ModeFile, OID: oid}
}

func (b blobs) merge(base, ours, theirs sessionstate.FileVersion) (sessionstate.FileVersion, bool, error) {
	return rewind.MergeFiles(base, ours, theirs, func(base, ours, theirs git.OID) (git.OID, bool, error) {
		r := merge3.Merge([]byte(b[base]), []byte(b[ours]), []byte(b[theirs]))
		if !r.Clean() {
			return git.OID{}, false, nil
		}
		return b.put(string(r.Bytes())).OID, true, nil
	})
}

// walkOfAFile is a random history of one file, in the model and in the fold.
type walkOfAFile struct {
	t      *rapid.T
	blobs  blobs
	states []cells // before the first step, and after each
	steps  []rewind.HistoryStep
	makers []rewind.ChangeAuthor
	open   []int // rewinds' steps not undone
}

func (w *walkOfAFile) now() cells { return w.states[len(w.states)-1] }

func (w *walkOfAFile) story() rewind.FileHistory {
	var values []sessionstate.FileVersion
	for _, c := range append(slices.Clone(w.states), w.now()) { // the present is as the last step
		values = append(values, w.blobs.put(c.text()))
	}
	return rewind.NewFileHistory(values, w.steps, func(i int) rewind.ChangeAuthor { return w.makers[min(i, len(w.makers)-1)] }, func(int) (sessionstate.FileVersion, bool) { return sessionstate.FileVersion{}, false })
}

func (w *walkOfAFile) add(c cells, st rewind.HistoryStep, by rewind.ChangeAuthor) {
	w.states, w.steps, w.makers = append(w.states, c), append(w.steps, st), append(w.makers, by)
}

func (w *walkOfAFile) edit() {
	m := rapid.SampledFrom(cellMakers).Draw(w.t, "maker")
	c := maps.Clone(w.now())
	c[cellName(m, rapid.IntRange(0, cellsEach-1).Draw(w.t, "cell"))] = fmt.Sprintf("%s wrote %d", m, rapid.IntRange(0, 3).Draw(w.t, "what"))
	by := rewind.ChangeAuthor{Who: rewind.WhoSession, Session: m}
	if m == "me" {
		by = rewind.ChangeAuthor{Who: rewind.WhoPerson}
	}
	w.add(c, rewind.HistoryStep{Session: m}, by)
}

// rewind goes back to a step with a scope, and checks what the fold makes of it.
func (w *walkOfAFile) rewind() {
	if len(w.steps) == 0 {
		return
	}
	target := rapid.IntRange(0, len(w.steps)-1).Draw(w.t, "target")
	s1, s2 := mustSession("s1"), mustSession("s2")
	sc := rapid.SampledFrom([]shadow.StepScope{{All: true}, {Agents: true}, {Session: s1}, {Session: s2}}).Draw(w.t, "scope")
	want := maps.Clone(w.now())
	for _, m := range cellMakers {
		if sc.All || sc.Agents && m != "me" || sc.Session.String() == m {
			for n := range cellsEach {
				want[cellName(m, n)] = w.states[target+1][cellName(m, n)]
			}
		}
	}
	st := w.story()
	got, _, c, err := st.VersionWith(st.SelectChanges(sc, target, st.ActiveChanges[len(st.ActiveChanges)-1]), w.blobs.merge)
	if err != nil || c != nil {
		w.t.Fatalf("%v to step %d: conflict %v, %v", sc, target, c, err)
	}
	if w.blobs[got.OID] != want.text() {
		w.t.Fatalf("%+v to step %d:\n%s\nwant\n%s", sc, target, w.blobs[got.OID], want.text())
	}
	w.open = append(w.open, len(w.steps))
	w.add(want, rewind.HistoryStep{Rewind: &rewind.Effect{Target: target, Scope: sc, Undoes: rewind.NoStep}}, rewind.ChangeAuthor{})
}

// undo takes the newest rewind back, if its lines were left alone since.
func (w *walkOfAFile) undo() {
	if len(w.open) == 0 {
		return
	}
	r := w.open[len(w.open)-1]
	w.open = w.open[:len(w.open)-1]
	before, after, want := w.states[r], w.states[r+1], maps.Clone(w.now())
	for cell := range want {
		if before[cell] == after[cell] {
			continue
		}
		if want[cell] != after[cell] {
			return
		}
		want[cell] = before[cell]
	}
	w.add(want, rewind.HistoryStep{Rewind: &rewind.Effect{Target: r - 1, Scope: shadow.StepScope{All: true}, Undoes: r}}, rewind.ChangeAuthor{})
}

func mustSession(s string) id.SessionID {
	sid, err := id.ParseSessionID(s)
	if err != nil {
		panic(err)
	}
	return sid
}

func TestFoldAgreesWithTheModel(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		w := &walkOfAFile{t: t, blobs: blobs{}}
		first := cells{}
		for _, m := range cellMakers {
			for n := range cellsEach {
				first[cellName(m, n)] = "nothing yet"
			}
		}
		w.states = []cells{first}
		for range rapid.IntRange(1, 20).Draw(t, "length") {
			switch rapid.IntRange(0, 6).Draw(t, "act") {
			case 0, 1:
				w.rewind()
			case 2:
				w.undo()
			default:
				w.edit()
			}
		}
	})
}

func TestFilesAreMergedThreeWays(t *testing.T) {
	t.Parallel()
	b := blobs{}
	file := func(text string) sessionstate.FileVersion { return b.put(text) }
	exec := func(f sessionstate.FileVersion) sessionstate.FileVersion { f.Mode = git.ModeExec; return f }
	link := func(f sessionstate.FileVersion) sessionstate.FileVersion { f.Mode = git.ModeSymlink; return f }
	one, two, three, none := file("1\na\nb\nc\n2\n"), file("x\na\nb\nc\n2\n"), file("1\na\nb\nc\ny\n"), sessionstate.FileVersion{}
	both := file("x\na\nb\nc\ny\n")
	for name, row := range map[string]struct {
		base, ours, theirs, want sessionstate.FileVersion
		ok                       bool
	}{
		"content":                {one, two, three, both, true},
		"their mode, our text":   {one, two, exec(one), exec(two), true},
		"our mode, their text":   {one, exec(one), three, exec(three), true},
		"both, and modes":        {one, exec(two), three, exec(both), true},
		"mode taken by us":       {exec(one), one, exec(three), three, true},
		"same lines":             {one, two, file("z\na\nb\nc\n2\n"), two, false},
		"they remove":            {one, one, none, none, true},
		"they remove our change": {one, two, none, two, false},
		"we removed their text":  {one, none, two, none, false},
		"both removed":           {one, none, none, none, true},
		"both made it":           {none, two, three, two, false},
		"both made the same":     {none, two, two, two, true},
		"link and text":          {one, link(two), three, link(two), false},
		"they make it a link":    {one, one, link(two), link(two), true},
	} {
		t.Run(name, func(t *testing.T) {
			got, ok, err := b.merge(row.base, row.ours, row.theirs)
			if err != nil || ok != row.ok || got != row.want {
				t.Errorf("%v %v %v, want %v %v", got, ok, err, row.want, row.ok)
			}
		})
	}
}
