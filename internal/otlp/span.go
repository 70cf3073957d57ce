package otlp

import (
	"crypto/sha256"
	"time"

	"go.opentelemetry.io/otel/trace"
)

// The kinds of spans.
const (
	KindInternal = trace.SpanKindInternal // work in the agent's program
	KindClient   = trace.SpanKindClient   // a request to a model
)

// A Span is a piece of work with a beginning and an end.
type Span struct {
	Trace      string // names the trace: everything that belongs together
	ID         string // names the span in its trace
	Parent     string // the ID of the span that it is a part of, "" for none
	Name       string
	Kind       trace.SpanKind
	Begin, End time.Time
	Attributes []Attribute
	Failed     bool
}

// An Attribute is a fact about a span. Its value is a string, an int64, a float64, a bool or a []string.
type Attribute struct {
	Key   string
	Value any
}

// Set sets an attribute, unless the value is zero.
func (s *Span) Set(key string, value any) {
	switch v := value.(type) {
	case string:
		if v == "" {
			return
		}
	case int64:
		if v == 0 {
			return
		}
	}
	for i := range s.Attributes {
		if s.Attributes[i].Key == key {
			s.Attributes[i].Value = value
			return
		}
	}
	s.Attributes = append(s.Attributes, Attribute{key, value})
}

// digest fills an ID with a hash of a name. All zeros, which is no valid ID, is as likely as a collision.
func digest(id []byte, name string) {
	sum := sha256.Sum256([]byte("entire otlp 1\x00" + name))
	copy(id, sum[:])
}

// TraceID and SpanID return the IDs on the wire, which follow from the names.
func (s Span) TraceID() (id trace.TraceID) {
	digest(id[:], s.Trace)
	return id
}

func (s Span) SpanID() (id trace.SpanID) {
	digest(id[:], s.Trace+"\x00"+s.ID)
	return id
}

// parentID returns the ID of the span above; the zero ID for none.
func (s Span) parentID() trace.SpanID {
	if s.Parent == "" {
		return trace.SpanID{}
	}
	return Span{Trace: s.Trace, ID: s.Parent}.SpanID()
}
