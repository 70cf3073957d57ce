package search

import (
	"slices"
	"strings"
)

// A Matcher decides whether a short text has what a query looks for, without an index. It is not safe for
// concurrent use.
type Matcher struct {
	root  *Node
	marks *marker
}

// NewMatcher returns a Matcher for the root of a query; every text matches nil.
func NewMatcher(root *Node) *Matcher { return &Matcher{root, newMarker(root)} }

// Match reports whether the text has all that the query wants and nothing that it excludes, and where its words
// are in the text.
func (m *Matcher) Match(text string) (found []Span, ok bool) {
	if m.root == nil {
		return nil, true
	}
	var words []Word
	m.marks.words.split(text, func(start, end int) {
		words = append(words, Word{m.marks.words.word(text[start:end]), start, end})
	})
	if !matches(m.root, text, words) {
		return nil, false
	}
	return m.marks.marks(text), true
}

func matches(n *Node, text string, words []Word) bool {
	has := func(sub *Node) bool { return matches(sub, text, words) }
	switch n.Kind {
	case And:
		return !slices.ContainsFunc(n.Nodes, func(sub *Node) bool { return !has(sub) })
	case Or:
		return slices.ContainsFunc(n.Nodes, has)
	case Not:
		return !has(n.Nodes[0])
	}
	for i := 0; i+len(n.Words) <= len(words); i++ {
		if n.begins(text, words[i:]) {
			return true
		}
	}
	return false
}

// begins reports whether a text's words begin with those of a phrase.
func (n *Node) begins(text string, words []Word) bool {
	for j, want := range n.Words {
		w := words[j]
		last := n.Prefix && j == len(n.Words)-1
		if w.Text != want && !(last && strings.HasPrefix(fold(text[w.Start:w.End]), n.Last)) {
			return false
		}
	}
	return true
}
