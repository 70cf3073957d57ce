package redact

// rule is a gitleaks rule with necessary conditions that are cheap to test: a match contains one of
// the words, meets one of the anchors, or assigns to one of the assign words.
type rule struct {
	id      string
	expr    string
	entropy float64 // the secret's entropy must be higher; zero: any
	group   int     // submatch with the secret; zero: the first that is not empty
	allow   []allowlist

	words    []string   // lower case
	anchors  []anchor   //
	assign   []string   // lower case words before an operator
	min      int        // shortest assigned value
	max      int        // longest assigned value; zero: no limit
	loose    bool       // the value may contain bytes other than [\w.=+/-]
	distinct int        // fewest different bytes in an assigned value
	reach    int        // longest match with an anchor; zero: no limit
	needs    [][]string // lower case; the text contains one of each group
}

// anchor is a literal and the run of bytes that follows it.
type anchor struct {
	lit   string
	fold  bool // any case
	word  bool // no word byte before it
	class byteSet
	min   int // length of the run
}

// byteSet is a set of ASCII bytes.
type byteSet [2]uint64

func (b *byteSet) has(c byte) bool { return c < 128 && b[c>>6]>>(c&63)&1 != 0 }

// at reports whether the anchor's literal matches at i. In a folded copy of the text, it ignores the
// byte before it.
func (a *anchor) at(s string, i int, folded bool) bool {
	end := i + len(a.lit)
	if !a.fold && s[i:end] != a.lit || a.word && !folded && i > 0 && wordByte.has(s[i-1]) || len(s)-end < a.min {
		return false
	}
	for j := end; j < end+a.min; j++ {
		if !a.class.has(s[j]) {
			return false
		}
	}
	return true
}

// target is the text that an allowlist's expressions are matched against.
type target uint8

const (
	onSecret target = iota
	onMatch
	onLine
)

// allowlist says which findings are not secrets.
type allowlist struct {
	target target
	exprs  []string
	stop   []string // lower case, in the secret
}
