package blameserve

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"

	"entire/internal/attribution"
	"entire/internal/lineage"
)

// A run is some lines with one owner: the first line, from 1, how many, and the owner's number.
type run [3]int

// A base is a file on disk with the owner of each of its lines.
type base struct {
	text   []byte
	owners []int32
	lines  []string // as on disk
	ascii  bool     // the file is not UTF-8: only ASCII can be compared with what the editor sends
}

func newBase(path string, lines []lineage.Line, o *owners) *base {
	b := &base{owners: make([]int32, len(lines)), lines: make([]string, len(lines))}
	for i, l := range lines {
		b.owners[i], b.lines[i] = o.of(path, l), l.Text
		b.ascii = b.ascii || !utf8.ValidString(l.Text)
	}
	b.text = joined(nil, b.lines, b.ascii)
	return b
}

// joined returns lines as a text that can be compared: without a byte order mark, which editors hide, and without
// what no comparison could match. It may use the memory of out.
func joined(out []byte, lines []string, ascii bool) []byte {
	size := 0
	for _, l := range lines {
		size += len(l) + 1
	}
	out = slices.Grow(out[:0], size)
	for i, l := range lines {
		if i == 0 {
			l = strings.TrimPrefix(l, "\ufeff")
		}
		if ascii {
			l = strings.Map(func(r rune) rune {
				if r >= utf8.RuneSelf {
					return -1
				}
				return r
			}, l)
		}
		out = append(append(out, l...), '\n')
	}
	return out
}

// A document is a file that the editor has opened.
type document struct {
	path   string
	buffer []string // the editor's lines; nil for those on disk
	dirty  bool     // the editor has sent the buffer
	base   *base    // nil until the first answer
	before *base    // the base that the buffer came from, if the file has changed since
	owners []int32  // of each line of the buffer, as the editor was told
	places []int32  // of each line of the buffer in the base, from 0; -1 for none
	memory attribution.Workspace
	text   []byte // of the buffer, as it is compared; its memory is used again
}

// lines returns the number of lines of the buffer.
func (d *document) lines() int {
	if d.dirty {
		return len(d.buffer)
	}
	return len(d.base.lines)
}

// rebase takes what is on disk now. Lines of the buffer that are only in an earlier base keep their owners.
func (d *document) rebase(b *base) {
	if d.base != nil && d.dirty && !bytes.Equal(d.base.text, b.text) {
		d.before = d.base
	}
	d.base = b
}

// compare finds the owners of all lines of the buffer again.
func (d *document) compare(unsaved func() int32) []int32 {
	if !d.dirty {
		d.places = d.places[:0]
		for i := range d.base.owners {
			d.places = append(d.places, int32(i))
		}
		return slices.Clone(d.base.owners)
	}
	d.text = joined(d.text, d.buffer, d.base.ascii)
	if bytes.Equal(d.text, d.base.text) {
		d.before = nil
	}
	d.places = d.trace(d.places, d.base, d.text)
	out := make([]int32, len(d.buffer))
	var earlier []int32
	for i, at := range d.places {
		if out[i] = -1; at >= 0 {
			out[i] = d.base.owners[at]
		} else if d.before != nil && earlier == nil {
			earlier = d.trace(nil, d.before, joined(nil, d.buffer, d.before.ascii))
		}
	}
	for i, n := range out {
		switch {
		case n >= 0:
		case earlier != nil && earlier[i] >= 0:
			out[i] = d.before.owners[earlier[i]]
		default:
			out[i] = unsaved()
		}
	}
	return out
}

// trace returns for each line of the buffer its place in a base; -1 for none. It may use the memory of out.
func (d *document) trace(out []int32, b *base, text []byte) []int32 {
	places := append(out[:0], d.memory.Trace(b.text, text)...)
	for len(places) < len(d.buffer) { // a text without lines
		places = append(places, -1)
	}
	return places[:len(d.buffer)]
}

// runsOf returns the owners of all lines as runs.
func runsOf(owners []int32) []run {
	out := []run{}
	for i, n := range owners {
		if last := len(out) - 1; last >= 0 && out[last][2] == int(n) {
			out[last][1]++
			continue
		}
		out = append(out, run{i + 1, 1, int(n)})
	}
	return out
}

// changedRuns returns runs of the lines whose owner is another than told; -1 was not told.
func changedRuns(told, owners []int32) []run {
	out := []run{}
	for i, n := range owners {
		if told[i] == n {
			continue
		}
		if last := len(out) - 1; last >= 0 && out[last][2] == int(n) && out[last][0]+out[last][1] == i+1 {
			out[last][1]++
			continue
		}
		out = append(out, run{i + 1, 1, int(n)})
	}
	return out
}

// A change replaces the lines from..to-1 of the buffer, counted from 1, by others.
type change struct {
	From  int      `json:"from"`
	To    int      `json:"to"`
	Lines []string `json:"lines"`
}

// valid reports whether a buffer of n lines has the lines of the change.
func (c change) valid(n int) bool { return c.From >= 1 && c.To >= c.From && c.To <= n+1 }

// apply changes the buffer, and what the editor was told of it. It changes nothing and returns false if a change
// does not fit.
func (d *document) apply(changes []change) bool {
	n := d.lines()
	for _, c := range changes {
		if !c.valid(n) {
			return false
		}
		n += len(c.Lines) - (c.To - c.From)
	}
	if !d.dirty {
		d.buffer, d.dirty = slices.Clone(d.base.lines), true
	}
	for _, c := range changes {
		fresh := make([]int32, len(c.Lines))
		for i := range fresh {
			fresh[i] = -1
		}
		d.buffer = slices.Replace(d.buffer, c.From-1, c.To-1, c.Lines...)
		if len(d.owners) > 0 || d.base != nil {
			d.owners = slices.Replace(d.owners, c.From-1, c.To-1, fresh...)
		}
	}
	return true
}

// splitText returns the lines of a text.
func splitText(text string) []string {
	if text == "" {
		return []string{}
	}
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}
