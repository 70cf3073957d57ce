package attribsuite

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"entire/internal/histories"
	"entire/internal/testrepo"
)

// oracle plays random histories as statements of the notation, and judges the owners of their lines.
type oracle struct {
	*world
	histories.Afterwards
	h     *histories.Player
	base  map[string]string // the mark whose words a line has, by these
	known map[string]bool   // marks of lines that were written
	log   []string
	head  string

	// What the lines that are being written go into world.untold with, nil if it is
	// known whose they are; and that of each turn.
	besides map[string]*bool
	ran     map[string]int // the turns in which sessions last ran a command
	always  bool

	calls bool // the turn has only calls of editing tools, and people type at the same time
}

// tools weighs an agent's tools.
var tools = histories.Weights{"edit": 5, "write": 2, "sh": 2}

// settings returns the statements that a seed's history begins with: in three of four all sessions show what their
// calls added, and in every second one a minute passes between two commands.
func settings(seed int) (out []string) {
	if seed%4 != 0 {
		out = append(out, "results")
	}
	if seed%2 == 1 {
		out = append(out, "minutes")
	}
	return out
}

// newOracleWorld returns the world of a seed's history. One in sixteen has SHA-256 objects.
func newOracleWorld(t *testing.T, seed int) *world {
	var opts []testrepo.Option
	if seed%16 == 7 {
		opts = append(opts, testrepo.SHA256())
	}
	w := newWorld(t, opts...)
	w.agent = os.Getenv("ATTRIBUTION_AGENT")
	w.strict = true
	for _, statement := range settings(seed) {
		w.play(statement)
	}
	return w
}

// sortOf is the sort of a seed's history.
func sortOf(seed int) histories.Sort {
	return histories.Sort{Prefix: "ATTRIBUTION", Length: 3 * histories.Number("ATTRIBUTION_ROUNDS", 24), Patience: 240, Same: sameLine,
		Begin: func(t *testing.T, _ string) *histories.Player { return begin(t, seed) },
		Name: func(t *testing.T, p *histories.Player, failed histories.Failure, more func() bool) string {
			return named(t, seed, p.Oracle.(*oracle).log, failed, more)
		},
		Weights: histories.Weights{
			"turn": 16, "calls": 8, "two": 5, "prompt": 1, "work": 3, "stop": 2, "mid-turn": 4, "edit": 8, "go-back": 3, "look": 3, "move-over": 5, "split-file": 1,
			"commit-all": 8, "commit-tracked": 2, "commit-path": 2, "commit-staged": 2, "commit-hunk": 1, "commit-unhooked": 2, "agent-commit": 2, "stash": 1, "pop": 2,
			"amend": 3, "fold": 2, "rebase": 3, "squash": 2, "cherry-pick": 2, "merge": 2, "revert": 2, "reset": 1, "branch": 2, "switch": 3, "rewrite": 7,
		}}
}

func begin(t *testing.T, seed int) *histories.Player {
	o := &oracle{world: newOracleWorld(t, seed), base: map[string]string{}, known: map[string]bool{}, besides: map[string]*bool{}, ran: map[string]int{}, always: true}
	dir, name := filepath.Split(o.Repo.Dir)
	o.h = &histories.Player{Oracle: o, Repo: &histories.Repo{Root: dir, Trees: []string{name}, Env: o.Env}, Skip: []string{".git", ".entire", ".claude", "README"},
		Names: []string{"f1.txt", "dir/f2.txt", "dir/f3.txt", "f4.txt"}, Branches: [][]string{{"main", "other"}},
		Changes: histories.Weights{"text": 38, "remove": 1, "rename": 1}, Tools: tools,
		Lines:   histories.Weights{"insert": 5, "replace": 3, "reword": 2, "delete": 2, "move": 1, "indent": 1, "braces": 1, "sort": 1, "rewrite": 1},
		AfterOp: func() {}, Finish: func() { o.do("check") }, Stats: map[string]int{}}
	o.h.AtEnd(o.h.Repo.Close)
	for _, name := range []string{"A", "A", "A", "B", "G"} {
		o.h.Sessions = append(o.h.Sessions, o.session(name))
	}
	o.h.Kinds = o.kinds()
	for _, statement := range []string{"p f1.txt = o1 o2 o3 o4", "p dir/f2.txt = o5 o6 o7", "commit before the tool", "enable", "commit enable"} {
		o.do("%s", statement)
	}
	o.h.First = o.git("rev-parse", "HEAD") // or else the tool would be switched off
	for _, path := range o.files() {
		o.linesOf(path) // so that their words are known
	}
	o.After(0, histories.Copied)
	return o.h
}

