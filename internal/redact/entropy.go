package redact

import (
	"encoding/base64"
	"math"
	"strings"
)

const (
	// minEntropy is the entropy, in bits per byte, above which a run may be a secret.
	minEntropy = 4.5
	// minRun is the length below which no run has that entropy: 22 different bytes have 4.46 bits.
	minRun = 23
)

var runByte = byteSet{0x23ffa80000000000, 0x7fffffe87fffffe} // [A-Za-z0-9/+_=-]

// entropySpans appends runs of s that look random and are not known to be harmless, and runs that are
// the base64 encoding of a text with a secret.
func (e *engine) entropySpans(s string, spans []Span) []Span {
	for at := 0; at+minRun <= len(s); {
		// A run of minRun bytes from at on contains its last byte, so test that byte first.
		if !runByte.has(s[at+minRun-1]) {
			at += minRun
			continue
		}
		start := at + minRun - 1
		for start > at && runByte.has(s[start-1]) {
			start--
		}
		end := skip(s, at+minRun, len(s), &runByte)
		if end-start >= minRun {
			had := len(spans)
			if e.wraps(s[start:end]) {
				spans = append(spans, Span{start, end})
				e.note("base64", s, spans[had:])
			} else {
				spans = randomSpans(s, start, end, spans)
				e.note("entropy", s, spans[had:])
			}
		}
		at = end + 1
	}
	return spans
}

// wraps reports whether run is the base64 encoding of a text with a secret.
func (e *engine) wraps(run string) bool {
	body := strings.TrimRight(run, "=")
	var head [12]byte
	if _, err := base64.RawStdEncoding.Decode(head[:], []byte(body[:min(16, len(body))])); err != nil || !isText(head[:]) {
		return false
	}
	text, err := base64.RawStdEncoding.DecodeString(body)
	if err != nil || !isText(text) {
		return false
	}
	spans, err := e.ruleSpans(string(text), nil)
	return err != nil || len(merge(string(text), spans)) > 0
}

// isText reports whether b is printable ASCII.
func isText(b []byte) bool {
	for _, c := range b {
		if (c < ' ' || c > '~') && c != '\n' && c != '\r' && c != '\t' {
			return false
		}
	}
	return true
}

// randomSpans appends the parts of the run s[start:end] that look random.
func randomSpans(s string, start, end int, spans []Span) []Span {
	run := s[start:end]
	if entropy(run) <= minEntropy || known(s, start, end) {
		return spans
	}
	if i := strings.IndexByte(run, '='); i > 0 && len(run)-i > minRun && isWord(run[:i]) {
		if had := len(spans); len(randomSpans(s, start+i+1, end, spans)) > had {
			return randomSpans(s, start+i+1, end, spans) // the name stays
		}
	}
	if !isPath(s, start, end) {
		if randomBytes(run) >= minRandom {
			spans = append(spans, Span{start, end})
		}
		return spans
	}
	// In a path, only single segments can be secrets.
	for from := start; from < end; {
		to := from
		for to < end && s[to] != '/' {
			to++
		}
		if seg := s[from:to]; len(seg) >= minRun && mixed(seg) && entropy(seg) > minEntropy && randomBytes(seg) >= minRandom {
			spans = append(spans, Span{from, to})
		}
		from = to + 1
	}
	return spans
}

// entropy returns the Shannon entropy of the bytes of s in bits.
func entropy(s string) float64 {
	var counts [128]int
	for i := range len(s) {
		counts[s[i]&127]++
	}
	var sum float64
	for _, n := range counts {
		if n > 0 {
			sum += float64(n) * math.Log2(float64(n))
		}
	}
	n := float64(len(s))
	return math.Log2(n) - sum/n
}
