package merge

import (
	"fmt"
	"maps"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"entire/checkpoint/chunk"
	"entire/checkpoint/internal/checkpointtest"
	"entire/id"
	"entire/internal/git"
)

// fact is what the model knows of a session in a checkpoint.
type fact struct {
	lines   int    // of its transcript
	written int    // minute of the last record
	summary string // "" for none
}

// facts are a branch as the model sees it: sessions by checkpoint.
type facts map[id.CheckpointID]map[string]fact

func (f facts) with(cp id.CheckpointID, sid string, v fact) facts {
	next := maps.Clone(f)
	next[cp] = maps.Clone(f[cp])
	if next[cp] == nil {
		next[cp] = map[string]fact{}
	}
	next[cp][sid] = v
	return next
}

func (f facts) without(cp id.CheckpointID) facts {
	next := maps.Clone(f)
	delete(next, cp)
	return next
}

// merged is the three-way merge, on maps.
func (f facts) merged(a, b facts) facts {
	out := facts{}
	for cp := range union(a, b) {
		was, inA, inB := f[cp], a[cp], b[cp]
		switch {
		case inA == nil && inB == nil, inA == nil && reflect.DeepEqual(was, inB), inB == nil && reflect.DeepEqual(was, inA):
			continue
		case reflect.DeepEqual(was, inA):
			out[cp] = inB
			continue
		case reflect.DeepEqual(was, inB):
			out[cp] = inA
			continue
		}
		out[cp] = map[string]fact{}
		for sid := range union(inA, inB) {
			x, hasX := inA[sid]
			y, hasY := inB[sid]
			switch {
			case !hasX:
				out[cp][sid] = y
			case !hasY:
				out[cp][sid] = x
			default:
				out[cp][sid] = was[sid].merged(x, y)
			}
		}
	}
	return out
}

func (f fact) merged(x, y fact) fact {
	out := fact{
		lines:   oneChanged(f.lines, x.lines, y.lines, x.lines > y.lines),
		written: oneChanged(f.written, x.written, y.written, x.written > y.written),
		summary: oneChanged(f.summary, x.summary, y.summary, x.written > y.written || x.written == y.written && x.summary > y.summary),
	}
	return out
}

func oneChanged[T comparable](was, x, y T, first bool) T {
	if y == was || x != was && first {
		return x
	}
	return y
}

func union[K comparable, V any](a, b map[K]V) map[K]bool {
	keys := map[K]bool{}
	for k := range a {
		keys[k] = true
	}
	for k := range b {
		keys[k] = true
	}
	return keys
}

// read takes the branch at tip apart again, and insists that its summaries are
// right.
func (l *lab) read(tip git.OID) facts {
	l.Helper()
	got := facts{}
	var ids []id.CheckpointID
	for _, dir := range strings.Fields(l.r.Git("ls-tree", "-rd", "--name-only", tip.String())) {
		if cp, err := id.NewCheckpointID(strings.ReplaceAll(dir, "/", "")); err == nil {
			ids = append(ids, cp)
		}
	}
	for _, cp := range ids {
		f := l.stored(tip, cp)
		got[cp] = map[string]fact{}
		for i, s := range f.Slots {
			if s.Number != i || s.Err != nil {
				l.Errorf("checkpoint %s: slot %d at %d, %v", cp, s.Number, i, s.Err)
			}
			e, _ := s.File(chunk.TranscriptName)
			text, err := l.repo.Reader(l.Context()).Blob(e.OID)
			if err != nil {
				l.Fatal(err)
			}
			v := fact{lines: strings.Count(string(text), "\n"), written: int(s.Meta.CreatedAt.Sub(checkpointtest.Noon).Minutes())}
			if s.Meta.Summary != nil {
				v.summary = s.Meta.Summary.Intent
			}
			got[cp][s.Meta.SessionID] = v
		}
		if n := f.Summary.CheckpointsCount; n != 2*len(f.Slots) || len(f.Summary.Sessions) != len(f.Slots) {
			l.Errorf("checkpoint %s: summary counts %d steps of %d sessions, there are %d", cp, n, len(f.Summary.Sessions), len(f.Slots))
		}
	}
	return got
}

