package redact

import (
	"cmp"
	"slices"
	"strings"
	"sync"
)

// std is the engine of the package's functions.
var std = newEngine()

func newEngine() *engine {
	return &engine{rules: ruleTable[:], global: globalAllow, own: true}
}

// engine is a set of rules with what has been compiled of it so far.
type engine struct {
	rules  []rule
	global []allowlist
	own    bool // find what ownFinders find, too

	indexOnce sync.Once
	index     *triggerIndex
	finders   []finder
	regexps   sync.Map // expression -> *lazyRegexp
	stops     sync.Map // *allowlist -> *wordIndex
}

// kind says what a string is, as far as that exempts it from something.
type kind uint8

const (
	anyText kind = iota
	opaque       // a signature or ciphertext: random by nature, so entropy means nothing
	keyName      // an object's key: entropy means nothing
)

// rounds bounds the passes over a string whose redaction looks like a secret again.
const rounds = 8

// text redacts s until nothing more is found, so that redacting the result changes nothing.
func (e *engine) text(s string, k kind) string {
	for range rounds {
		spans := e.scan(s, k)
		if len(spans) == 0 {
			return s
		}
		s = replace(s, spans)
	}
	return Token
}

func replace(s string, spans []Span) string {
	var b strings.Builder
	at := 0
	for _, sp := range spans {
		b.WriteString(s[at:sp.Start])
		b.WriteString(Token)
		at = sp.End
	}
	b.WriteString(s[at:])
	return b.String()
}

// scan returns the secrets of s. Should anything go wrong, all of s is one.
func (e *engine) scan(s string, k kind) (spans []Span) {
	if len(s) < shortestSecret || s == Token {
		return nil
	}
	defer func() {
		if recover() != nil {
			spans = []Span{{0, len(s)}}
		}
	}()
	spans, err := e.layers(s, k)
	if err != nil {
		return []Span{{0, len(s)}}
	}
	return merge(s, spans)
}

// plain returns the secrets of s as it stands.
func (e *engine) plain(s string, k kind) ([]Span, error) {
	spans, err := e.ruleSpans(s, nil)
	if err == nil && k == anyText {
		spans = e.entropySpans(s, spans)
	}
	return spans, err
}

// layers returns the secrets of s, of what its lines decode to, and so on.
func (e *engine) layers(s string, k kind) ([]Span, error) {
	spans, err := e.plain(s, k)
	if err != nil || k == opaque || !encoded(s) {
		return spans, err
	}
	v := viewOf(s)
	for level := 0; v != nil; level++ {
		if level == deepest {
			return append(spans, Span{0, len(s)}), nil
		}
		inner, err := e.plain(v.text, k)
		if err != nil {
			return nil, err
		}
		for _, sp := range inner {
			spans = append(spans, v.back(sp))
		}
		v = v.next()
	}
	return spans, nil
}

// shortestSecret is the length of the shortest text any rule matches.
const shortestSecret = 8

// merge sorts spans, joins those that overlap or touch, and drops what is a Token already.
func merge(s string, spans []Span) []Span {
	if len(spans) == 0 {
		return nil
	}
	slices.SortFunc(spans, func(a, b Span) int { return cmp.Compare(a.Start, b.Start) })
	out := spans[:1]
	for _, sp := range spans[1:] {
		if last := &out[len(out)-1]; sp.Start <= last.End {
			last.End = max(last.End, sp.End)
		} else {
			out = append(out, sp)
		}
	}
	return slices.DeleteFunc(out, func(sp Span) bool { return s[sp.Start:sp.End] == Token })
}
