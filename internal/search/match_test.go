package search

import "strings"

// match returns the query in FTS5's syntax. It consists only of quoted words and FTS5's operators.
func (n *Node) match() string {
	switch n.Kind {
	case Phrase:
		return n.matchPhrase()
	case Or:
		return matchLeast(max(n.least, 1), n.Nodes)
	case Not:
		return n.Nodes[0].match() // the And above adds the NOT
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

// matchPhrase returns a query for words in their order. For a name it adds the form written as one
// word; for a prefix it adds the stem of the last word.
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

// quoteWords returns a phrase in FTS5's syntax. Words contain no quotes.
func quoteWords(words []string) string { return `"` + strings.Join(words, " ") + `"` }

// matchLeast returns a query for at least n of the nodes.
func matchLeast(n int, list []*Node) string {
	if n == 1 {
		return "(" + joinNodes(list, " OR ") + ")"
	}
	var parts []string
	for i, node := range list[:len(list)-n+1] {
		parts = append(parts, "("+node.match()+" AND "+matchLeast(n-1, list[i+1:])+")")
	}
	return "(" + strings.Join(parts, " OR ") + ")"
}
