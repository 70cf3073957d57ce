package attribution

// The weights and bounds of git's choice (xdiff/xdiffi.c, the "indent heuristic").
const (
	maxIndent  = 200
	maxBlanks  = 20
	maxSliding = 100

	startOfFile         = 1
	endOfFile           = 21
	blankWeight         = -30
	laterBlankWeight    = 6
	indented            = -4
	indentedAfterBlank  = 10
	outdented           = 24
	outdentedAfterBlank = 17
	dedented            = 23
	dedentedAfterBlank  = 17
	indentWeight        = 60
	noIndent            = -1 // of a blank line
)

// bestEnd returns where a group of size lines ends best, from lowest to highest.
func (s *side) bestEnd(size, lowest, highest int) (best int) {
	var least score
	for end := max(lowest, highest-size-1, highest-maxSliding); end <= highest; end++ {
		var now score
		now.add(s.split(end))
		now.add(s.split(end - size))
		if best == 0 || now.compare(least) <= 0 {
			best, least = end, now
		}
	}
	return best
}

// split is a place between two lines, as the choice sees it.
type split struct {
	atEnd                 bool
	indent                int // of the line after it
	before, after         int // indents of the nearest lines that are not blank
	blanks, followsBlanks int // blank lines before it, and after the line after it
}

// split measures what stands around the place before line at.
func (s *side) split(at int) split {
	p := split{atEnd: at >= len(s.own) && !s.after, indent: noIndent, before: noIndent, after: noIndent}
	if !p.atEnd {
		p.indent = s.indent(at)
	}
	for i := at - 1; i >= 0 && p.before == noIndent; i-- {
		if p.before = s.indent(i); p.before == noIndent {
			if p.blanks++; p.blanks == maxBlanks {
				p.before = 0
			}
		}
	}
	rest := s.rest
	for i := at + 1; p.after == noIndent; i++ {
		switch {
		case i < len(s.own):
			p.after = s.indent(i)
		case len(rest) > 0:
			n := lineLen(rest)
			p.after, rest = indentOf(rest[:n]), rest[n:]
		default:
			return p
		}
		if p.after == noIndent {
			if p.followsBlanks++; p.followsBlanks == maxBlanks {
				p.after = 0
			}
		}
	}
	return p
}

func (s *side) indent(i int) int { return indentOf(s.keys[s.own[i]]) }

// indentOf returns the columns before a line's text, noIndent for a blank line.
func indentOf(line []byte) (n int) {
	for _, c := range line {
		switch c {
		case ' ':
			n++
		case '\t':
			n += 8 - n%8
		case '\n', '\r', '\v', '\f':
		default:
			return n
		}
		if n >= maxIndent {
			return maxIndent
		}
	}
	return noIndent
}

// score says how odd the two ends of a group are: less is better.
type score struct{ indent, penalty int }

// add adds how odd it is to cut the text there.
func (c *score) add(p split) {
	if p.before == noIndent && p.blanks == 0 {
		c.penalty += startOfFile
	}
	if p.atEnd {
		c.penalty += endOfFile
	}
	later := 0
	if p.indent == noIndent {
		later = 1 + p.followsBlanks
	}
	blanks := p.blanks + later
	c.penalty += blankWeight*blanks + laterBlankWeight*later
	indent := p.indent
	if indent == noIndent {
		indent = p.after
	}
	c.indent += indent
	choose := func(plain, afterBlank int) {
		if blanks > 0 {
			plain = afterBlank
		}
		c.penalty += plain
	}
	switch {
	case indent == noIndent, p.before == noIndent, indent == p.before:
	case indent > p.before:
		choose(indented, indentedAfterBlank)
	case p.after != noIndent && p.after > indent:
		choose(outdented, outdentedAfterBlank)
	default:
		choose(dedented, dedentedAfterBlank)
	}
}

func (c score) compare(o score) int {
	less := 0
	switch {
	case c.indent > o.indent:
		less = 1
	case c.indent < o.indent:
		less = -1
	}
	return indentWeight*less + c.penalty - o.penalty
}
