package recalleval_test

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// A fact is what a session found out, and what the questions about it are made from.
type fact struct {
	session, date            string
	file, topic, failed, act string
	answer                   string
	said                     [][2]string // role and text
}

// A question is asked about a fact.
type question struct {
	kind, text, day string
	answer          string
	sealed          bool // it is in the half that nobody looks at
}

// kinds are the kinds of questions, in the order in which they are printed.
var kinds = []string{"file", "error", "decision", "why", "date"}

func (f fact) questions() (list []question) {
	for i, text := range []string{
		fmt.Sprintf("What did we change in %s about %s?", path.Base(f.file), f.topic),
		fmt.Sprintf("Have we seen %s before, and what was done about it?", f.failed),
		fmt.Sprintf("What did we decide about %s?", f.topic),
		fmt.Sprintf("Why did we %s?", f.act),
		fmt.Sprintf("What was done about %s on %s?", f.topic, f.date),
	} {
		q := question{kind: kinds[i], text: text, answer: f.answer, sealed: sha256.Sum256([]byte(text))[0]&1 == 1}
		if q.kind == "date" {
			q.day = f.date
		}
		list = append(list, q)
	}
	return list
}

func facts(t *testing.T) (list []fact) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "testdata", "recall", "facts.txt"))
	if err != nil {
		t.Fatal(err)
	}
	session, date := "", ""
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		role, rest, _ := strings.Cut(line, ": ")
		switch {
		case line == "" || strings.HasPrefix(line, "#"):
		case strings.HasPrefix(line, "= "):
			session, date, _ = strings.Cut(line[2:], " ")
		case strings.HasPrefix(line, "@ "):
			parts := strings.Split(line[2:], " | ")
			if len(parts) != 5 {
				t.Fatalf("%q has %d parts", line, len(parts))
			}
			list = append(list, fact{session, date, parts[0], parts[1], parts[2], parts[3], parts[4], nil})
		case len(role) == 1 && len(list) > 0:
			f := &list[len(list)-1]
			f.said = append(f.said, [2]string{role, rest})
		default:
			t.Fatalf("not understood: %q", line)
		}
	}
	return list
}

// TestQuestionsAreFair: an answer is in the words of one message and of no question, and no question has
// the words of the message that answers it.
func TestQuestionsAreFair(t *testing.T) {
	t.Parallel()
	all := facts(t)
	asked, sealed := 0, 0
	for i, f := range all {
		in := 0
		for j, other := range all {
			for _, m := range other.said {
				if strings.Contains(plain(m[1]), plain(f.answer)) {
					in++
					if i != j || m[0] != "a" {
						t.Errorf("%q is in %s: %s", f.answer, m[0], m[1])
					}
				}
			}
		}
		if in != 1 {
			t.Errorf("%q is in %d messages", f.answer, in)
		}
		for _, q := range f.questions() {
			if asked++; q.sealed {
				sealed++
			}
			if strings.Contains(plain(q.text), plain(f.answer)) {
				t.Errorf("%q has its answer", q.text)
			}
			if n := shared(q.text, f); n < 2 {
				t.Errorf("%q shares %d telling words with the session: who asks knows what it is about", q.text, n)
			}
			for _, m := range f.said {
				if n := commonRun(q.text, m[1]); n > 4 {
					t.Errorf("%q has %d words in a row of %q", q.text, n, m[1])
				}
			}
		}
	}
	if asked != 200 || sealed < 80 || sealed > 120 {
		t.Errorf("%d questions, %d of them sealed", asked, sealed)
	}
}

// plain returns text as the judge compares it.
func plain(text string) string {
	var lines []string
	for line := range strings.Lines(text) {
		lines = append(lines, strings.TrimPrefix(strings.TrimSpace(line), "> "))
	}
	return strings.ToLower(strings.Join(strings.Fields(strings.Join(lines, " ")), " "))
}

// telling matches words that may say what a question is about.
var telling = regexp.MustCompile(`[a-zà-ü0-9_]{4,}`)

// shared returns how many telling words of a question the session of its fact said, too, in any form.
func shared(question string, f fact) (n int) {
	said := map[string]bool{}
	for _, m := range f.said {
		for _, w := range telling.FindAllString(strings.ToLower(m[1]), -1) {
			said[beginning(w)] = true
		}
	}
	seen := map[string]bool{}
	for _, w := range telling.FindAllString(strings.ToLower(question), -1) {
		if w = beginning(w); said[w] && !seen[w] && !strings.Contains(" what with that from have does this they when where which about befor after over into than then only each such some more most very while been were done decid chang ", " "+w+" ") {
			seen[w], n = true, n+1
		}
	}
	return n
}

// beginning returns the part of a word that its forms share.
func beginning(w string) string {
	if r := []rune(w); len(r) > 5 {
		return string(r[:5])
	}
	return w
}

// commonRun returns the most words in a row that two texts share.
func commonRun(a, b string) (most int) {
	cut := func(s string) []string {
		return strings.FieldsFunc(plain(s), func(r rune) bool { return strings.ContainsRune(" ,.?!:;", r) })
	}
	x, y := cut(a), cut(b)
	for i := range x {
		for j := range y {
			n := 0
			for i+n < len(x) && j+n < len(y) && x[i+n] == y[j+n] {
				n++
			}
			most = max(most, n)
		}
	}
	return most
}
