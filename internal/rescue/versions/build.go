package versions

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"time"
)

// maxContent bounds a content that edits are applied to, and maxMade all that are made of one file, in bytes.
const (
	maxContent = 16 << 20
	maxMade    = 256 << 20
)

// Build returns the versions of one file, oldest first. It sorts the evidence by time. Of the same time, what a branch
// keeps comes first, because git's times are whole seconds; the rest keeps its order. Contents that cannot be read are passed over.
func Build(evidence []Evidence, c Contents) ([]Version, error) {
	evidence = slices.Clone(evidence)
	slices.SortStableFunc(evidence, func(a, b Evidence) int {
		switch c := a.At.Compare(b.At); {
		case c != 0:
			return c
		case a.Seq == 0 && b.Seq == 0 && a.Kept != b.Kept:
			return map[bool]int{true: -1, false: 1}[a.Kept]
		}
		return a.Seq - b.Seq
	})
	evidence = onlyOnce(evidence)
	b := &builder{c: c, exact: map[Hash]bool{}}
	for _, e := range evidence {
		if e.Kind == Whole && !e.Loose {
			b.exact[e.Content] = true
		}
	}
	for _, e := range evidence {
		if err := b.take(e); err != nil {
			return nil, err
		}
	}
	b.confirm()
	b.shownElsewhere()
	return b.out, nil
}

// onlyOnce leaves out what is told twice of the same moment: conversations that were resumed or forked share their
// beginnings.
func onlyOnce(evidence []Evidence) []Evidence {
	said := map[string]bool{} // of this moment
	out := evidence[:0]
	for i, e := range evidence {
		same := i > 0 && evidence[i-1].At.Equal(e.At)
		if !same {
			clear(said)
		}
		if !same && (i+1 == len(evidence) || !evidence[i+1].At.Equal(e.At)) {
			out = append(out, e)
			continue
		}
		if key := e.says(); !said[key] {
			said[key] = true
			out = append(out, e)
		}
	}
	return out
}

// says returns what a piece of evidence says, without who says it.
func (e Evidence) says() string {
	e.Source, e.Seq, e.At = "", 0, time.Time{}
	return fmt.Sprintf("%q", fmt.Sprintf("%#v", e))
}

// builder goes through the evidence in the order of time.
type builder struct {
	c     Contents
	exact map[Hash]bool // stored as they are
	out   []Version

	known   bool // the content at this moment is known: it is hash, and now once it was read
	hash    Hash
	now     []byte
	at      int    // its version in out
	chain   []int  // the versions that told changes lead to, since the content was last seen
	made    int    // the bytes of the contents that were made
	sketch  sketch // otherwise: what is known of it
	pending []Evidence
}

func (b *builder) take(e Evidence) error {
	if b.made > maxMade && (e.Kind == Shown || e.Kind == Edited) {
		b.forget() // what was found remains, and no more is made
		return nil
	}
	switch e.Kind {
	case Whole:
		return b.takeWhole(e)
	case Shown:
		return b.takeShown(e)
	case Edited:
		if e.Result != "" {
			return b.takeDifference(e)
		}
		return b.takeEdited(e)
	}
	if n := len(b.out); n > 0 && b.out[n-1].Gone {
		b.out[n-1].Last = e.At
		return nil
	}
	b.forget()
	b.add(Version{Path: e.Path, At: e.At, Source: e.Source, Gone: true, Sure: Exact, Kept: e.Kept})
	return nil
}

func (b *builder) forget() {
	b.known, b.now, b.chain, b.pending, b.sketch = false, nil, nil, nil, sketch{}
}

// content returns the content at this moment; nil if it is not known, or too large to be edited.
func (b *builder) content() []byte {
	if b.known && b.now == nil {
		b.now = b.read(b.hash)
		b.known = b.now != nil
	}
	return b.now
}

// read returns a content, nil for one that cannot be read or is too large to be edited.
func (b *builder) read(hash Hash) []byte {
	content, err := b.c.Get(hash)
	switch {
	case err != nil || len(content) > maxContent:
		return nil
	case content == nil:
		return []byte{}
	}
	return content
}

