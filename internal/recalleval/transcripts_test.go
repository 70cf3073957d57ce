package recalleval_test

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestRecallOfTranscripts asks real transcripts, which are not in this repository: those in the folder
// $ENTIRE_TRANSCRIPTS. The questions are those of testdata/search; one is answered if the caller was shown a
// message that answers it.
func TestRecallOfTranscripts(t *testing.T) {
	t.Parallel()
	dir := os.Getenv("ENTIRE_TRANSCRIPTS")
	if dir == "" {
		t.Skip("ENTIRE_TRANSCRIPTS names no folder with transcripts")
	}
	text, err := os.ReadFile(filepath.Join("..", "..", "testdata", "search", "questions.json"))
	if err != nil {
		t.Fatal(err)
	}
	var asked []struct {
		Question string
		Answers  []struct{ Session, Message string }
	}
	if err := json.Unmarshal(text, &asked); err != nil {
		t.Fatal(err)
	}
	p := newReplay(t, programs(t))
	bundles, _ := filepath.Glob(filepath.Join(dir, "*.bundle"))
	for _, bundle := range bundles {
		p.run("", "git", "fetch", "-q", bundle, "+refs/heads/entire/*:refs/heads/entire/*")
	}
	files, _ := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	p.run("", "entire", append([]string{"sessions", "import"}, files...)...)
	numbers := map[string]map[string]int{}
	c := p.serve()
	open, sealed := new(score), new(score)
	for _, a := range asked {
		q := question{kind: kinds[0], text: a.Question, sealed: sha256.Sum256([]byte(a.Question))[0]&1 == 1}
		first, both := c.asks(q)
		shown := func(text string) bool {
			for _, answer := range a.Answers {
				if numbers[answer.Session] == nil {
					numbers[answer.Session] = p.numbers(answer.Session)
				}
				if shows(text, answer.Session, numbers[answer.Session][answer.Message]) {
					return true
				}
			}
			return false
		}
		into := open
		if q.sealed {
			into = sealed
		}
		into.count(q, shown(first), shown(both), both)
		if !q.sealed && !shown(both) {
			t.Logf("not answered: %s\n%s", q.text, indented(both))
		}
	}
	t.Logf("transcripts, to look at:  %s", open)
	t.Logf("transcripts, nobody sees: %s", sealed)
	open.check(t)
	sealed.check(t)
}

// numbers returns the numbers of a session's messages by their IDs.
func (p *replay) numbers(session string) map[string]int {
	p.t.Helper()
	list, n := map[string]int{}, 0
	for line := range strings.Lines(p.run("", "entire", "sessions", "show", session, "--messages", "--all", "--json")) {
		var m struct{ UUID string }
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			p.t.Fatal(err)
		}
		n++
		list[m.UUID] = n
	}
	return list
}

// shows reports whether an answer shows a message: a line with its ID, and a quotation below.
func shows(text, session string, number int) bool {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		name, rest, _ := strings.Cut(line, "#")
		if name != "" && strings.HasPrefix(session, name) && strings.HasPrefix(rest, fmt.Sprintf("%d ", number)) && i+1 < len(lines) && strings.HasPrefix(lines[i+1], "> ") {
			return true
		}
	}
	return false
}
