package redact

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"sync"
)

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
	distinct int        // fewest different bytes in a value assigned
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

// at says whether the anchor's literal, which starts at i, is there in full.
func (a *anchor) at(s string, i int) bool {
	end := i + len(a.lit)
	if !a.fold && s[i:end] != a.lit || a.word && i > 0 && wordByte.has(s[i-1]) || len(s)-end < a.min {
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

// lazyRegexp is a regexp compiled when it is first needed.
type lazyRegexp struct {
	once sync.Once
	re   *regexp.Regexp
	err  error
}

func (e *engine) compile(expr string) (*regexp.Regexp, error) {
	v, ok := e.regexps.Load(expr)
	if !ok {
		v, _ = e.regexps.LoadOrStore(expr, new(lazyRegexp))
	}
	l := v.(*lazyRegexp)
	l.once.Do(func() { l.re, l.err = regexp.Compile(expr) })
	return l.re, l.err
}

// search appends the secrets that rule r finds in s[lo:hi], at every place of s where they occur.
func (e *engine) search(r *rule, s string, lo, hi int, spans []Span) ([]Span, error) {
	re, err := e.compile(r.expr)
	if err != nil {
		return nil, fmt.Errorf("compile rule %s: %w", r.id, err)
	}
	var seen []string
	for _, m := range re.FindAllStringIndex(s[lo:hi], -1) {
		match := strings.Trim(s[lo+m[0]:lo+m[1]], "\n")
		secret := r.secret(re, match)
		if secret == "" || slices.Contains(seen, secret) || r.entropy > 0 && runeEntropy(secret) <= r.entropy {
			continue
		}
		allowed, err := e.allowed(r, finding{secret, match, lineAt(s, lo+m[0], lo+m[1])})
		if err != nil {
			return nil, err
		}
		if !allowed {
			seen = append(seen, secret)
			spans = occurrences(s, secret, spans)
		}
	}
	return spans, nil
}

// secret is the part of a match that is secret. As in gitleaks, the groups are those of the
// match searched on its own.
func (r *rule) secret(re *regexp.Regexp, match string) string {
	groups := re.FindStringSubmatch(match)
	if r.group > 0 && r.group < len(groups) {
		return groups[r.group]
	}
	if len(groups) > 1 {
		for _, g := range groups[1:] {
			if g != "" {
				return g
			}
		}
	}
	return match
}

type finding struct{ secret, match, line string }

func (e *engine) allowed(r *rule, f finding) (bool, error) {
	for _, lists := range [][]allowlist{r.allow, e.global} {
		for i := range lists {
			if ok, err := e.allows(&lists[i], f); ok || err != nil {
				return ok, err
			}
		}
	}
	return false, nil
}

func (e *engine) allows(a *allowlist, f finding) (bool, error) {
	if len(a.stop) > 0 && e.stopWords(a).in(f.secret) {
		return true, nil
	}
	text := [...]string{onSecret: f.secret, onMatch: f.match, onLine: f.line}[a.target]
	for _, expr := range a.exprs {
		re, err := e.compile(expr)
		if err != nil {
			return false, fmt.Errorf("compile allowlist: %w", err)
		}
		if re.MatchString(text) {
			return true, nil
		}
	}
	return false, nil
}

func (e *engine) stopWords(a *allowlist) *wordIndex {
	v, ok := e.stops.Load(a)
	if !ok {
		v, _ = e.stops.LoadOrStore(a, newWordIndex(a.stop))
	}
	return v.(*wordIndex)
}

// lineAt is the line, or lines, that s[start:end] stands on.
func lineAt(s string, start, end int) string {
	if i := strings.IndexByte(s[end:], '\n'); i >= 0 {
		return s[strings.LastIndexByte(s[:start], '\n')+1 : end+i]
	}
	return s[strings.LastIndexByte(s[:start], '\n')+1:]
}

func occurrences(s, secret string, spans []Span) []Span {
	for at := 0; ; {
		i := strings.Index(s[at:], secret)
		if i < 0 {
			return spans
		}
		spans = append(spans, Span{at + i, at + i + len(secret)})
		at += i + len(secret)
	}
}

// runeEntropy is the entropy gitleaks computes: of runes, over the length in bytes.
func runeEntropy(s string) float64 {
	counts := make(map[rune]int, 64)
	for _, r := range s {
		counts[r]++
	}
	var sum float64
	for _, n := range sortedCounts(counts) {
		p := float64(n) / float64(len(s))
		sum -= p * math.Log2(p)
	}
	return sum
}

// sortedCounts makes the order of additions, and so the last bit of a sum, the same every time.
func sortedCounts(counts map[rune]int) []int {
	list := make([]int, 0, len(counts))
	for _, n := range counts {
		list = append(list, n)
	}
	slices.Sort(list)
	return list
}
