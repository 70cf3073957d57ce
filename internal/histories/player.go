package histories

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// How is how git came to what it has made.
type How int

const (
	Hooked   How = iota // git commit with hooks
	Unhooked            // no hook heard of the commit
	Unlinked            // the person took the trailer out
	Amended             // in the place of another commit
	Merged              // with several parents
	Squashed            // git commit after merge --squash
	Copied              // by rebase, cherry-pick or revert, whose messages travel; or no commit at all
	Reverted            // by revert
	Folded              // by an interactive rebase without conflicts that keeps all that the commits had
)

// A By is who does something: a session's agent, or a person, for whom it is nil.
type By = *Session

// An Oracle plays the parts of operations, and observes what comes of them.
type Oracle interface {
	// Git runs a command that changes something.
	Git(c Command) Outcome
	// Edit changes files of a worktree.
	Edit(by By, wt int, edits []Edit)
	// Prompt and Stop begin and end a turn.
	Prompt(s *Session)
	Stop(s *Session)
	// Before and After are called around commands that may move HEAD; how is what the commits are.
	Before(wt int)
	After(wt int, how How)
	// Folding is called ahead of commands that make fewer commits (by less) of those in a range.
	Folding(wt int, revs string, less int)
}

// Afterwards is the part of an Oracle that is not told of what is about to happen.
type Afterwards struct{}

// Before does nothing.
func (Afterwards) Before(int) {}

// Folding does nothing.
func (Afterwards) Folding(int, string, int) {}

// A Player is one history under way.
type Player struct {
	Oracle
	Repo     *Repo // whose state operations look at
	Sessions []*Session
	Kinds    map[string]func(*rand.Rand) // of the oracle's own operations

	Names    []string   // the paths that are worked at
	Links    []string   // what links may lead to, beside names that are nowhere
	Skip     []string   // the paths at the top that nobody works at
	Branches [][]string // of each worktree, the main one first
	First    string     // the commit that no operation goes back behind; "" for the one with the first files
	Changes  Weights    // of what is done to files: see Change
	Lines    Weights    // of what is done to lines: see changedLines
	Tools    Weights    // of agents': edit, write, sh

	AfterOp func() // looks at what an operation came to
	Finish  func() // looks at what is left of it all

	Trace []string
	Stats map[string]int

	atEnd           []func()
	lines, subjects int
}

// AtEnd has something done after the history.
func (p *Player) AtEnd(do func()) { p.atEnd = append(p.atEnd, do) }

// Note adds a line to what a failure shows.
func (p *Player) Note(format string, args ...any) {
	p.Trace = append(p.Trace, fmt.Sprintf(format, args...))
}

// Do returns the operation of a name.
func (p *Player) Do(kind string) func(*rand.Rand) {
	if do := p.Kinds[kind]; do != nil {
		return do
	}
	return p.Plain(kind)
}

// Plain returns the operation of a name that every oracle can observe, for one of the oracle's that plays it.
func (p *Player) Plain(kind string) func(*rand.Rand) {
	do := catalogue()[kind]
	if do == nil {
		Fail("setup", "no operation is called %q", kind)
	}
	return func(rng *rand.Rand) { do(p, rng) }
}

// catalogue has the operations that every oracle can observe.
func catalogue() map[string]func(*Player, *rand.Rand) {
	return map[string]func(*Player, *rand.Rand){
		"turn":            (*Player).turn,
		"prompt":          (*Player).prompt,
		"work":            (*Player).work,
		"stop":            (*Player).stop,
		"agent-commit":    (*Player).agentCommit,
		"edit":            (*Player).edit,
		"add":             (*Player).add,
		"stage":           (*Player).stage,
		"commit-all":      (*Player).commitAll,
		"commit-tracked":  (*Player).commitTracked,
		"commit-path":     (*Player).commitPath,
		"commit-staged":   (*Player).commitStaged,
		"commit-hunk":     (*Player).commitHunk,
		"commit-empty":    (*Player).commitEmpty,
		"commit-index":    (*Player).commitIndex,
		"commit-unhooked": (*Player).commitUnhooked,
		"commit-unlinked": (*Player).commitUnlinked,
		"amend":           (*Player).amend,
		"discard":         (*Player).discard,
		"stash":           (*Player).stash,
		"pop":             (*Player).pop,
		"branch":          (*Player).branch,
		"switch":          (*Player).switchTo,
		"detach":          (*Player).detach,
		"merge":           (*Player).merge,
		"merge-no-commit": (*Player).mergeNoCommit,
		"squash":          (*Player).squash,
		"rebase":          (*Player).rebase,
		"cherry-pick":     (*Player).cherryPick,
		"revert":          (*Player).revert,
		"reset":           (*Player).reset,
		"fold":            (*Player).fold,
	}
}

