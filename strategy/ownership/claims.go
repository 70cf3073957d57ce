package ownership

import (
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"

	"entire/id"
	"entire/internal/attribution"
	"entire/strategy/sessionstate"
)

// claims collects, for the new lines of a commit, who wrote the same text before at another place or time, and
// then decides: a line that was brought here belongs to whoever wrote it.
type claims struct {
	s       *sessionstate.Env
	files   map[string]attributedFile
	several bool // the files' intervals are of several step chains, and cannot be compared

	people   map[attribution.Print][]place // where the new lines of a person are that are distinctive enough to be recognised
	byLine   map[string]map[int][]claim    // by path and line
	times    map[attribution.Print]int     // how many new lines, and old files, have a print; see isOnly
	gone     map[string]bool               // see isGone
	worktree worktreeLines
}

// claim says that the text of a line was written before. It does not say in which file: many files may have had a line,
// and a line has one claim for all of them.
type claim struct {
	owner attribution.Owner
	when  interval
	older bool // the text is older than the step chain, and who wrote it is not looked for
	alone bool // the place where it was written is enough to recognise a single line by itself
}

// longAgo is the interval of lines that are older than a step chain, and anyTime that of lines of which it is not
// known when they were written.
var longAgo, anyTime = interval{-1, -1}, interval{-1, math.MaxInt}

func newClaims(s *sessionstate.Env, files map[string]attributedFile, several bool) *claims {
	c := &claims{s: s, files: files, several: several, people: map[attribution.Print][]place{}, byLine: map[string]map[int][]claim{}, gone: map[string]bool{}, worktree: worktreeLines{}}
	for path, f := range files {
		for i, l := range f.Lines {
			if l.Added && !l.Moved && l.Owner.Class == attribution.Person && f.strong[i] {
				c.people[f.prints[i]] = append(c.people[f.prints[i]], place{path, i})
			}
		}
	}
	return c
}

// place is a line of a file, by its index.
type place struct {
	path string
	at   int
}

// add adds a claim unless the line at its present place is older.
func (c *claims) add(path string, line int, k claim) {
	if _, may := c.older(k, path, line); !may {
		return
	}
	if c.byLine[path] == nil {
		c.byLine[path] = map[int][]claim{}
	}
	if list := c.byLine[path][line]; !slices.Contains(list, k) {
		c.byLine[path][line] = append(list, k)
	}
}

// addFrom adds a claim that says that the text was written in the file from.
func (c *claims) addFrom(from, path string, line int, k claim) {
	k.alone = from == path || c.isGone(from)
	c.add(path, line, k)
}

// older reports whether the claimed line is surely older than the line at its present place, and whether it may be.
func (c *claims) older(k claim, path string, line int) (sure, may bool) {
	if c.several && k.when != longAgo {
		return false, true
	}
	return k.when.before(c.files[path].written[line])
}

// decide gives the claimed lines to their owners. A line of the same file, or of a file that is gone, is
// recognised by itself, as is a line that a change took out of another file, if no other is like it; other lines only
// as a block. What is not certain is unknown.
func (c *claims) decide() {
	for path, byLine := range c.byLine {
		f := c.files[path]
		alone := map[int]bool{} // recognised by itself
		blocks := make([]attribution.Claim, len(f.Lines))
		for i := range blocks {
			blocks[i].Weak = f.Lines[i].Added && !f.strong[i]
		}
		owners := map[int]attribution.Owner{}
		for i, list := range byLine {
			owners[i] = c.first(list, path, i)
			alone[i] = slices.ContainsFunc(list, func(k claim) bool { return k.alone })
			blocks[i].Source, blocks[i].Letters = sourceOf(owners[i]), f.letters[i]
		}
		holds := attribution.Blocks(blocks)
		for _, i := range slices.Sorted(maps.Keys(owners)) {
			o := owners[i]
			if !alone[i] && !holds[i] && !o.Is(f.Lines[i].Owner) {
				if !slices.ContainsFunc(byLine[i], func(k claim) bool { return !k.older }) {
					continue // one line that stood in another file may have been written twice
				}
				o = unknownOwner
			}
			f.settle(i, o)
		}
	}
}

func sourceOf(o attribution.Owner) string { return className[o.Class] + " " + o.Session }

// first returns the owner of the claim that is surely the earliest, unknown if claims of several owners may be, or
// if none is surely older than the line.
func (c *claims) first(list []claim, path string, line int) attribution.Owner {
	for _, k := range list {
		beats := func(other claim) bool { return k.owner.Is(other.owner) || k.when.surelyBefore(other.when) }
		if slices.ContainsFunc(list, func(other claim) bool { return !beats(other) }) {
			continue
		}
		sure, o := false, k.owner
		for _, other := range list {
			if !other.owner.Is(o) {
				continue
			}
			older, _ := c.older(other, path, line)
			sure = sure || older
			if other.owner.Turn != o.Turn {
				o.Turn = 0
			}
		}
		if !sure || o.Class == attribution.Before {
			return unknownOwner
		}
		return o
	}
	return unknownOwner
}

// movedLetters is how many letters and digits a line needs that is recognised by itself in another file.
const movedLetters = 20

// isOnly reports whether a new line says something, and no other line of the commit's files, old or new, has its text.
func (c *claims) isOnly(path string, line int) bool {
	if c.times == nil {
		c.times = map[attribution.Print]int{}
		for _, f := range c.files {
			for p := range attribution.PrintSet(f.parent) {
				c.times[p]++
			}
			for i, l := range f.Lines {
				if l.Added {
					c.times[f.prints[i]]++
				}
			}
		}
	}
	f := c.files[path]
	return f.letters[line] >= movedLetters && c.times[f.prints[line]] == 1
}

// isGone reports whether the worktree has no file at path.
func (c *claims) isGone(path string) bool {
	gone, known := c.gone[path]
	if !known {
		_, err := os.Lstat(filepath.Join(c.s.Repo.Top, filepath.FromSlash(path)))
		gone = os.IsNotExist(err)
		c.gone[path] = gone
	}
	return gone
}

// settle gives a line to its owner.
func (f attributedFile) settle(i int, o attribution.Owner) {
	f.settled[i] = true
	had := f.Lines[i].Owner
	if o.Remembered = had.Remembered; !o.Is(had) || o.Turn != 0 && o.Turn < had.Turn { // an earlier turn, whose file was renamed
		f.Lines[i].Owner = o
	}
}

// turnInterval returns the interval of a session's turn: the lines that its calls wrote are of it.
func turnInterval(authors []*Authors, sid id.SessionID, turn int) interval {
	when := interval{math.MaxInt, -1}
	for _, a := range authors {
		for _, t := range a.turns {
			if t.session == sid && t.number == turn {
				when = interval{min(when.first, t.since+1), max(when.last, t.until)}
			}
		}
	}
	if when.last < 0 { // no step shows anything of the turn
		return anyTime
	}
	return when
}
