package attribution_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"entire/internal/attribution"
)

var (
	claude = attribution.Owner{Class: attribution.Agent, Session: "claude"}
	gemini = attribution.Owner{Class: attribution.Agent, Session: "gemini"}
	person = attribution.Owner{Class: attribution.Person}
	nobody = attribution.Owner{Class: attribution.Unknown}
)

// story is what happens to a file; each step is who makes which text of it.
type step struct {
	by    attribution.Owner
	text  string
	after int
	known []attribution.Line
}

func tell(base string, steps ...step) *attribution.History {
	h := new(attribution.Workspace).Begin([]byte(base))
	for _, s := range steps {
		h.Step(attribution.Version{Text: []byte(s.text), Owner: s.by, After: s.after, Known: s.known})
	}
	return h
}

// owners writes one letter a line: c, g, p, ? for added ones, a dot for others.
func owners(f attribution.File) string {
	var b strings.Builder
	for _, l := range f.Lines {
		switch {
		case !l.Added:
			b.WriteByte('.')
		default:
			b.WriteString(letter(l.Owner))
		}
	}
	return b.String()
}

func letter(o attribution.Owner) string {
	switch {
	case o == claude:
		return "c"
	case o == gemini:
		return "g"
	case o == person:
		return "p"
	case o == nobody:
		return "?"
	}
	return "!"
}

func removals(f attribution.File) string {
	var b strings.Builder
	for _, r := range f.Removed {
		fmt.Fprintf(&b, "%d%s", r.Line, letter(r.Owner))
		if r.Replaced {
			b.WriteByte('=')
		}
	}
	return b.String()
}

func TestOwners(t *testing.T) {
	t.Parallel()
	const block = "func alpha() {\n\treturn one\n}\n"
	for _, tc := range []struct {
		name  string
		base  string
		steps []step
		want  string // see owners
		gone  string // see removals
	}{
		{name: "a new file", steps: []step{{by: claude, text: "a\nb\n"}}, want: "cc"},
		{name: "nothing", base: "a\n", want: "."},
		{name: "a person's file", steps: []step{{by: person, text: "a\nb\n"}}, want: "pp"},
		{name: "one after the other", base: "one\ntwo\n", steps: []step{
			{by: person, text: "one\nmine\ntwo\n"}, {by: claude, text: "one\nmine\ntwo\nyours\n"}}, want: ".p.c"},
		{name: "a person rewords an agent's line", base: "one\n", steps: []step{
			{by: claude, text: "one\nthe agent wrote this\n"}, {by: person, text: "one\nthe agent wrote that\n"}}, want: ".p"},
		{name: "an agent replaces what was there", base: "one\ntwo\nthree\n", steps: []step{{by: claude, text: "one\n2\nthree\n"}}, want: ".c.", gone: "1c="},
		{name: "a person deletes, an agent adds", base: "one\ntwo\nthree\n", steps: []step{
			{by: person, text: "one\nthree\n"}, {by: claude, text: "one\nthree\nfour\n"}}, want: "..c", gone: "1p"},
		{name: "re-indented by a person", steps: []step{
			{by: claude, text: block}, {by: person, text: "if x {\n" + strings.ReplaceAll(block, "\n", "\n\t") + "\n}\n"}}, want: "pccc" + "pp"},
		{name: "old lines re-indented by an agent", base: "first line\nsecond line\n", steps: []step{
			{by: claude, text: "if x {\n\tfirst line\n\tsecond line\n}\n"}}, want: "cccc", gone: "0c=1c="},
		{name: "moved by a person", base: "top of it\n", steps: []step{
			{by: claude, text: "top of it\n" + block + "middle of it\n"}, {by: person, text: "top of it\nmiddle of it\n" + block}}, want: "." + "c" + "ccc"},
		{name: "an old line moved by a person", base: "first line\nsecond line\nthird line\n", steps: []step{
			{by: person, text: "second line\nthird line\nfirst line\n"}}, want: "..p", gone: "0p"},
		{name: "deleted and restored", base: "one\n", steps: []step{
			{by: claude, text: "one\nthe agent's line\n"}, {by: person, text: "one\n"}, {by: person, text: "one\nthe agent's line\nmine\n"}}, want: ".cp"},
		{name: "stashed and popped", base: "one\n", steps: []step{
			{by: claude, text: "one\nx\n"}, {by: person, text: "one\n"}, {by: person, text: "one\nx\n"}}, want: ".c"},
		{name: "an old line taken out and put back", base: "an old line here\nrest\n", steps: []step{
			{by: claude, text: "rest\n"}, {by: person, text: "an old line here\nrest\n"}}, want: ".."},
		{name: "back to the first version", base: "one\n", steps: []step{
			{by: claude, text: "one\ntwo\n"}, {by: gemini, text: "one\ntwo\nthree\n"}, {by: person, text: "one\ntwo\nfour\n", after: 1}}, want: ".cp"},
		{name: "CRLF", base: "one\r\ntwo\r\n", steps: []step{{by: claude, text: "one\r\nnew\r\ntwo\r\n"}}, want: ".c."},
		{name: "LF to CRLF by a person", steps: []step{
			{by: claude, text: "one\ntwo\n"}, {by: person, text: "one\r\ntwo\r\nthree\r\n"}}, want: "ccp"},
		{name: "no newline at the end", base: "one", steps: []step{{by: claude, text: "one\ntwo"}}, want: "cc", gone: "0c="},
		{name: "the newline at the end added by a person", steps: []step{{by: claude, text: "one"}, {by: person, text: "one\n"}}, want: "c"},
		{name: "binary", base: "one\n", steps: []step{{by: claude, text: "\x00\n"}}, want: "", gone: "0c"},
		{name: "deleted", base: "one\ntwo\n", steps: []step{{by: claude, text: ""}}, want: "", gone: "0c1c"},
		{name: "deleted in two steps", base: "one\ntwo\n", steps: []step{{by: claude, text: "two\n"}, {by: person}}, want: "", gone: "0c1p"},
		{name: "one brace more", base: "f {\n}\n", steps: []step{{by: claude, text: "f {\n}\ng {\n}\n"}, {by: person, text: "f {\n}\ng {\n}\nh {\n}\n"}}, want: "..ccpp"},
		{name: "known from elsewhere", base: "one\ntwo\n", steps: []step{
			{text: "one\nmine\ntwo\nyours\n", known: []attribution.Line{{}, {Owner: person}, {}, {Owner: claude}}}}, want: ".p.c"},
		{name: "known of less than there is", base: "one\n", steps: []step{{text: "one\ntwo\n", known: []attribution.Line{{}}}}, want: ".?"},
		{name: "two agents", steps: []step{{by: claude, text: "a\n"}, {by: gemini, text: "a\nb\n"}}, want: "cg"},
		{name: "nobody knows", steps: []step{{by: nobody, text: "a\n"}}, want: "?"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			f := tell(tc.base, tc.steps...).Commit([]byte(tc.base))
			if got := owners(f); got != tc.want {
				t.Errorf("owners %q, want %q", got, tc.want)
			}
			if got := removals(f); got != tc.gone {
				t.Errorf("removed %q, want %q", got, tc.gone)
			}
		})
	}
}