func (b *builder) add(v Version) {
	v.Last = v.At
	b.out, b.at = append(b.out, v), len(b.out)
}

// takeWhole sees a content. If it is the one that changes led to, they are confirmed.
func (b *builder) takeWhole(e Evidence) error {
	if b.isNow(e) {
		b.seeAgain(e)
		return nil
	}
	if len(b.pending) > 0 {
		if found, err := b.goBack(b.read(e.Content)); err != nil || found {
			b.forget()
			b.known, b.hash, b.at = found, e.Content, len(b.out)-1
			if found {
				b.seeAgain(e)
			}
			return err
		}
	}
	b.forget()
	v := Version{Path: e.Path, At: e.At, Source: e.Source, Sure: Exact, Content: e.Content, Size: e.Size, Mode: e.Mode, Kept: e.Kept, Computed: e.Computed, Snapshot: e.Snapshot, Filtered: e.Filtered}
	if v.Loose = e.Loose; e.Loose {
		v.Sure = Rebuilt
	}
	b.add(v)
	b.known, b.hash = true, e.Content
	return nil
}

// isNow reports whether a content that was seen is the one that is known; of a loose one the text counts.
func (b *builder) isNow(e Evidence) bool {
	if !b.known || b.hash == e.Content {
		return b.known
	}
	if !e.Loose && b.out[b.at].Sure == Exact {
		return false
	}
	now, seen := b.content(), b.read(e.Content)
	loose := e.Loose || b.out[b.at].Loose
	return now != nil && seen != nil && loose && bytes.Equal(plain(now), plain(seen))
}

// seeAgain confirms the version that is known, and those that led to it. Its bytes become those that were stored.
func (b *builder) seeAgain(e Evidence) {
	v := &b.out[b.at]
	v.Last, v.Also, v.Kept, v.Computed, v.Snapshot = e.At, v.Also+1, v.Kept || e.Kept, v.Computed && e.Computed, v.Snapshot && e.Snapshot
	if v.Mode == 0 {
		v.Mode = e.Mode
	}
	for _, i := range b.chain {
		b.out[i].Sure = max(b.out[i].Sure, Verified)
	}
	b.chain = nil
	if !e.Loose && v.Sure != Exact {
		v.Sure, v.Content, v.Size, v.Loose, v.Filtered = Exact, e.Content, e.Size, false, e.Filtered
		b.hash, b.now = e.Content, nil
	}
}

