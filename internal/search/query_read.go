package search

import (
	"slices"
	"unicode/utf8"
)

type parser struct {
	text   string
	tokens []token
	at     int
	fields []Field
	plain  bool
	err    error
}

// fail records the first error; pos is a byte of the query.
func (p *parser) fail(pos int, why, hint string) error {
	if p.err == nil {
		p.err = &QueryError{Pos: utf8.RuneCountInString(p.text[:pos]) + 1, Why: why, Hint: hint}
	}
	return p.err
}

func (p *parser) peek() (token, bool) {
	if p.err != nil || p.at >= len(p.tokens) {
		return token{}, false
	}
	return p.tokens[p.at], true
}

// or parses alternatives.
func (p *parser) or(depth int) *Node {
	if depth > depthMax {
		p.fail(p.tokens[min(p.at, len(p.tokens)-1)].pos, "parentheses are nested too deeply", "")
		return nil
	}
	var list []*Node
	start := p.at
	for {
		n := p.and(depth)
		t, more := p.peek()
		isOr := more && t.kind == tokOr
		if n == nil && p.err == nil && (isOr || len(list) > 0) {
			pos := len(p.text)
			if more {
				pos = t.pos
			}
			p.fail(pos, "OR needs something on either side", "put \"OR\" in quotes to look for the word")
		}
		if n != nil {
			list = append(list, n)
		}
		if !isOr || p.err != nil {
			break
		}
		p.plain = false
		p.at++
	}
	if len(list) > 1 && p.fieldsIn(start) {
		return nil
	}
	return joined(Or, list)
}

// fieldsIn refuses filters within alternatives, because a filter applies to the whole query.
func (p *parser) fieldsIn(start int) bool {
	for _, t := range p.tokens[start:p.at] {
		if t.kind == tokField {
			p.fail(t.pos, "a filter applies to the whole query and cannot be part of an OR", "put parentheses around the words that OR joins")
			return true
		}
	}
	return false
}

func joined(kind int, list []*Node) *Node {
	switch len(list) {
	case 0:
		return nil
	case 1:
		return list[0]
	}
	return &Node{Kind: kind, Nodes: list, Pos: list[0].Pos}
}

// and parses terms that must all match.
func (p *parser) and(depth int) *Node {
	var list []*Node
	awaited := -1 // position of an AND without a term after it
	for {
		t, ok := p.peek()
		if !ok || t.kind == tokClose || t.kind == tokOr {
			break
		}
		if t.kind == tokAnd {
			if len(list) == 0 && len(p.fields) == 0 || awaited >= 0 {
				p.fail(t.pos, "AND needs something on either side", "put \"AND\" in quotes to look for the word")
				return nil
			}
			p.plain, awaited = false, t.pos
			p.at++
			continue
		}
		awaited = -1
		if n := p.one(depth); n != nil {
			list = append(list, n)
		}
	}
	if awaited >= 0 {
		p.fail(awaited, "AND needs something on either side", "put \"AND\" in quotes to look for the word")
	}
	return joined(And, list)
}

// one parses a word, phrase, filter or parenthesis with the operator before it. It returns nil for a
// filter and for a term without words.
func (p *parser) one(depth int) *Node {
	t := p.tokens[p.at]
	p.at++
	pos := utf8.RuneCountInString(p.text[:t.pos]) + 1
	switch t.kind {
	case tokNot:
		next, ok := p.peek()
		if !ok || next.kind == tokClose || next.kind == tokAnd || next.kind == tokOr {
			p.fail(t.pos, "NOT needs a word after it", "")
			return nil
		}
		if next.kind == tokField {
			p.fail(next.pos, "a filter cannot be negated", "")
			return nil
		}
		if depth > depthMax {
			p.fail(t.pos, "they are nested too deeply", "")
			return nil
		}
		n := p.one(depth + 1)
		if n == nil {
			return nil
		}
		if n.Kind == Not {
			return n.Nodes[0]
		}
		return &Node{Kind: Not, Nodes: []*Node{n}, Pos: pos}
	case tokOpen:
		return p.group(t, depth)
	case tokField:
		if depth > 0 {
			p.fail(t.pos, "a filter applies to the whole query and cannot be in parentheses", "put it before or after them")
			return nil
		}
		p.fields = append(p.fields, Field{t.field, t.text, pos})
		return nil
	}
	return p.phrase(t, pos)
}

func (p *parser) group(open token, depth int) *Node {
	p.plain = false
	n := p.or(depth + 1)
	if t, ok := p.peek(); !ok || t.kind != tokClose {
		p.fail(open.pos, "this parenthesis is not closed", "add a ) or put the words in quotes")
		return nil
	}
	p.at++
	if n == nil {
		p.fail(open.pos, "there is nothing in these parentheses", "")
	}
	return n
}

// phrase parses a word or phrase. It returns nil if the text has no letters or digits.
func (p *parser) phrase(t token, pos int) *Node {
	n := &Node{Kind: Phrase, Prefix: t.prefix, Quoted: t.kind == tokPhrase, Pos: pos}
	words := splitWords(t.text)
	for _, w := range words {
		n.Words = append(n.Words, w.Text)
	}
	if len(words) == 0 {
		if t.prefix {
			p.fail(t.pos, "a * needs the beginning of a word before it", "")
		} else if t.kind == tokPhrase {
			p.fail(t.pos, "there is no word in these quotes", "search looks for letters and digits")
		}
		return nil
	}
	last := words[len(words)-1]
	if t.prefix {
		if last.End != len(t.text) {
			p.fail(t.pos+last.End, "a * must stand right after a letter or digit", "")
			return nil
		}
		n.Last = fold(t.text[last.Start:last.End])
	}
	n.Name = nameOf(t.text, words)
	return n
}

// nameOf returns a name of several words as one word, or "" if text is no such name.
func nameOf(text string, words []Word) string {
	if len(words) < 2 {
		return ""
	}
	for i := 1; i < len(words); i++ {
		if !joins(text, words[i-1].End, words[i].Start) {
			return ""
		}
	}
	return newSplitter().name(text[words[0].Start:words[len(words)-1].End])
}

// positive refuses queries that only exclude.
func (p *parser) positive(n *Node) {
	hint := "add a word to look for"
	switch n.Kind {
	case Not:
		p.failAt(n.Pos, "this only excludes", hint)
	case Or:
		for _, sub := range n.Nodes {
			p.positive(sub)
		}
	case And:
		if !slices.ContainsFunc(n.Nodes, func(sub *Node) bool { return sub.Kind != Not }) {
			p.failAt(n.Pos, "this only excludes", hint)
		}
		for _, sub := range n.Nodes {
			if sub.Kind == Not {
				sub = sub.Nodes[0]
			}
			p.positive(sub)
		}
	}
}

// failAt is fail with a position in characters.
func (p *parser) failAt(pos int, why, hint string) {
	if p.err == nil {
		p.err = &QueryError{Pos: pos, Why: why, Hint: hint}
	}
}