// Files reads the files of a worktree.
func (p *Player) Files(wt int) Tree { return Bare(Read(p.Repo.Dir(wt), p.Skip...)) }

// HeadFiles reads the files that a worktree's HEAD has.
func (p *Player) HeadFiles(wt int) Tree { return p.Repo.Files(p.Repo.Head(wt), p.Skip...) }

func (p *Player) git(wt int, args ...string) Outcome {
	return p.Git(Command{WT: wt, Args: append([]string{"git"}, args...)})
}

// commits runs a command that may commit.
func (p *Player) commits(c Command, how How) {
	p.Before(c.WT)
	p.Git(c)
	p.After(c.WT, how)
}

var words = strings.Fields("buffer cache client codec cursor digest driver event filter frame handler index kernel ledger mapper number object parser queue reader socket table update vector writer")

// Line returns a line unlike any other. Its first word says who wrote it: p7 a person, A2.8 session A in its turn 2.
func (p *Player) Line(by By) string {
	p.lines++
	mark := fmt.Sprintf("p%d", p.lines)
	if by != nil {
		mark = fmt.Sprintf("%s%d.%d", by.Name, by.Turn, p.lines)
	}
	line, _ := LineOf(mark, mark)
	return line
}

// LineOf returns the line of a mark with the words of another one, and a source of more words.
func LineOf(mark, base string) (line string, more func() string) {
	n := hash(base)
	more = func() string {
		n = n*6364136223846793005 + 1442695040888963407
		return words[n>>33%uint64(len(words))]
	}
	switch hash("form "+base) % 3 {
	case 0:
		return fmt.Sprintf("%s = f(%s)", mark, more()), more
	case 1:
		return fmt.Sprintf("%s = load(%s, %s)", mark, more(), more()), more
	}
	return fmt.Sprintf("%s the %s of each %s and its %s", mark, more(), more(), more()), more
}

// someone returns one of the sessions.
func (p *Player) someone(rng *rand.Rand) *Session { return Pick(rng, p.Sessions) }

// atWork returns one of the sessions in a turn, nil when there is none.
func (p *Player) atWork(rng *rand.Rand) *Session {
	var all []*Session
	for _, s := range p.Sessions {
		if s.Open {
			all = append(all, s)
		}
	}
	if len(all) == 0 {
		return nil
	}
	return Pick(rng, all)
}

// anyWorktree is mostly the main one.
func (p *Player) anyWorktree(rng *rand.Rand) int {
	if len(p.Repo.Trees) == 1 {
		return 0
	}
	return max(0, rng.IntN(3)-1)
}

func (p *Player) turn(rng *rand.Rand) {
	s := p.someone(rng)
	p.Prompt(s)
	p.edits(s, s.WT, rng)
	p.Stop(s)
}

func (p *Player) prompt(rng *rand.Rand) { p.Prompt(p.someone(rng)) }

func (p *Player) work(rng *rand.Rand) {
	if s := p.atWork(rng); s != nil {
		p.edits(s, s.WT, rng)
	}
}

func (p *Player) stop(rng *rand.Rand) {
	if s := p.atWork(rng); s != nil {
		p.Stop(s)
	}
}

func (p *Player) edit(rng *rand.Rand) { p.edits(nil, p.anyWorktree(rng), rng) }

func (p *Player) edits(by By, wt int, rng *rand.Rand) {
	for range 1 + rng.IntN(3) {
		p.Change(by, wt, rng)
	}
}

// agentCommit is a commit that an agent makes with its shell in a turn.
func (p *Player) agentCommit(rng *rand.Rand) {
	s := p.atWork(rng)
	if s == nil {
		s = p.someone(rng)
		p.Prompt(s)
	}
	for range rng.IntN(3) {
		p.Change(s, s.WT, rng)
	}
	c := Command{WT: s.WT, By: s, Args: []string{"git", "commit", "-q"}}
	switch rng.IntN(3) {
	case 0:
		c.Args = append(c.Args, "-am", p.subject())
	case 1:
		p.Git(Command{WT: s.WT, By: s, Args: []string{"git", "add", "-A"}})
		c.Args = append(c.Args, "-m", p.subject())
	default:
		p.Git(Command{WT: s.WT, By: s, Args: []string{"git", "add", "--", p.anyPath(s.WT, rng)}})
		c.Args = append(c.Args, "-m", p.subject()+"\n\nCo-authored-by: An Agent <agent@example.com>")
	}
	p.commits(c, Hooked)
}
