package search

import (
	"fmt"
	"unicode/utf8"
)

// A Query is a parsed query.
type Query struct {
	// Root is nil if the query consists only of filters.
	Root *Node
	// Fields are the filters given as field:value, in order.
	Fields []Field
	// Plain says that the query has only words and phrases, without AND, OR or parentheses. Then
	// partial matches may be added.
	Plain bool
}

// A Field is a filter in a query.
type Field struct {
	Name, Value string
	Pos         int // in characters of the query, from 1
}

// The kinds of Node.
const (
	Phrase = iota // Words in this order; of the last the beginning if Prefix
	And           // all of Nodes
	Or            // one of Nodes
	Not           // not Nodes[0]; only within an And
)

// A Node is a part of a query.
type Node struct {
	Kind   int
	Words  []string // of a Phrase, in the form in which they are searched
	Name   string   // if the Phrase is one name: the name as one word
	Prefix bool
	Last   string // with Prefix: the last word as typed, in lower case
	Quoted bool
	Nodes  []*Node
	Pos    int // in characters of the query, from 1
	least  int // of an Or: how many of Nodes, if more than one
}

// A QueryError says what is wrong with a query, and where.
type QueryError struct {
	Pos  int // in characters, from 1
	Why  string
	Hint string
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
//	NOT a, -a       not this; only with another term
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
