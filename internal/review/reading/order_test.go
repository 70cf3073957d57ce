package reading

import (
	"fmt"
	"strings"
	"testing"

	"entire/internal/review"
)

const (
	one = "1111111111111111111111111111111111111111"
	two = "2222222222222222222222222222222222222222"
)

// wrote returns added lines of one owner.
func wrote(owner review.Owner, commit string, first, last int) (out []review.Line) {
	for n := first; n <= last; n++ {
		out = append(out, review.Line{Number: n, Text: fmt.Sprint("line ", n), Owner: owner, Commit: commit})
	}
	return out
}

// ordered returns an item on each line: its risk, its place and the kinds of its reasons.
func ordered(d *review.Document) string {
	var b strings.Builder
	for _, it := range d.Order {
		var at, kinds []string
		for _, l := range it.Lines {
			at = append(at, l.Name())
		}
		for _, r := range it.Reasons {
			kinds = append(kinds, r.Kind)
		}
		fmt.Fprintf(&b, "%d %s:%s %s\n", it.Risk, it.Path, strings.Join(at, ","), strings.Join(kinds, " "))
	}
	return b.String()
}

// Each reason is given where it holds, and the riskiest piece comes first.
func TestOrder(t *testing.T) {
	t.Parallel()
	asked := review.Owner{Class: review.Agent, Session: "s", Agent: "A", Model: "m", Turn: 1, Prompt: 1}
	other := review.Owner{Class: review.Agent, Session: "s", Agent: "A", Turn: 2}
	person := review.Owner{Class: review.Human}
	var b review.Builder
	b.Commit(review.Commit{ID: one, Time: "2026-03-01T12:00:00Z"})
	b.Commit(review.Commit{ID: two, Time: "2026-03-01T12:00:00Z", Claim: &review.Claim{By: review.ByAuthor, Name: "x[bot]"}})
	b.File(review.File{Path: "pkg/sum.go", Lines: 40}, append(wrote(asked, one, 1, 5), wrote(asked, one, 9, 10)...), nil)
	b.File(review.File{Path: "pkg/sum_test.go", Lines: 10}, wrote(asked, one, 1, 10), nil)
	b.File(review.File{Path: "cmd/main.go", Lines: 40}, wrote(asked, one, 1, 3), nil)
	b.File(review.File{Path: "cmd/extra.go", Lines: 9}, wrote(other, one, 1, 9), nil)
	b.File(review.File{Path: "cmd/both.go", Lines: 9}, append(wrote(other, one, 1, 1), wrote(person, one, 2, 9)...), nil)
	b.File(review.File{Path: "cmd/mostly.go", Lines: 9}, append(wrote(other, one, 1, 8), wrote(person, one, 9, 9)...), nil)
	b.File(review.File{Path: "cmd/hand.go", Lines: 9}, wrote(person, one, 1, 9), nil)
	b.File(review.File{Path: "cmd/who.go", Lines: 9}, wrote(review.Owner{Class: review.Unknown, Evidence: "not-enabled"}, one, 1, 4), nil)
	b.File(review.File{Path: "cmd/bot.go", Lines: 9}, wrote(review.Owner{Class: review.Unknown, Evidence: review.Claimed}, two, 1, 4), nil)
	b.File(review.File{Path: ".github/workflows/ci.yml", Lines: 3}, wrote(other, one, 1, 3), nil)
	b.File(review.File{Path: "notes.md", Lines: 3}, wrote(asked, one, 1, 3), nil)
	d := b.Document(review.Range{Name: "r", Head: one}, []review.Session{{ID: "s", Prompts: []string{"Write sum in `pkg/sum.go`, with Node.js and/or v1.2 in mind."}}})
	d.Violations = []review.Violation{{Rule: "need-review", Message: "m", Path: "cmd/main.go", Start: 2, End: 2, Commit: one}}
	Order(d)
	want := `9 cmd/main.go:1–3 agent-alone policy outside-prompt tests-elsewhere
5 cmd/extra.go:1–9 agent-alone tests-elsewhere no-prompt
5 .github/workflows/ci.yml:1–3 agent-alone runs-elsewhere no-prompt
4 cmd/mostly.go:1–9 mixed tests-elsewhere no-prompt
4 cmd/bot.go:1–4 claimed tests-elsewhere
4 notes.md:1–3 agent-alone outside-prompt
3 pkg/sum_test.go:1–10 agent-alone
3 cmd/both.go:1–9 mixed tests-elsewhere no-prompt
3 pkg/sum.go:1–5,9–10 agent-alone
3 cmd/who.go:1–4 unknown-author tests-elsewhere
`
	if got := ordered(d); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	if err := d.Check(); err != nil {
		t.Error(err)
	}
	if r := d.Order[0].Reasons[2]; r.Quote != "pkg/sum.go" {
		t.Errorf("the prompt names %q", r.Quote)
	}
	if d.Order[4].Reasons[0].Quote != "its author is x[bot]" {
		t.Errorf("%+v", d.Order[4])
	}
}

// Without a test in the change, each piece of code says so; a test that loses lines is worth a look.
func TestOrderWithoutTests(t *testing.T) {
	t.Parallel()
	owner := review.Owner{Class: review.Agent, Session: "s", Agent: "A", Prompt: 1}
	var b review.Builder
	b.File(review.File{Path: "a.py", Lines: 2}, wrote(owner, "", 1, 2), nil)
	b.File(review.File{Path: "tests/test_a.py", Lines: 5, OldLines: 9}, nil, wrote(owner, "", 2, 5))
	d := b.Document(review.Range{Name: "r", Head: one}, []review.Session{{ID: "s", Prompts: []string{"Make it pass"}}})
	Order(d)
	want := "5 tests/test_a.py:before 2 agent-alone test-removed\n5 a.py:1–2 agent-alone no-tests\n"
	if got := ordered(d); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	if err := d.Check(); err != nil {
		t.Error(err)
	}
	d.Order[0].Risk++
	if d.Check() == nil {
		t.Error("a risk that is not the sum of its reasons is valid")
	}
}

func TestIsTest(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]bool{
		"a_test.go": true, "test_a.py": true, "src/a.test.ts": true, "a.spec.js": true, "tests/a.py": true, "FooTest.java": true, "a_spec.rb": true, "src/__tests__/a.js": true,
		"a.go": false, "latest.go": false, "contest.py": false, "attestation.go": false, "inspect.go": false, "protest/a.go": false,
	} {
		if isTest(path) != want {
			t.Errorf("%s: %v", path, !want)
		}
	}
	for path, want := range map[string]string{"x/sum_test.go": "sum", "sum.go": "sum", "test_sum.py": "sum", "SumTests.cs": "sum", "sum.spec.ts": "sum"} {
		if got := subject(path); got != want {
			t.Errorf("%s is about %q", path, got)
		}
	}
}
