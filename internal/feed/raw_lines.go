package feed

import (
	"bytes"
	"slices"

	"github.com/tidwall/gjson"

	"entire/session"
)

// rawLines describes the stored lines of a stream.
type rawLines struct {
	at   map[string][]int // line numbers by digest
	used []bool
	pred []int   // the line before it when it was written, or -1
	ends []int64 // offset of the line's end
	eras []int

	records   int  // number of rewinds
	tip       int  // the last line that was not rewound
	head      int  // the last stored line that was read again
	fromStart bool // the stream is read from its first line
	fresh     bool // the previous line was new
	ofAny     bool // a record is the same in whatever session
}

// sessionKey is the JSON key of the session in an agent's record.
const sessionKey = `"sessionId":"`

// digest returns what tells a line from others. A fork's program names the fork in records that it repeats, and may
// change more of them; they keep their UUIDs.
func (r *rawLines) digest(line []byte) string {
	if !r.ofAny {
		return digest(line)
	}
	if uuid := gjson.GetBytes(line, "uuid"); uuid.Type == gjson.String && uuid.Str != "" {
		return "uuid " + uuid.Str
	}
	before, rest, named := bytes.Cut(line, []byte(sessionKey))
	_, after, ends := bytes.Cut(rest, []byte{'"'})
	if !named || !ends {
		return digest(line)
	}
	return digest(slices.Concat(before, after))
}

func newRawLines(fromStart bool) *rawLines {
	return &rawLines{at: map[string][]int{}, tip: -1, head: -1, fromStart: fromStart}
}

// add records a stored line, which ends at offset end.
func (r *rawLines) add(line []byte, end int64) {
	if n, is := session.RewoundTo(line); is {
		r.records++
		r.tip = -1
		for i, e := range r.ends {
			if e <= n {
				r.tip = i
			}
		}
		r.used, r.pred, r.ends, r.eras = append(r.used, true), append(r.pred, r.tip), append(r.ends, 1<<62), append(r.eras, r.records)
		return
	}
	d, i := r.digest(line), len(r.used)
	r.at[d] = append(r.at[d], i)
	r.used, r.pred, r.ends, r.eras = append(r.used, false), append(r.pred, r.tip), append(r.ends, end), append(r.eras, r.records)
	r.tip = i
}

// has reports whether a line is stored already, and in which era it was written. Each stored line
// matches once. A line without a UUID may equal another line, so it only matches after the line that
// precedes it in the store.
func (r *rawLines) has(line []byte) (era int, known bool) {
	if r == nil {
		return 0, false
	}
	named := bytes.Contains(line, []byte(`"uuid"`))
	for _, i := range r.at[r.digest(line)] {
		if r.used[i] || !named && (r.fresh || r.fromStart && r.head >= 0 && r.pred[i] != r.head) {
			continue
		}
		r.used[i], r.head, r.fresh = true, i, false
		return r.eras[i], true
	}
	r.fresh = true
	return r.records, false
}