func TestModified(t *testing.T) {
	t.Parallel()
	f := tell("one\ntwo\nthree\n", step{by: person, text: "ONE\n2\nthree\nfour\n"}).Commit([]byte("one\ntwo\nthree\n"))
	var s sum
	s.add(f)
	if s.Added != 3 || s.Removed != 2 || s.ByOwner[person] != 3 || s.Modified[person] != 2 || s.Deleted[person] != 0 {
		t.Errorf("sum %+v", s)
	}
}

func TestMergeCountsWhatNoParentHas(t *testing.T) {
	t.Parallel()
	h := tell("a\nb\nc\n", step{by: claude, text: "a\nb\nc\nagent\n"}, step{by: person, text: "a\nc\nagent\ntheirs\nmerged\n"})
	f := h.Commit([]byte("a\nb\nc\n"), []byte("a\nc\ntheirs\n"))
	if got := owners(f) + " " + removals(f); got != "..c.p " {
		t.Errorf("got %q", got)
	}
}

func TestParentThatTheHistoryDidNotBeginWith(t *testing.T) {
	t.Parallel()
	// HEAD moved from base to parent, which brought a line, under the agent's work.
	h := tell("base line\n", step{by: claude, text: "base line\nagent's line\n"}, step{by: person, text: "pulled line\nbase line\nagent's line\n"})
	f := h.Commit([]byte("pulled line\nbase line\n"))
	if got := owners(f); got != "..c" {
		t.Errorf("got %q", got)
	}
}

func TestLinesOfTheNewestVersion(t *testing.T) {
	t.Parallel()
	got := tell("old\n", step{by: claude, text: "old\nnew\n"}).AppendLines(nil)
	if len(got) != 2 || got[0] != (attribution.Line{}) || got[1].Owner != claude {
		t.Errorf("lines %+v", got)
	}
}

func TestDropped(t *testing.T) {
	t.Parallel()
	const mine, theirs, kept, weak = "a line that the person wrote\n", "a line that the agent wrote\n", "another of the agent's lines\n", "}\n"
	for _, tc := range []struct {
		name  string
		steps []step
		want  string
	}{
		{"nothing", []step{{by: claude, text: theirs + kept}}, ""},
		{"an agent's line", []step{{by: claude, text: theirs + kept + weak}, {by: person, text: kept + mine}}, theirs},
		{"nobody's that is known", []step{{by: nobody, text: theirs + kept}, {by: person, text: kept}}, theirs},
		{"a person's line", []step{{by: person, text: mine + kept}, {by: claude, text: theirs}}, ""},
		{"back again", []step{{by: claude, text: theirs + kept}, {by: person, text: kept}, {by: person, text: kept + theirs}}, ""},
		{"written again by another", []step{{by: claude, text: theirs + kept}, {by: person, text: mine}, {by: gemini, text: kept}}, theirs},
		{"twice", []step{{by: claude, text: theirs + kept}, {by: person, text: kept}, {by: gemini, text: theirs + theirs}, {by: person, text: mine}}, theirs + kept},
	} {
		got, want := attribution.DroppedPrints(tell("", tc.steps...).DroppedLines()), attribution.PrintLines([]byte(tc.want))
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", tc.name, got, want)
		}
	}
}
