package search

import "strings"

// match is a query as FTS5 reads it: nothing but words in quotes and its own
// operators.
func (n *Node) match() string {
	switch n.Kind {
	case Phrase:
		return n.matchPhrase()
	case Or:
		return "(" + joinNodes(n.Nodes, " OR ") + ")"
	case Not:
		return n.Nodes[0].match() // its And has written the NOT
	}
	var wanted, unwanted []*Node
	for _, sub := range n.Nodes {
		if sub.Kind == Not {
			unwanted = append(unwanted, sub.Nodes[0])
		} else {
			wanted = append(wanted, sub)
		}
	}
	out := "(" + joinNodes(wanted, " AND ") + ")"
	if len(unwanted) > 0 {
		out = "(" + out + " NOT (" + joinNodes(unwanted, " OR ") + "))"
	}
	return out
}

func joinNodes(list []*Node, by string) string {
	parts := make([]string, len(list))
	for i, n := range list {
		parts[i] = n.match()
	}
	return strings.Join(parts, by)
}

// matchPhrase looks for words in their order; for a name also written as one word,
// and for the beginning of a word also in the form that words are kept in.
func (n *Node) matchPhrase() string {
	words := n.Words
	if n.Prefix {
		words = append(append([]string{}, words[:len(words)-1]...), n.Last)
	}
	out := quoteWords(words)
	if !n.Prefix {
		if n.Name != "" {
			out = "(" + out + " OR " + quoteWords([]string{n.Name}) + ")"
		}
		return out
	}
	out += " *"
	if whole := n.Words[len(n.Words)-1]; whole != n.Last {
		out += " OR " + quoteWords(n.Words)
	}
	if n.Name != "" {
		out += " OR " + quoteWords([]string{n.Name}) + " *"
	}
	return "(" + out + ")"
}

// quoteWords is a phrase of FTS5's. Words have no quotes in them.
func quoteWords(words []string) string { return `"` + strings.Join(words, " ") + `"` }
