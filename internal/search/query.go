package search

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A Query is what is looked for.
type Query struct {
	// Root is nil where nothing is looked for but what the filters let through.
	Root *Node
	// Fields are the filters that were typed as field:value, in order.
	Fields []Field
	// Plain says that there are only words and phrases, of which the best answers
	// may have some: nobody wrote AND, OR or a parenthesis.
	Plain bool
}

// A Field is a filter within a query.
type Field struct {
	Name, Value string
	Pos         int // in characters of the query, from 1
}

// The kinds of Node.
const (
	Phrase = iota // Words in this order; of the last the beginning if Prefix
	And           // both, or all, of Nodes
	Or            // one of Nodes
	Not           // not Nodes[0]; only within an And
)

// A Node is a part of a query.
type Node struct {
	Kind   int
	Words  []string // of a Phrase, as they are looked for
	Name   string   // of a Phrase that is one name: it written as one word
	Prefix bool
	Last   string // with Prefix: the last word as it was typed, in lower case
	Quoted bool
	Nodes  []*Node
	Pos    int // in characters of the query, from 1
}

// A QueryError says what is wrong with a query, and where.
type QueryError struct {
	Query string
	Pos   int // in characters, from 1
	Why   string
	Hint  string
}

func (e *QueryError) Error() string { return fmt.Sprintf("query, character %d: %s", e.Pos, e.Why) }

// Fields are the names of filters in a query.
var Fields = []string{"since", "until", "branch", "agent", "model", "file", "tag", "session", "project", "role"}

// queryMax and depthMax bound what a query may be.
const (
	queryMax = 4096 // bytes
	wordsMax = 64
	depthMax = 32
)

// Parse reads a query:
//
//	word            in any of its forms; identifiers and paths whole or by their parts
//	"two words"     in this order
//	pre* "two wo"*  words that begin so
//	a b, a AND b    both
//	a OR b          one of them; AND binds closer
//	NOT a, -a       not this; beside something that is looked for
//	( … )
//	field:value     a filter; see Fields
func Parse(text string) (Query, error) {
	p := &parser{text: text}
	if len(text) > queryMax {
		return Query{}, p.fail(0, fmt.Sprintf("a query has at most %d bytes, this one has %d", queryMax, len(text)), "")
	}
	if !utf8.ValidString(text) {
		return Query{}, p.fail(0, "it is not UTF-8", "")
	}
	p.lex()
	if p.err != nil {
		return Query{}, p.err
	}
	p.plain = true
	root := p.or(0)
	if p.err == nil && p.at < len(p.tokens) {
		p.fail(p.tokens[p.at].pos, "this closes nothing", "leave it out, or put \"…\" around it")
	}
	if p.err != nil {
		return Query{}, p.err
	}
	q := Query{Root: root, Fields: p.fields, Plain: p.plain}
	if root != nil {
		p.positive(root)
	}
	if root != nil && countWords(root) > wordsMax {
		p.fail(0, fmt.Sprintf("a query has at most %d words", wordsMax), "")
	}
	if p.err != nil {
		return Query{}, p.err
	}
	return q, nil
}

func countWords(n *Node) int {
	sum := len(n.Words)
	for _, sub := range n.Nodes {
		sum += countWords(sub)
	}
	return sum
}

const (
	tokWord = iota
	tokPhrase
	tokField
	tokOpen
	tokClose
	tokAnd
	tokOr
	tokNot
)

type token struct {
	kind   int
	text   string
	field  string
	prefix bool
	pos    int // byte
}

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
		p.err = &QueryError{Query: p.text, Pos: utf8.RuneCountInString(p.text[:pos]) + 1, Why: why, Hint: hint}
	}
	return p.err
}

// lex takes the query apart.
func (p *parser) lex() {
	for i := 0; i < len(p.text) && p.err == nil; {
		r, size := utf8.DecodeRuneInString(p.text[i:])
		switch {
		case unicode.IsSpace(r):
			i += size
		case r == '(':
			p.tokens = append(p.tokens, token{kind: tokOpen, pos: i})
			i++
		case r == ')':
			p.tokens = append(p.tokens, token{kind: tokClose, pos: i})
			i++
		case r == '-' && i+1 < len(p.text) && p.text[i+1] != '-' && !unicode.IsSpace(rune(p.text[i+1])):
			p.tokens = append(p.tokens, token{kind: tokNot, text: "-", pos: i})
			i++
		case r == '"':
			i = p.lexPhrase(i)
		default:
			i = p.lexWord(i)
		}
	}
}

func (p *parser) lexPhrase(i int) int {
	text, end := p.quoted(i)
	t := token{kind: tokPhrase, text: text, pos: i}
	if end < len(p.text) && p.text[end] == '*' {
		t.prefix = true
		end++
	}
	p.tokens = append(p.tokens, t)
	return end
}

