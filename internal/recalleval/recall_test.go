package recalleval_test

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"entire/internal/testrepo"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// wanted is the share of the questions that must be answered, in both halves.
const wanted = 0.95

// TestRecall replays the facts and asks the questions about every fourth; with EVAL_RECALL, all questions.
func TestRecall(t *testing.T) {
	t.Parallel()
	all := facts(t)
	p := newReplay(t, programs(t))
	p.noise()
	p.senseless(all, 8, 100)
	for _, f := range all {
		p.turn(f)
	}
	c := p.serve()
	open, sealed := new(score), new(score)
	for i, f := range all {
		if i%4 != 0 && os.Getenv("EVAL_RECALL") == "" {
			continue
		}
		for _, q := range f.questions() {
			first, both := c.asks(q)
			if q.sealed {
				sealed.add(q, first, both)
				continue
			}
			open.add(q, first, both)
			if !has(both, q) {
				t.Logf("not answered: %s [%s]\n%s", q.text, q.answer, indented(both))
			}
		}
	}
	t.Logf("questions to look at:    %s", open)
	t.Logf("questions nobody sees:   %s", sealed)
	open.check(t)
	sealed.check(t)
}

// check fails the test for an answer that is too long and for too few answers.
func (s *score) check(t *testing.T) {
	t.Helper()
	if s.longest > 1500 {
		t.Errorf("an answer has %d tokens", s.longest)
	}
	if float64(s.answered) < wanted*float64(s.asked) {
		t.Errorf("%d of %d were answered", s.answered, s.asked)
	}
}

// programs builds entire and entire-mcp and returns their folder. EVAL_PROGRAMS is a folder with others, to be
// compared.
func programs(t *testing.T) string {
	t.Helper()
	if dir := os.Getenv("EVAL_PROGRAMS"); dir != "" {
		return dir
	}
	return testrepo.Build(t, "entire", "entire-mcp")
}

// A caller is a client of the real server.
type caller struct {
	t *testing.T
	*mcp.ClientSession
}

// serve starts the server in the repository.
func (p *replay) serve() caller {
	p.t.Helper()
	var bin string
	for _, kv := range p.env {
		if path, ok := strings.CutPrefix(kv, "PATH="); ok {
			bin = filepath.SplitList(path)[0]
		}
	}
	cmd := exec.CommandContext(p.t.Context(), filepath.Join(bin, "entire"), "mcp")
	cmd.Dir, cmd.Env = p.dir, p.env
	s, err := mcp.NewClient(&mcp.Implementation{Name: "caller", Version: "1"}, nil).Connect(p.t.Context(), &mcp.CommandTransport{Command: cmd}, nil)
	if err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() { s.Close() })
	return caller{p.t, s}
}

func (c caller) call(tool string, arguments map[string]any) string {
	c.t.Helper()
	got, err := c.CallTool(c.t.Context(), &mcp.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		c.t.Fatal(err)
	}
	return got.Content[0].(*mcp.TextContent).Text
}

var (
	dayAsked  = regexp.MustCompile(` on (20\d\d-\d\d-\d\d)\?$`)
	messageID = regexp.MustCompile(`(?m)^[0-9a-f-]+#[0-9]+`)
	anyID     = regexp.MustCompile(`(?m)^[0-9a-f]{6,}[0-9a-f-]*(#[0-9]+)?`)
)

// asks is the caller's policy: recall with the question as it is, a day in it as since and until; then open
// with the first ID, rather of a message. It returns the first answer and both.
func (c caller) asks(q question) (first, both string) {
	c.t.Helper()
	arguments := map[string]any{"query": q.text}
	if day := dayAsked.FindStringSubmatch(q.text); day != nil {
		arguments = map[string]any{"query": dayAsked.ReplaceAllString(q.text, ""), "since": day[1], "until": day[1]}
	}
	first = c.call("recall", arguments)
	both = first
	if id := cmp.Or(messageID.FindString(first), anyID.FindString(first)); id != "" {
		both += "\x00" + c.call("open", map[string]any{"id": id})
	}
	return first, both
}

// has reports whether the words that answer a question are in a text.
func has(text string, q question) bool { return strings.Contains(plain(text), plain(q.answer)) }

// A score adds up what was answered.
type score struct {
	asked, first, answered, longest, tokens, calls int
	byKind                                         map[string][2]int
}

func (s *score) add(q question, first, both string) { s.count(q, has(first, q), has(both, q), both) }

func (s *score) count(q question, byFirst, byBoth bool, both string) {
	if s.byKind == nil {
		s.byKind = map[string][2]int{}
	}
	n := s.byKind[q.kind]
	n[1]++
	s.asked++
	if byFirst {
		s.first++
	}
	if byBoth {
		s.answered++
		n[0]++
	}
	s.byKind[q.kind] = n
	for part := range strings.SplitSeq(both, "\x00") {
		size := tokens(part)
		s.longest, s.tokens, s.calls = max(s.longest, size), s.tokens+size, s.calls+1
	}
}

func (s *score) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d of %d answered (%.1f %%), %d by recall alone; an answer has %d tokens, the longest %d;", s.answered, s.asked,
		100*float64(s.answered)/float64(max(s.asked, 1)), s.first, s.tokens/max(s.calls, 1), s.longest)
	for _, kind := range kinds {
		if n := s.byKind[kind]; n[1] > 0 {
			fmt.Fprintf(&b, " %s %d/%d", kind, n[0], n[1])
		}
	}
	return b.String()
}

// tokens counts as docs/mcp.md says.
func tokens(text string) int {
	quarters := 0
	for _, r := range text {
		switch {
		case r >= 0x80:
			quarters += 4
		case r == ' ' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z':
			quarters++
		default:
			quarters += 2
		}
	}
	return (quarters + 3) / 4
}

func indented(text string) string {
	return "    " + strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n    ")
}
