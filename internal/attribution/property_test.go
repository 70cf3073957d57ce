package attribution_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"entire/internal/attribution"
)

// textOf draws a file of few different lines, so that they repeat.
func textOf(t *rapid.T, name string) string {
	lines := rapid.SliceOfN(rapid.SampledFrom([]string{"}\n", "{\n", "\n", "return nil\n", "\treturn nil\n", "a line of some length\n", "b\n", "c"}), 0, 14).Draw(t, name)
	return strings.Join(lines, "")
}

// common is the length of a longest common subsequence, the slow way.
func common(a, b [][]byte) int {
	row := make([]int, len(b)+1)
	for i := range a {
		diag := 0
		for j := range b {
			next := row[j+1]
			if bytes.Equal(a[i], b[j]) {
				row[j+1] = diag + 1
			} else {
				row[j+1] = max(row[j+1], row[j])
			}
			diag = next
		}
	}
	return row[len(b)]
}

func split(text string) (lines [][]byte) {
	for l := range bytes.Lines([]byte(text)) {
		lines = append(lines, l)
	}
	return lines
}

// TestTotalsAreThoseOfTheDiff: whatever happened in between, as many lines count
// as added and removed as differ, and each has an owner who was there.
func TestTotalsAreThoseOfTheDiff(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		base := textOf(t, "base")
		var steps []step
		for i := range rapid.IntRange(0, 5).Draw(t, "steps") {
			by := rapid.SampledFrom([]attribution.Owner{claude, gemini, person}).Draw(t, "by")
			steps = append(steps, step{by: by, text: textOf(t, "text"), after: rapid.IntRange(-1, i).Draw(t, "after")})
		}
		last := base
		if n := len(steps); n > 0 {
			last = steps[n-1].text
		}
		parent := base
		moved := rapid.Bool().Draw(t, "HEAD moved")
		if moved {
			parent = textOf(t, "parent")
		}
		f := tell(base, steps...).Commit([]byte(parent))
		var s sum
		s.add(f)
		is, was := split(last), split(parent)
		same := common(was, is)
		if s.Added != len(is)-same || s.Removed != len(was)-same || len(f.Lines) != len(is) {
			t.Fatalf("added %d, removed %d of %d lines; want %d, %d of %d", s.Added, s.Removed, len(f.Lines), len(is)-same, len(was)-same, len(is))
		}
		allowed := map[attribution.Owner]bool{nobody: moved}
		for _, st := range steps {
			allowed[st.by] = true
		}
		for i, l := range f.Lines {
			if l.Added && !allowed[l.Owner] || !l.Added && l.Owner != (attribution.Owner{}) {
				t.Fatalf("line %d: %+v", i, l)
			}
		}
		for _, r := range f.Removed {
			if !allowed[r.Owner] {
				t.Fatalf("removal %+v", r)
			}
		}
	})
}

// TestOneMakerOwnsAll: with a single maker every line is theirs.
func TestOneMakerOwnsAll(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		base, by := textOf(t, "base"), rapid.SampledFrom([]attribution.Owner{claude, person}).Draw(t, "by")
		var steps []step
		for range rapid.IntRange(1, 5).Draw(t, "steps") {
			steps = append(steps, step{by: by, text: textOf(t, "text")})
		}
		var s sum
		s.add(tell(base, steps...).Commit([]byte(base)))
		if s.ByOwner[by] != s.Added {
			t.Fatalf("%d of %d lines are theirs: %+v", s.ByOwner[by], s.Added, s.ByOwner)
		}
	})
}

// TestSeparateChangesCommute: two makers at different places of a file get the
// same lines in whichever order they worked.
func TestSeparateChangesCommute(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		head, tail := textOf(t, "head"), textOf(t, "tail")
		if strings.HasSuffix(head, "c") {
			head += "\n"
		}
		const wall = "a wall that\nnobody climbs\nstands here\n"
		newHead, newTail := "agent: "+textOf(t, "new head")+"\n", textOf(t, "new tail")+"person\n"
		base, end := head+wall+tail, newHead+wall+newTail
		one := tell(base, step{by: claude, text: newHead + wall + tail}, step{by: person, text: end}).Commit([]byte(base))
		two := tell(base, step{by: person, text: head + wall + newTail}, step{by: claude, text: end}).Commit([]byte(base))
		if owners(one) != owners(two) {
			t.Fatalf("%s\n%s", owners(one), owners(two))
		}
	})
}

// marked is a file whose every line says who wrote it.
type marked struct {
	next  int
	lines []string // "<n> by <letter>", with white space before
}

