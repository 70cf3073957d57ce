package redact

import "strings"

// Finding is a secret and the rule that found it: the name of a rule of gitleaks, of a finder or of
// Options, or "entropy", "base64" or "encoded".
type Finding struct {
	Span
	Rule string
	Key  string // the member of a JSON object that holds it; "" outside of JSON
}

// Explainer finds the same secrets as Scan and Line, and says why. It is for one goroutine.
type Explainer struct{ e *engine }

// NewExplainer returns an Explainer with the rules that Use added so far.
func NewExplainer() *Explainer {
	e := newEngine()
	e.extra.Store(std.extra.Load())
	e.noted = new(notes)
	return &Explainer{e}
}

// Text returns the secrets of plain text, in ascending order.
func (x *Explainer) Text(s string) []Finding {
	return x.explain(s, func() []Span { return x.e.scan(s, anyText) })
}

// Line returns the secrets of one line of a JSONL file, at their places in the line as it is written. A
// line that is not valid JSON is text.
func (x *Explainer) Line(line []byte) (found []Finding) {
	if !isJSON(line) {
		return x.Text(string(line))
	}
	defer func() {
		if recover() != nil {
			found = []Finding{{Span: Span{0, len(line)}, Rule: "encoded"}}
		}
	}()
	w := walker{e: x.e, in: line}
	w.each(func(start, end int, isKey bool) {
		raw := line[start:end]
		s := decode(raw)
		var key string
		if len(w.open) > 0 {
			key = w.top().key
		}
		var list []Finding
		switch {
		case isKey:
			if w.top().key = s; len(raw) >= x.e.shortest() && !isPlainKey(raw) {
				list = x.explain(s, func() []Span { return x.e.scan(s, keyName) })
			}
		case len(raw) < x.e.shortest() || structural(key) && isID(s) || isPicture(s) && isBase64(s):
		default:
			k := w.kindOf(key, s)
			list = x.explain(s, func() []Span { return x.e.scanMember(key, s, k) })
		}
		for _, f := range list {
			f.Span, f.Key = rawSpan(raw, f.Span), key
			f.Start, f.End = f.Start+start, f.End+start
			found = append(found, f)
		}
	})
	return found
}

// rawSpan returns where a span of a decoded string is in its encoded form.
func rawSpan(raw []byte, sp Span) (out Span) {
	at, pos := 0, 0
	for at < len(raw) && pos < sp.End {
		if pos <= sp.Start {
			out.Start = at
		}
		n, width := unit(raw[at:])
		at, pos = at+n, pos+width
	}
	out.End = at
	return out
}

func (x *Explainer) explain(s string, scan func() []Span) []Finding {
	x.e.noted.list = x.e.noted.list[:0]
	spans := scan()
	found := make([]Finding, len(spans))
	for i, sp := range spans {
		found[i] = Finding{Span: sp, Rule: x.e.noted.ruleOf(s[sp.Start:sp.End])}
	}
	return found
}

// notes are what the rules found in a string and in its decoded lines.
type notes struct{ list []note }

type note struct{ rule, text string }

// note records what a rule found, if somebody asks.
func (e *engine) note(rule, s string, spans []Span) {
	if e.noted == nil {
		return
	}
	for _, sp := range spans {
		e.noted.list = append(e.noted.list, note{rule, s[sp.Start:sp.End]})
	}
}

// ruleOf returns the rule that found the text: of those whose finding is in it, or that it is a part of,
// the first that names a service, or else the first.
func (n *notes) ruleOf(text string) string {
	first := "encoded"
	for _, one := range n.list {
		if !strings.Contains(text, one.text) && !strings.Contains(one.text, text) {
			continue
		}
		if !vagueRules[one.rule] {
			return one.rule
		}
		if first == "encoded" {
			first = one.rule
		}
	}
	return first
}

// vagueRules say less of a secret than the others do.
var vagueRules = map[string]bool{"service-key": true, "named-value": true, "entropy": true, "base64": true, genericRule: true}
