package redact

import (
	"cmp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// std is the engine of the package's functions.
var std = newEngine()

func newEngine() *engine {
	return &engine{rules: ruleTable[:], global: globalAllow, own: true}
}

// engine is a set of rules with a cache of their compiled expressions.
type engine struct {
	rules  []rule
	global []allowlist
	own    bool // also use ownFinders

	indexOnce sync.Once
	index     *triggerIndex
	finders   []finder
	regexps   sync.Map // expression -> *lazyRegexp
	extra     atomic.Pointer[[]extraRule]
	noted     *notes   // what the rules found; nil: nobody asks
	wide      sync.Map // *rule -> its expression with other neighbours
	stops     sync.Map // *allowlist -> *wordIndex
}

// kind says which checks do not apply to a string.
type kind uint8

const (
	anyText kind = iota
	opaque       // a signature or ciphertext: random by nature, so its entropy is ignored
	keyName      // an object's key: its entropy is ignored
)

// rounds is the most passes over a string whose redaction looks like a secret again.
const rounds = 8

// text redacts s until it finds no more secrets, so that redacting the result again changes nothing.
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

// scan returns the secrets of s. After an error or a panic it returns all of s.
func (e *engine) scan(s string, k kind) (spans []Span) {
	if len(s) < e.shortest() || s == Token {
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

// plain returns the secrets of s, without decoding it.
func (e *engine) plain(s string, k kind) ([]Span, error) {
	spans, err := e.ruleSpans(s, nil)
	if err == nil && k == anyText {
		spans = e.entropySpans(s, spans)
	}
	if err == nil && k != opaque {
		spans = e.extraSpans(s, spans)
	}
	return spans, err
}

// layers returns the secrets of s and of its decoded lines, to any depth.
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

// shortestSecret is the length of the shortest text that a rule matches.
const shortestSecret = 8

// shortest is the length of the shortest text that is searched.
func (e *engine) shortest() int {
	if e.extra.Load() != nil {
		return 1 // rules of a project may match less
	}
	return shortestSecret
}

// merge sorts spans, joins those that overlap or touch, and drops those that are a Token already.
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
