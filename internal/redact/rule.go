package redact

// rule is a rule of gitleaks, with conditions its matches must meet that are cheap to test.
// A match holds one of the words, meets one of the anchors, or assigns to one of the assign words.
type rule struct {
	id      string
	expr    string
	entropy float64 // the secret's must be higher, zero: any
	group   int     // submatch that is the secret, zero: the first that is not empty
	allow   []allowlist

	words    []string   // lower case
	anchors  []anchor   //
	assign   []string   // lower case words in front of an operator
	min      int        // shortest value assigned
	max      int        // longest value assigned, zero: any length
	loose    bool       // the value may hold other bytes than [\w.=+/-]
	distinct int        // fewest different bytes in a value assigned
	reach    int        // longest match that holds an anchor, zero: any length
	needs    [][]string // lower case; one of each group is in the text
}

// anchor is a literal and the run of bytes that follows it.
type anchor struct {
	lit   string
	fold  bool // any case
	word  bool // no word byte in front of it
	class byteSet
	min   int // length of the run
}

// byteSet is a set of ASCII bytes.
type byteSet [2]uint64

func (b *byteSet) has(c byte) bool { return c < 128 && b[c>>6]>>(c&63)&1 != 0 }

// at says whether the anchor's literal, which starts at i, is there in full. In a folded copy
// of the text it does not matter what is in front.
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

// target is the text an allowlist's expressions look at.
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
