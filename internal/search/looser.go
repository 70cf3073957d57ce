package search

import (
	"fmt"
	"strings"
	"sync"
)

// looserQueries returns queries for rows that match a part of root, strictest first. They keep what root
// excludes and are never made of common words alone.
func looserQueries(root *Node) []*Node {
	wanted, unwanted := []*Node{root}, []*Node(nil)
	if root.Kind == And {
		wanted = nil
		for _, n := range root.Nodes {
			if n.Kind == Not {
				unwanted = append(unwanted, n.Nodes[0])
			} else {
				wanted = append(wanted, n)
			}
		}
	}
	var telling []*Node
	seen := map[string]bool{}
	for _, n := range wanted {
		if n.Kind != Phrase || len(n.Words) == 1 && !n.Prefix && !n.Quoted && common()[n.Words[0]] || seen[n.key()] {
			continue
		}
		seen[n.key()] = true
		telling = append(telling, n)
		if len(n.Words) > 1 { // also match the parts of a name or phrase
			for _, w := range n.Words {
				if part := (&Node{Kind: Phrase, Words: []string{w}}); !common()[w] && !seen[part.key()] {
					seen[part.key()] = true
					telling = append(telling, part)
				}
			}
		}
	}
	if len(telling) > looserMax {
		telling = telling[:min(len(telling), looserMax)]
	}
	var out []*Node
	if len(telling) > 0 && len(telling) < len(wanted) {
		out = append(out, except(joined(And, telling), unwanted))
	}
	if len(telling) > 3 && len(telling) <= butOneMax {
		out = append(out, except(atLeast(len(telling)-1, telling), unwanted))
	}
	if len(telling) > 2 {
		out = append(out, except(atLeast(2, telling), unwanted))
	}
	if len(telling) > 1 {
		out = append(out, except(atLeast(1, telling), unwanted))
	}
	return out
}

// looserMax is the most words in the queries of looserQueries.
const looserMax = 16

// butOneMax is the most words for which looserQueries tries all but one.
const butOneMax = 10

// atLeast returns a query for at least n of the nodes.
func atLeast(n int, list []*Node) *Node { return &Node{Kind: Or, Nodes: list, least: n} }

func except(n *Node, unwanted []*Node) *Node {
	if len(unwanted) == 0 {
		return n
	}
	all := &Node{Kind: And, Nodes: []*Node{n}}
	for _, u := range unwanted {
		all.Nodes = append(all.Nodes, &Node{Kind: Not, Nodes: []*Node{u}})
	}
	return all
}

// common are words that say little, in the form in which they are searched.
var common = sync.OnceValue(func() map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(`a an the and or not of in on at to from by for with without into onto as is are was were be been
		being am do does did done doing have has had having i we you he she it they me us him her them my our your his its their this
		that these those there here what which who whom whose when where why how can could should would will shall may might must
		if then than so such no nor only own same too very just about again also any all both each few more most other some out up
		decide decided decision see seen done say said tell told know known happen happened
		down over under between because while during before after use used using get got make made`) {
		m[stem(w)] = true
	}
	return m
})

// key returns a text that differs for nodes that match differently.
func (n *Node) key() string {
	key := fmt.Sprint(n.Kind, n.Prefix, n.least, n.Name, n.Last, n.Words)
	for _, sub := range n.Nodes {
		key += "(" + sub.key() + ")"
	}
	return key
}
