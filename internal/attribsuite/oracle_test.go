package attribsuite

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"entire/internal/testrepo"
)

// oracle makes up a history in the notation, statement by statement, and plays it.
type oracle struct {
	*world
	*rand.Rand
	tokens map[string]token // of lines as they are in files, without their ends
	lines  int
	log    []string

	// What the lines that are being written go into world.untold with, nil if it is
	// known whose they are; and that of each turn.
	blurred *bool
	besides map[string]*bool
	ran     map[string]int // the turns in which sessions last ran a command
	always  bool

	calls bool // the turn has only calls of editing tools, and people type at the same time
}

// outcome is how a history ended.
type outcome struct {
	verdict
	failure *failure
	log     []string
}

// guarded plays until something fails.
func guarded(play func()) (failed *failure) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case failure:
			failed = &p
		default:
			panic(p)
		}
	}()
	play()
	return nil
}

// history plays the random history of a seed.
func history(t testing.TB, seed uint64) outcome {
	o := &oracle{Rand: rand.New(rand.NewPCG(seed, 2)), tokens: map[string]token{}, besides: map[string]*bool{}, ran: map[string]int{}, always: true}
	o.world = newOracleWorld(t, seed)
	failed := guarded(func() {
		o.begin()
		for range rounds {
			o.round()
		}
	})
	return outcome{o.verdict, failed, o.log}
}

// newOracleWorld returns the world of a seed's history. One in sixteen has SHA-256 objects.
func newOracleWorld(t testing.TB, seed uint64) *world {
	var opts []testrepo.Option
	if seed%16 == 7 {
		opts = append(opts, testrepo.SHA256())
	}
	w := newWorld(t, opts...)
	w.strict = true
	for _, statement := range settings(seed) {
		w.play(statement)
	}
	return w
}