// quoted is what stands in quotes at i, and where that ends.
func (p *parser) quoted(i int) (string, int) {
	n := strings.IndexByte(p.text[i+1:], '"')
	if n < 0 {
		p.fail(i, "this quote is not closed", "add another \" at the end of the phrase")
		return "", len(p.text)
	}
	return p.text[i+1 : i+1+n], i + n + 2
}

func (p *parser) lexWord(i int) int {
	end := i
	for end < len(p.text) {
		r, size := utf8.DecodeRuneInString(p.text[end:])
		if unicode.IsSpace(r) || r == '(' || r == ')' || r == '"' {
			break
		}
		end += size
	}
	word := p.text[i:end]
	switch word {
	case "AND", "&&":
		p.tokens = append(p.tokens, token{kind: tokAnd, text: word, pos: i})
		return end
	case "OR", "||":
		p.tokens = append(p.tokens, token{kind: tokOr, text: word, pos: i})
		return end
	case "NOT":
		p.tokens = append(p.tokens, token{kind: tokNot, text: word, pos: i})
		return end
	}
	if name, value, ok := strings.Cut(word, ":"); ok && slices.Contains(Fields, name) {
		if value == "" && end < len(p.text) && p.text[end] == '"' {
			value, end = p.quoted(end)
		}
		if value == "" {
			p.fail(i, name+": has no value", "as in "+name+":VALUE, without a space")
		}
		p.tokens = append(p.tokens, token{kind: tokField, field: name, text: value, pos: i})
		return end
	}
	t := token{kind: tokWord, text: word, pos: i}
	t.text, t.prefix = strings.CutSuffix(word, "*")
	p.tokens = append(p.tokens, t)
	return end
}

func (p *parser) peek() (token, bool) {
	if p.err != nil || p.at >= len(p.tokens) {
		return token{}, false
	}
	return p.tokens[p.at], true
}

// or reads alternatives.
func (p *parser) or(depth int) *Node {
	if depth > depthMax {
		p.fail(p.tokens[min(p.at, len(p.tokens)-1)].pos, "too many parentheses within each other", "")
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

// fieldsIn refuses filters among alternatives: a filter is for the whole query.
func (p *parser) fieldsIn(start int) bool {
	for _, t := range p.tokens[start:p.at] {
		if t.kind == tokField {
			p.fail(t.pos, "a filter is for the whole query and cannot stand beside OR", "put parentheses around what has the OR in it")
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

// and reads what is looked for together.
func (p *parser) and(depth int) *Node {
	var list []*Node
	awaited := -1 // an AND after which nothing came yet
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

// one reads a word, a phrase, a filter, or what is in parentheses, with what
// stands before it; nil for a filter, and where nothing is to be looked for.
func (p *parser) one(depth int) *Node {
	t := p.tokens[p.at]
	p.at++
	pos := utf8.RuneCountInString(p.text[:t.pos]) + 1
	switch t.kind {
	case tokNot:
		next, ok := p.peek()
		if !ok || next.kind == tokClose || next.kind == tokAnd || next.kind == tokOr {
			p.fail(t.pos, "after this there must be what is not wanted", "")
			return nil
		}
		if next.kind == tokField {
			p.fail(next.pos, "a filter cannot be turned around", "")
			return nil
		}
		if depth > depthMax {
			p.fail(t.pos, "too many of them within each other", "")
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
			p.fail(t.pos, "a filter is for the whole query and cannot stand in parentheses", "put it before or after them")
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

// phrase is a word or a phrase; nil if it has no letters or digits.
func (p *parser) phrase(t token, pos int) *Node {
	n := &Node{Kind: Phrase, Prefix: t.prefix, Quoted: t.kind == tokPhrase, Pos: pos}
	words := Words(t.text)
	for _, w := range words {
		n.Words = append(n.Words, w.Text)
	}
	if len(words) == 0 {
		if t.prefix {
			p.fail(t.pos, "a * needs the beginning of a word before it", "")
		} else if t.kind == tokPhrase {
			p.fail(t.pos, "there is no word in these quotes", "letters and digits are looked for")
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

// nameOf is a text that is one name of several words, as one word; else "".
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

// positive refuses what excludes without saying what is looked for.
func (p *parser) positive(n *Node) {
	hint := "name something to look for beside it"
	switch n.Kind {
	case Not:
		p.failAt(n.Pos, "this only says what is not wanted", hint)
	case Or:
		for _, sub := range n.Nodes {
			p.positive(sub)
		}
	case And:
		if !slices.ContainsFunc(n.Nodes, func(sub *Node) bool { return sub.Kind != Not }) {
			p.failAt(n.Pos, "this only says what is not wanted", hint)
		}
		for _, sub := range n.Nodes {
			if sub.Kind == Not {
				sub = sub.Nodes[0]
			}
			p.positive(sub)
		}
	}
}

// failAt is fail for a position in characters.
func (p *parser) failAt(pos int, why, hint string) {
	if p.err == nil {
		p.err = &QueryError{Query: p.text, Pos: pos, Why: why, Hint: hint}
	}
}