// plain returns a text without what an agent's reader may drop: the byte order mark, carriage returns, and the
// last line end.
func plain(text []byte) []byte {
	text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
	return bytes.TrimSuffix(bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")), []byte("\n"))
}

// takeDifference takes the content that a difference leads to, if it has the hash that the difference names.
func (b *builder) takeDifference(e Evidence) error {
	before := []byte{}
	if strings.Trim(e.Base, "0") != "" {
		hash, ok := b.c.Find(e.Base)
		if !ok {
			return nil
		}
		if before = b.read(hash); before == nil {
			return nil
		}
	}
	after, ok := applyAll(before, e.Edits)
	if !ok {
		return nil
	}
	hash, err := b.c.Put(after)
	if err != nil || !strings.HasPrefix(string(hash), e.Result) {
		return err
	}
	n := len(b.out)
	err = b.takeWhole(Evidence{Path: e.Path, At: e.At, Source: e.Source, Content: hash, Size: int64(len(after))})
	if len(b.out) > n && !b.exact[hash] {
		b.out[len(b.out)-1].Sure = Verified
	}
	return err
}

func (b *builder) takeEdited(e Evidence) error {
	if b.content() == nil {
		return b.edit(e)
	}
	after, ok := applyAll(b.now, e.Edits)
	switch {
	case ok && bytes.Equal(after, b.now):
		return nil
	case ok:
		return b.rebuilt(after, e, b.changesSoFar()+1)
	}
	_, has := reverseAll(b.now, e.Edits)
	if v := b.out[b.at]; has || v.Changes == 0 && e.At.Sub(v.At) < time.Second {
		return nil // what was seen last already has the change: git's times are whole seconds
	}
	b.forget()
	return b.edit(e)
}

func (b *builder) changesSoFar() int {
	if len(b.chain) == 0 {
		return 0
	}
	return b.out[b.at].Changes
}

// rebuilt adds the version to which a told change leads.
func (b *builder) rebuilt(content []byte, e Evidence, changes int) error {
	v := Version{Path: e.Path, At: e.At, Source: e.Source, Sure: Rebuilt, Changes: changes}
	if b.at < len(b.out) {
		v.Loose, v.Filtered = b.out[b.at].Loose, b.out[b.at].Filtered
		if v.Mode, v.Base = b.out[b.at].Mode, b.out[b.at].Base; v.Base == "" {
			v.Base = b.out[b.at].Source
		}
	}
	if err := b.fill(&v, content); err != nil {
		return err
	}
	b.add(v)
	b.known, b.hash, b.now, b.chain = true, v.Content, content, append(b.chain, b.at)
	return nil
}

// edit takes a change of a content that is not known.
func (b *builder) edit(e Evidence) error {
	b.pending = append(b.pending, e)
	b.sketch.change(e.Edits)
	return b.partial(e)
}

// takeShown takes some lines of the content.
func (b *builder) takeShown(e Evidence) error {
	if b.content() != nil {
		s := sketch{lines: map[int]string{}}
		for i, line := range bytes.Split(plain(b.now), []byte("\n")) {
			s.lines[i+1] = string(line)
		}
		lines := bytes.Split(plain([]byte(e.Text)), []byte("\n"))
		text := make([]string, len(lines))
		for i := range lines {
			text[i] = string(lines[i])
		}
		if s.agrees(text, max(e.First, 1)) {
			b.out[b.at].Last = e.At
			return nil
		}
		b.forget()
	}
	b.sketch.show(e)
	return b.partial(e)
}

// partial adds a version whose lines are known in part, or all of them by now.
func (b *builder) partial(e Evidence) error {
	if len(b.sketch.lines) == 0 {
		return nil
	}
	if text, all := b.sketch.whole(); all {
		b.at = len(b.out) // there is no base
		err := b.rebuilt([]byte(text), e, 0)
		b.chain, b.sketch = nil, sketch{}
		return err
	}
	runs, text := b.sketch.known()
	v := Version{Path: e.Path, At: e.At, Source: e.Source, Sure: Partial, Lines: runs, Total: b.sketch.total}
	if err := b.fill(&v, []byte(text)); err != nil {
		return err
	}
	if n := len(b.out); e.Kind == Shown && n > 0 && b.out[n-1].Sure == Partial && len(b.pending) == 0 && covers(runs, b.out[n-1].Lines) {
		v.At = b.out[n-1].At // the same content; more of it is known now
		b.out = b.out[:n-1]
		at := v.At
		b.add(v)
		b.out[b.at].At = at
		return nil
	}
	b.add(v)
	return nil
}

// covers reports whether the runs have every line of the others.
func covers(runs, others []Range) bool {
	for _, o := range others {
		if !slices.ContainsFunc(runs, func(r Range) bool { return r.First <= o.First && o.Last <= r.Last }) {
			return false
		}
	}
	return true
}

// fill sets a version's content.
func (b *builder) fill(v *Version, content []byte) (err error) {
	b.made += len(content)
	v.Content, err = b.c.Put(content)
	v.Size = int64(len(content))
	return err
}

// confirm raises the rebuilt versions whose bytes somebody stored.
func (b *builder) confirm() {
	for i := range b.out {
		v := &b.out[i]
		if v.Sure == Rebuilt && (b.exact[v.Content] || b.c.Known(v.Content)) {
			v.Sure = Verified
		}
	}
}

// shownElsewhere takes from a content that git may have made the word Computed if something else shows that the file had
// it, before or after: git's times are whole seconds, so a tree that nothing names may seem younger than the file's loss.
func (b *builder) shownElsewhere() {
	had := map[Hash]bool{}
	for _, v := range b.out {
		if !v.Gone && !v.Computed && v.Sure > Partial {
			had[v.Content] = true
		}
	}
	for i := range b.out {
		b.out[i].Computed = b.out[i].Computed && !had[b.out[i].Content]
	}
}