// do plays a statement and notes it.
func (o *oracle) do(format string, args ...any) {
	statement := fmt.Sprintf(format, args...)
	o.log = append(o.log, statement)
	if chatty {
		fmt.Fprintln(os.Stderr, statement)
	}
	o.play(statement)
}

// Git plays a command as a statement that may fail.
func (o *oracle) Git(c histories.Command) histories.Outcome {
	line := "~"
	if c.By != nil {
		line = c.By.Name + " ~"
		o.ran[c.By.Name] = c.By.Turn
	}
	if c.Stdin != "" {
		line += " printf '%b' " + escaped(c.Stdin) + " |"
	}
	for _, entry := range c.Env {
		name, value, _ := strings.Cut(entry, "=")
		line += " " + name + "=" + quoted(value)
	}
	for _, arg := range c.Args {
		line += " " + quoted(arg)
	}
	o.do("%s", line)
	code := 0
	if o.last.code != nil {
		code = 1
	}
	return histories.Outcome{Code: code, Out: o.last.out + o.last.err}
}

// quoted is an argument for a shell, without ends of lines, which no statement has.
func quoted(arg string) string {
	switch {
	case strings.Contains(arg, "\n"):
		return `"$(printf '%b' ` + escaped(arg) + `)"`
	case arg != "" && strings.Trim(arg, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./=~:") == "" && arg[0] != '~':
		return arg
	}
	return "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
}

func escaped(text string) string {
	return "'" + strings.NewReplacer("'", `'\''`, `\`, `\\`, "\n", `\n`).Replace(text) + "'"
}

// Edit plays changes of files as statements.
func (o *oracle) Edit(by *histories.Session, _ int, edits []histories.Edit) {
	who := "p"
	if by != nil {
		who = by.Name
	}
	if e := edits[0]; len(edits) == 2 {
		o.moves(who, "mv %s %s", e.Path, edits[1].Path)
	} else if e.Now.Mode == "" {
		o.moves(who, "rm %s", e.Path)
	} else {
		tool := map[string]string{"write": " write", "sh": " sh"}[e.Tool]
		if by == nil {
			tool = ""
		}
		o.do("%s%s %s = %s", who, tool, e.Path, o.tokens(who, tool, e.Now.Text))
	}
}

// moves is a command that changes no line; none runs in a turn that has only calls.
func (o *oracle) moves(who, format string, args ...any) {
	if k := o.talks[who]; k != nil {
		if o.calls {
			return
		}
		o.ran[who] = k.Turn
	}
	o.do("%s "+format, append([]any{who}, args...)...)
}

// tokens writes a text in the notation. Nobody can tell whose lines are that a command
// writes in a turn beside which another session was at work, or a person beside a turn
// that is not over.
func (o *oracle) tokens(who, tool, text string) string {
	var blurred *bool
	if tool == " sh" {
		o.ran[who] = o.talks[who].Turn
		blurred = o.beside(who)
	} else if who == "p" && o.anyOpen("") {
		blurred = &o.always
	}
	var out []string
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		body := strings.TrimLeft(line, "\t")
		out = append(out, strings.Repeat(">", len(line)-len(body))+string(o.token(body, blurred)))
	}
	return strings.Join(out, " ")
}

func (o *oracle) token(body string, blurred *bool) token {
	mark := markOf(body)
	_, rest, _ := strings.Cut(body, " ")
	fresh, _ := histories.LineOf(mark, mark)
	if o.untold[mark] == nil && blurred != nil && !o.known[mark] {
		o.untold[mark] = blurred
	}
	o.known[mark] = true
	switch by, _ := marked(body); {
	case body == "":
		return "."
	case body == "{" || body == "}":
		return token(body)
	case by == "":
	case body == fresh:
		o.base[rest] = mark
		return token(mark)
	case o.base[rest] != "":
		return token(mark + "(" + o.base[rest] + ")")
	}
	return token(fmt.Sprintf("%q", body))
}

// beside says of a session's turn whether another session has been at work during it.
func (o *oracle) beside(who string) *bool {
	key := fmt.Sprint(who, o.talks[who].Turn)
	if o.besides[key] == nil {
		o.besides[key] = new(bool)
	}
	*o.besides[key] = *o.besides[key] || o.anyOpen(who)
	return o.besides[key]
}

// anyOpen reports whether a session other than one is in a turn.
func (o *oracle) anyOpen(but string) bool {
	for name, k := range o.talks {
		if k.Open && name != but {
			return true
		}
	}
	return false
}

// running reports whether a session is in a turn in which it ran a command.
func (o *oracle) running() bool {
	for name, k := range o.talks {
		if turn, ran := o.ran[name]; k.Open && ran && turn == k.Turn {
			return true
		}
	}
	return false
}

// Prompt begins a turn; the statement says which, for when it is played without
// those before.
func (o *oracle) Prompt(s *histories.Session) {
	o.do("%s prompt %d", s.Name, s.Turn+1)
	for name, k := range o.talks {
		if k.Open && o.anyOpen(name) {
			o.beside(name)
		}
	}
}

// Stop ends a turn.
func (o *oracle) Stop(s *histories.Session) { o.do("%s stop", s.Name) }

// After looks at the owners of all lines, if HEAD has moved.
func (o *oracle) After(int, histories.How) {
	if head := o.git("rev-parse", "HEAD"); head != o.head {
		o.head = head
		o.do("check")
	}
}

func (o *oracle) git(args ...string) string {
	return strings.TrimSpace(o.run("", "git", args...).out)
}

func (o *oracle) clean() bool { return o.git("status", "--porcelain") == "" }

// few is how many histories an ordinary test plays.
const few = 3

// TestOracle plays random histories, from ATTRIBUTION_SEED on: a few at once, or one after another as many as
// ATTRIBUTION_SECONDS have room for (`make attribution-fuzz`).
func TestOracle(t *testing.T) {
	t.Parallel()
	first := histories.Sort{Prefix: "ATTRIBUTION"}.Seed()
	if os.Getenv("ATTRIBUTION_REPLAY") != "" {
		sortOf(first).Test(t)
		return
	}
	var guard sync.Mutex
	var sum verdict
	began, played := time.Now(), 0
	t.Cleanup(func() {
		t.Logf("%d histories: %d lines right, %d wrong, %d unknown (%s), %d that nobody can tell", played, sum.right, sum.wrong, sum.unknown, share(sum), sum.untold)
	})
	for i := 0; limit == 0 && i < few || time.Since(began) < limit; i++ {
		seed := first + i
		ok := t.Run(fmt.Sprint(seed), func(t *testing.T) {
			if limit == 0 {
				t.Parallel()
			}
			s := sortOf(seed)
			ops := s.Draw(seed)
			p, failed := s.Run(t, ops)
			guard.Lock()
			played++
			if o, begun := p.Oracle.(*oracle); begun {
				sum.add(o.verdict)
			}
			guard.Unlock()
			if failed != nil {
				t.Logf("ATTRIBUTION_SEED=%d", seed)
				s.Report(t, ops, p, *failed)
			}
		})
		if limit > 0 && (!ok || played%10 == 0) {
			fmt.Fprintf(os.Stderr, "%s seed %d: %d histories, %d lines right, %d unknown (%s), %d that nobody can tell\n",
				time.Since(began).Round(time.Second), seed, played, sum.right, sum.unknown, share(sum), sum.untold)
		}
	}
}

func share(v verdict) string {
	return fmt.Sprintf("%.2f %%", 100*float64(v.unknown)/float64(max(1, v.right+v.wrong+v.unknown+v.untold)))
}

// named is a failed history as a sequence of the suite, made shorter by statements.
func named(t *testing.T, seed int, log []string, first histories.Failure, more func() bool) string {
	last := ""
	log = histories.Shortest(log, func(less []string) bool {
		var f *histories.Failure
		t.Run("again", func(t *testing.T) {
			w := newOracleWorld(t, seed)
			f = histories.Guard(func() {
				for _, statement := range less {
					w.play(statement)
				}
			})
		})
		if f == nil || f.Class != first.Class || !sameLine(first, *f) {
			return false
		}
		last = f.Text
		return true
	}, more)
	text := fmt.Sprintf("ATTRIBUTION_SEED=%d\n\n== say what happens, and who must own the lines\n%s\n\n%s\n", seed, strings.Join(append(settings(seed), log...), "\n"), last)
	if limit > 0 {
		fmt.Fprintln(os.Stderr, text) // now, not when the hour is over
	}
	return text
}

// sameLine reports whether a failure is about a line that another is about, too.
func sameLine(a, b histories.Failure) bool {
	for line := range strings.Lines(a.Text) {
		if strings.HasPrefix(line, "!") && strings.Contains(b.Text, line[strings.Index(line, ")"):]) {
			return true
		}
	}
	return a.Class != wrongOwner
}