// settings returns the statements that a seed's history begins with: in three of four all sessions show what their
// calls added, and in every second one a minute passes between two commands.
func settings(seed uint64) (out []string) {
	if seed%4 != 0 {
		out = append(out, "results")
	}
	if seed%2 == 1 {
		out = append(out, "minutes")
	}
	return out
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

func (o *oracle) begin() {
	o.do("p f1.txt = %s", o.fresh("o", 4))
	o.do("p dir/f2.txt = %s", o.fresh("o", 3))
	o.do("commit before the tool")
	o.do("enable")
	o.do("commit enable")
}

// fresh are new lines of somebody's.
func (o *oracle) fresh(who string, n int) string {
	var out []string
	for range n {
		out = append(out, string(o.newToken(who)))
	}
	return strings.Join(out, " ")
}

func (o *oracle) newToken(who string) token {
	o.lines++
	mark := fmt.Sprintf("%s%d", who, o.lines)
	if k := o.talks[who]; k != nil {
		mark = fmt.Sprintf("%s%d.%d", who, k.turn, o.lines)
	}
	if o.blurred != nil {
		o.untold[mark] = o.blurred
	}
	k := token(mark)
	o.tokens[k.text()] = k
	return k
}

func (o *oracle) remember(k token) token {
	o.tokens[k.text()] = k
	return k
}

func (o *oracle) git(args ...string) string {
	return strings.TrimSpace(o.run("", "git", args...).out)
}

func (o *oracle) clean() bool { return o.git("status", "--porcelain") == "" }

// read is a file as tokens.
func (o *oracle) read(path string) []token {
	text := o.Read(path)
	if text == "" {
		return nil
	}
	var out []token
	for line := range strings.SplitSeq(strings.TrimSuffix(text, "\n"), "\n") {
		body := strings.TrimLeft(line, "\t")
		k, known := o.tokens[body]
		if !known {
			k = token(fmt.Sprintf("%q", body))
			if body == "" {
				k = "."
			}
		}
		out = append(out, token(strings.Repeat(">", len(line)-len(body)))+k)
	}
	return out
}

// pick is one of several, by weight.
func (o *oracle) pick(weights ...any) string {
	sum := 0
	for i := 1; i < len(weights); i += 2 {
		sum += weights[i].(int)
	}
	n := o.IntN(sum)
	for i := 1; ; i += 2 {
		if n -= weights[i].(int); n < 0 {
			return weights[i-1].(string)
		}
	}
}

// round is some work, perhaps something done to history, and a look at the owners.
func (o *oracle) round() {
	switch o.pick("turn", 8, "two", 2, "person", 3, "mid-turn", 2, "long", 1) {
	case "turn":
		o.turn(o.pick("A", 3, "B", 1, "G", 1))
	case "two":
		o.together()
	case "person":
		o.edits("p", 1+o.IntN(2))
	case "mid-turn":
		o.commitInTurn(o.pick("A", 2, "B", 1))
	case "long":
		for range 2 + o.IntN(3) {
			o.turn(o.pick("A", 3, "B", 1))
			o.edits("p", o.IntN(2))
		}
	}
	if o.IntN(4) == 0 {
		o.edits("p", 1)
	}
	if o.IntN(8) == 0 {
		o.goBack()
	}
	if o.IntN(6) == 0 {
		o.do("check worktree")
	}
	if o.IntN(5) == 0 { // goes on without a commit
		return
	}
	if o.IntN(4) == 0 {
		o.moveOver()
	} else {
		o.commits()
	}
	o.do("check")
	if o.IntN(2) == 0 && o.clean() {
		o.rewrite()
		o.do("check")
	}
}

// turn is one turn of a session.
func (o *oracle) turn(who string) {
	o.edits("p", o.IntN(2))
	o.prompt(who)
	if o.calls = o.IntN(3) == 0; o.calls {
		o.besidePerson(who)
	} else {
		o.edits(who, 1+o.IntN(3))
	}
	o.calls = false
	if o.IntN(40) == 0 { // interrupted: no hook says so
		return
	}
	o.do("%s stop", who)
}

// besidePerson is a turn in which nothing is written but by calls, and a person beside
// it, unless another session's command may still be at work.
func (o *oracle) besidePerson(who string) {
	for range 1 + o.IntN(4) {
		switch o.pick("agent", 3, "person", 2, "look", 1) {
		case "agent":
			o.edit(who)
		case "person":
			if !o.running() {
				o.edit("p")
			}
		case "look":
			o.do("%s $ git status -s | head -3; git add -N . && git diff --stat", who)
		}
	}
}

// running reports whether a session is in a turn in which it ran a command.
func (o *oracle) running() bool {
	for name, k := range o.talks {
		if turn, ran := o.ran[name]; k.open && ran && turn == k.turn {
			return true
		}
	}
	return false
}

// prompt begins a turn; the statement says which, for when it is played without
// those before.
func (o *oracle) prompt(who string) {
	turn := 1
	if k := o.talks[who]; k != nil {
		turn = k.turn + 1
	}
	o.do("%s prompt %d", who, turn)
	for name, k := range o.talks {
		if k.open && o.anyOpen(name) {
			o.beside(name)
		}
	}
}

// together are turns of two sessions at one time.
func (o *oracle) together() {
	o.prompt("A")
	o.edits("A", o.IntN(2))
	o.prompt("B")
	for range 1 + o.IntN(4) {
		o.edits(o.pick("A", 1, "B", 1), 1)
	}
	first := o.pick("A", 1, "B", 1)
	o.do("%s stop", first)
	other := map[string]string{"A": "B", "B": "A"}[first]
	o.edits(other, o.IntN(2))
	if o.IntN(4) == 0 && !o.clean() {
		o.do("~ git add -A && git commit -q -m 'while it works'")
		o.do("check")
	}
	o.do("%s stop", other)
}

// commitInTurn is a commit that the agent makes, or a person while it works.
func (o *oracle) commitInTurn(who string) {
	o.prompt(who)
	o.edits(who, 1+o.IntN(2))
	git := "git"
	if o.IntN(4) == 0 {
		git += noHooks
	}
	if o.IntN(2) == 0 {
		o.do("%s ~ git add -A && %s commit -q -m 'by the agent'", who, git)
	} else {
		o.do("~ git add -A && %s commit -q -m 'in mid-turn'", git)
	}
	o.do("check")
	o.edits(who, o.IntN(3))
	o.do("%s stop", who)
}

// goBack rewinds, and perhaps undoes that.
func (o *oracle) goBack() {
	o.do("rewind %d %s", 1+o.IntN(3), o.pick("--tree --code", 2, "", 2, "--tree", 1, "--mine keep", 1))
	if o.IntN(2) == 0 {
		if o.IntN(2) == 0 {
			o.edits("p", 1)
		}
		o.do("rewind undo")
	}
}

// noHooks makes git run no hooks.
const noHooks = " -c core.hooksPath=/dev/null"

func (o *oracle) commits() {
	if o.IntN(8) == 0 {
		o.do("~ git add -A && git%s commit -q %s", noHooks, o.pick("-m unseen", 3, "--amend --no-edit", 1))
		return
	}
	switch o.pick("all", 6, "some", 2, "stash", 1, "by path", 1) {
	case "all":
		o.do("~ git add -A && git commit -q -m 'work %d'", o.lines)
	case "some":
		if all := o.files(); len(all) > 0 {
			o.do("~ git reset -q && git add -- %s && git commit -q -m 'some %d'", all[o.IntN(len(all))], o.lines)
		}
	case "by path":
		if all := o.files(); len(all) > 0 {
			o.do("~ git commit -q -m 'by path %d' -- %s", o.lines, all[o.IntN(len(all))])
		}
	case "stash":
		o.do("~ git stash -q -u && git stash pop -q")
		o.do("~ git add -A && git commit -q -m 'stashed %d'", o.lines)
	}
}

// briefly is how long an ordinary test begins new histories.
const briefly = 12 * time.Second

// TestOracle plays random histories, from ATTRIBUTION_SEED on: two if it is set, as many as ATTRIBUTION_SECONDS
// have room for (`make attribution-fuzz`), or those of a few seconds.
func TestOracle(t *testing.T) {
	span, n := briefly, math.MaxInt
	if limit > 0 {
		span = limit
	} else if os.Getenv("ATTRIBUTION_SEED") != "" {
		n = 2
	}
	var sum verdict
	began, played := time.Now(), 0
	for i := 0; i < n && time.Since(began) < span; i++ {
		s := uint64(seed) + uint64(i)
		ok := t.Run(fmt.Sprint(s), func(t *testing.T) {
			got := history(t, s)
			sum.add(got.verdict)
			if got.failure != nil {
				report(t, s, got)
			}
		})
		played++
		if limit > 0 && (!ok || played%10 == 0) {
			fmt.Fprintf(os.Stderr, "%s seed %d: %d histories, %d lines right, %d unknown (%s), %d that nobody can tell\n",
				time.Since(began).Round(time.Second), s, played, sum.right, sum.unknown, share(sum), sum.untold)
		}
	}
	t.Logf("%d histories: %d lines right, %d wrong, %d unknown (%s), %d that nobody can tell", played, sum.right, sum.wrong, sum.unknown, share(sum), sum.untold)
}

func share(v verdict) string {
	return fmt.Sprintf("%.2f %%", 100*float64(v.unknown)/float64(max(1, v.right+v.wrong+v.unknown+v.untold)))
}

// report shows what failed as a sequence of the suite, which shrink has made short.
func report(t *testing.T, seed uint64, got outcome) {
	short, last := shrink(t, seed, got)
	text := fmt.Sprintf("ATTRIBUTION_SEED=%d: %v\n\n== say what happens, and who must own the lines\n%s\n\n%s\n",
		seed, got.failure.Error(), strings.Join(append(settings(seed), short...), "\n"), last)
	if limit > 0 {
		fmt.Fprintln(os.Stderr, text) // now, not when the hour is over
	}
	t.Error(text)
}

// shrink leaves out statements as long as a wrong owner, or what else it was, stays.
func shrink(t *testing.T, seed uint64, got outcome) ([]string, string) {
	log, last := got.log, ""
	began := time.Now()
	looks := func(s string) bool { return strings.HasPrefix(s, "check") }
	n := len(log) - 1
	blind := append(slices.DeleteFunc(slices.Clone(log[:n]), looks), log[n])
	if f := replayed(t, seed, blind); f != nil && sameLine(*got.failure, *f) {
		log, last = blind, f.text
	}
	for size := max(1, len(log)/2); size > 0; size /= 2 {
		for at := 0; at+size <= len(log) && time.Since(began) < patience; {
			shorter := slices.Delete(slices.Clone(log), at, at+size)
			f := replayed(t, seed, shorter)
			if f != nil && f.kind == got.failure.kind && sameLine(*got.failure, *f) {
				log, last = shorter, f.text
			} else {
				at += size
			}
		}
	}
	return log, last
}

// replayed plays statements as they stand.
func replayed(t *testing.T, seed uint64, log []string) (failed *failure) {
	t.Run("again", func(t *testing.T) {
		w := newOracleWorld(t, seed)
		failed = guarded(func() {
			for _, statement := range log {
				w.play(statement)
			}
		})
	})
	return failed
}

// sameLine reports whether a failure is about a line that another is about, too.
func sameLine(a, b failure) bool {
	for line := range strings.Lines(a.text) {
		if strings.HasPrefix(line, "!") && strings.Contains(b.text, line[strings.Index(line, ")"):]) {
			return true
		}
	}
	return a.kind != wrongOwner
}
