package attribution

import "bytes"

// trimmed is two versions of a text without lines that both have at the beginning or at the
// end. Most changes are small: only the lines between are numbered.
type trimmed struct {
	a, b          text
	before, after int // how many lines were left out
	tail          []byte
}

// trim reads two versions. Lines are left out only if no comparison pairs them otherwise: at
// each end, a line with words stays (see equalEnds).
func (r *Workspace) trim(older, newer []byte) trimmed {
	if Binary(older) || Binary(newer) {
		return trimmed{a: r.lineTable.read(older), b: r.lineTable.read(newer)}
	}
	head := commonStart(older, newer)
	tail := older[len(older)-commonEnd(older[len(head):], newer[len(head):]):]
	head = head[:r.withWords(head)]
	for worded := false; !worded && len(tail) > 0; {
		line := tail[:lineLen(tail)]
		tail, worded = tail[len(line):], r.hasWords(line)
	}
	t := trimmed{before: bytes.Count(head, newline), after: lineCount(tail), tail: tail}
	t.a = r.lineTable.read(older[len(head) : len(older)-len(tail)])
	t.b = r.lineTable.readAfter(t.a.ids, newer[len(head):len(newer)-len(tail)])
	return t
}

// compareTexts compares two versions, if it can without the lines at their beginning and end.
func (r *Workspace) compareTexts(older, newer []byte) (trimmed, change) {
	r.clear(effort)
	t := r.trim(older, newer)
	c, within := r.compareTrimmed(t)
	if !within {
		r.clear(effort)
		t = r.untrimmed(older, newer)
		c, _ = r.compareTrimmed(t)
	}
	return t, c
}

// longestOf is compareTexts for as many pairs as possible.
func (r *Workspace) longestOf(older, newer []byte) (trimmed, alignment) {
	r.clear(countEffort)
	t := r.trim(older, newer)
	of := r.diff.longest(t.a.ids, t.b.ids)
	if !r.slide(t.pairs(r, of)) {
		r.clear(countEffort)
		t = r.untrimmed(older, newer)
		of = r.diff.longest(t.a.ids, t.b.ids)
		r.slide(t.pairs(r, of))
	}
	return t, of
}

func (r *Workspace) untrimmed(older, newer []byte) (t trimmed) {
	t.a = r.lineTable.read(older)
	t.b = r.lineTable.readAfter(t.a.ids, newer)
	return t
}

func (t *trimmed) pairs(r *Workspace, of alignment) *versions {
	return &versions{keys: r.lineTable.ids.keys, a: t.a.ids, b: t.b.ids, of: of, before: t.before > 0, after: t.after > 0, rest: t.tail}
}

var newline = []byte{'\n'}

// lines returns how many lines each version has.
func (t trimmed) lines() (older, newer int) {
	all := t.before + t.after
	return all + len(t.a.ids), all + len(t.b.ids)
}

// whole returns the pairs of all lines, given those of the lines between.
func (t trimmed) whole(of alignment) []int32 {
	older, newer := t.lines()
	out := make([]int32, newer)
	for j := range out {
		switch k := j - t.before; {
		case k < 0:
			out[j] = int32(j)
		case k >= len(of):
			out[j] = int32(j + older - newer)
		case of[k] < 0:
			out[j] = -1
		default:
			out[j] = of[k] + int32(t.before)
		}
	}
	return out
}

func lineLen(text []byte) int {
	if i := bytes.IndexByte(text, '\n'); i >= 0 {
		return i + 1
	}
	return len(text)
}

func lineCount(text []byte) int {
	n := bytes.Count(text, newline)
	if len(text) > 0 && text[len(text)-1] != '\n' {
		n++
	}
	return n
}

func (r *Workspace) hasWords(line []byte) bool {
	r.form = appendForm(r.form[:0], line)
	return len(r.form) >= wordWeight && len(bytes.Runes(r.form)) >= wordWeight
}

// withWords shortens a beginning by its last lines, up to and with one that has words.
func (r *Workspace) withWords(head []byte) int {
	for worded := false; !worded && len(head) > 0; {
		at := bytes.LastIndexByte(head[:len(head)-1], '\n') + 1
		head, worded = head[:at], r.hasWords(head[at:])
	}
	return len(head)
}

// commonStart returns the lines with which both texts begin.
func commonStart(a, b []byte) []byte {
	n := min(len(a), len(b))
	lo := 0
	for step := 4096; step > 0; {
		if lo+step <= n && bytes.Equal(a[lo:lo+step], b[lo:lo+step]) {
			lo += step
		} else {
			step /= 8
		}
	}
	return a[:bytes.LastIndexByte(a[:lo], '\n')+1]
}

// commonEnd returns the length of the lines with which both texts end.
func commonEnd(a, b []byte) int {
	n := min(len(a), len(b))
	end := 0
	for step := 4096; step > 0; {
		if end+step <= n && bytes.Equal(a[len(a)-end-step:len(a)-end], b[len(b)-end-step:len(b)-end]) {
			end += step
		} else {
			step /= 8
		}
	}
	if begins(a, end) && begins(b, end) {
		return end
	}
	return end - lineLen(a[len(a)-end:])
}

// begins reports whether the last n bytes of a text begin with a line.
func begins(text []byte, n int) bool { return n == len(text) || text[len(text)-n-1] == '\n' }