func (m *marked) edit(t *rapid.T, by string) {
	n := len(m.lines)
	at := rapid.IntRange(0, n).Draw(t, "at")
	size := rapid.IntRange(0, min(4, n-at)).Draw(t, "size")
	block := append([]string(nil), m.lines[at:at+size]...)
	rest := append(append([]string(nil), m.lines[:at]...), m.lines[at+size:]...)
	to := at
	switch rapid.SampledFrom([]string{"insert", "delete", "reword", "move", "indent"}).Draw(t, "edit") {
	case "insert":
		block = append(block, m.fresh(by, 2)...)
	case "delete":
		block = nil
	case "reword":
		block = m.fresh(by, len(block))
	case "move":
		to = rapid.IntRange(0, len(rest)).Draw(t, "to")
	case "indent":
		for i := range block {
			block[i] = "\t" + block[i]
		}
	}
	m.lines = append(append(append([]string(nil), rest[:to]...), block...), rest[to:]...)
}

func (m *marked) fresh(by string, n int) (lines []string) {
	for range n {
		m.next++
		lines = append(lines, fmt.Sprintf("line %d by %s", m.next, by))
	}
	return lines
}

func (m *marked) text() string { return strings.Join(append(m.lines, ""), "\n") }

// TestMarksAreBelieved: lines that say who wrote them are theirs, however they
// were moved, indented, removed and brought back.
func TestMarksAreBelieved(t *testing.T) {
	t.Parallel()
	makers := []attribution.Owner{claude, gemini, person}
	rapid.Check(t, func(t *rapid.T) {
		m := &marked{}
		m.lines = m.fresh("base", rapid.IntRange(0, 8).Draw(t, "base lines"))
		base := m.text()
		h := new(attribution.Workspace).Begin([]byte(base))
		versions := [][]string{m.lines}
		for range rapid.IntRange(1, 6).Draw(t, "steps") {
			by := rapid.SampledFrom(makers).Draw(t, "by")
			if rapid.IntRange(0, 9).Draw(t, "undo") == 0 {
				m.lines = append([]string(nil), rapid.SampledFrom(versions).Draw(t, "version")...)
			}
			for range rapid.IntRange(1, 3).Draw(t, "edits") {
				m.edit(t, letter(by))
			}
			versions = append(versions, m.lines)
			h.Step(attribution.Version{Text: []byte(m.text()), Owner: by})
		}
		for i, l := range h.Commit([]byte(base)).Lines {
			if i == len(m.lines) || !l.Added || l.Moved || strings.HasSuffix(m.lines[i], "base") {
				continue
			}
			if !strings.HasSuffix(m.lines[i], " "+letter(l.Owner)) {
				t.Fatalf("%q is given to %s in\n%s", m.lines[i], letter(l.Owner), m.text())
			}
		}
	})
}

func FuzzHistory(f *testing.F) {
	f.Add("a\nb\n", "a\nc\n", "c\na\n\x00")
	f.Add("", "x", "x\n")
	f.Add("\r\n\n", "\n\r\n", "\n")
	f.Fuzz(func(t *testing.T, base, one, two string) {
		file := tell(base, step{by: claude, text: one}, step{by: person, text: two}).Commit([]byte(base))
		var s sum
		s.add(file)
		if len(file.Lines)-s.Added < 0 || s.ByOwner[claude]+s.ByOwner[person] != s.Added {
			t.Fatalf("%+v", s)
		}
	})
}

func BenchmarkCommit(b *testing.B) {
	for _, lines := range []int{200, 2000, 20000} {
		m := &marked{}
		m.lines = m.fresh("base", lines)
		base := m.text()
		var texts []string
		for _, by := range []string{"c", "p", "c"} {
			for i := 0; i < lines; i += 37 {
				m.lines[i] = m.fresh(by, 1)[0]
			}
			texts = append(texts, m.text())
		}
		b.Run(fmt.Sprint(lines), func(b *testing.B) {
			for b.Loop() {
				tell(base, step{by: claude, text: texts[0]}, step{by: person, text: texts[1]}, step{by: claude, text: texts[2]}).Commit([]byte(base))
			}
		})
	}
}

// BenchmarkWorst is a comparison that has to give up.
func BenchmarkWorst(b *testing.B) {
	var one, two strings.Builder
	for i := range 19000 {
		fmt.Fprintf(&one, "%d\n", i*7919%101)
		fmt.Fprintf(&two, "%d\n", i*104729%103)
	}
	for b.Loop() {
		tell(one.String(), step{by: claude, text: two.String()}).Commit([]byte(one.String()))
	}
}