// clones are some tips with their models, and the models of all commits, in
// which a merge finds its base.
type clones struct {
	*lab
	tips   []git.OID
	models map[git.OID]facts
	minute int
}

func (c *clones) write(i int, tip git.OID, model facts) {
	c.tips[i] = tip
	if c.models[tip] == nil {
		c.models[tip] = model
	}
}

// base is the model of what commits have in common: of histories merged crosswise,
// the merge of their bases, in the order of their IDs.
func (c *clones) base(commit git.OID, others ...git.OID) facts {
	args := []string{"merge-base", "--all", commit.String()}
	for _, o := range others {
		args = append(args, o.String())
	}
	var bases []git.OID
	for _, line := range strings.Fields(c.r.Git(args...)) {
		bases = append(bases, git.MustOID(line))
	}
	sortOIDs(bases)
	model := c.models[bases[0]]
	for i := 1; i < len(bases); i++ {
		model = c.base(bases[i], bases[:i]...).merged(model, c.models[bases[i]])
	}
	return model
}

// pull merges clone j into clone i.
func (c *clones) pull(t *rapid.T, i, j int) {
	a, b := c.tips[i], c.tips[j]
	tip := c.merge(a, b)
	if tip != a && tip != b {
		want := c.base(a, b).merged(c.models[a], c.models[b])
		if got := c.read(tip); !reflect.DeepEqual(got, want) {
			t.Fatalf("merge of %s and %s:\n got %v\nwant %v", a, b, got, want)
		}
		c.write(i, tip, want)
	}
	c.tips[i] = tip
}

// Clones that write, rewrite, finalise, summarise and delete, and exchange their
// branches whenever they like, see what a merge of maps gives, and end with one
// and the same commit.
func TestMergeIsAMergeOfMaps(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	var ids []id.CheckpointID
	for i := range 5 {
		ids = append(ids, id.MustCheckpointID(fmt.Sprintf("%02x%010x", i%2, i)))
	}
	sids := []string{"s1", "s2", "s3"}
	root := l.session(git.OID{}, ids[0], "s1", 1, 0)
	rapid.Check(t, func(t *rapid.T) {
		c := &clones{lab: l, tips: []git.OID{root, root, root}, models: map[git.OID]facts{root: l.read(root)}}
		for range rapid.IntRange(1, 12).Draw(t, "n") {
			c.minute++
			i := rapid.IntRange(0, 2).Draw(t, "clone")
			cp, sid := rapid.SampledFrom(ids).Draw(t, "cp"), rapid.SampledFrom(sids).Draw(t, "sid")
			tip, model := c.tips[i], c.models[c.tips[i]]
			v, exists := model[cp][sid]
			switch op := rapid.SampledFrom([]string{"write", "write", "final", "summary", "drop", "pull", "pull"}).Draw(t, "op"); {
			case op == "pull":
				c.pull(t, i, rapid.IntRange(0, 2).Draw(t, "from"))
			case op == "write":
				v.lines, v.written = rapid.IntRange(1, 9).Draw(t, "lines"), c.minute
				c.write(i, l.session(tip, cp, sid, v.lines, v.written), model.with(cp, sid, v))
			case op == "drop" && model[cp] != nil:
				c.write(i, l.drop(tip, cp), model.without(cp))
			case op == "final" && exists:
				v.lines += rapid.IntRange(1, 9).Draw(t, "lines") // a conversation that went on
				c.write(i, l.final(tip, cp, sid, v.lines), model.with(cp, sid, v))
			case op == "summary" && exists:
				v.summary = fmt.Sprint("intent ", c.minute, i)
				c.write(i, l.summary(tip, cp, sid, v.summary), model.with(cp, sid, v))
			}
		}
		c.settle(t)
	})
	l.r.Fsck()
}

// settle lets the clones exchange their branches as a remote would.
func (c *clones) settle(t *rapid.T) {
	for _, p := range rapid.Permutation([]int{0, 1, 2}).Draw(t, "order") {
		c.pull(t, 0, p)
	}
	for i := range c.tips {
		c.pull(t, i, 0)
	}
	if c.tips[0] != c.tips[1] || c.tips[1] != c.tips[2] {
		t.Fatalf("the clones end with %v", c.tips)
	}
}
