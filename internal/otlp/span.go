package otlp

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strconv"
	"strings"
	"time"
)

// The kinds of spans.
const (
	KindInternal = 1 // work in the agent's program
	KindClient   = 3 // a request to a model
)

// A Span is a piece of work with a beginning and an end.
type Span struct {
	Trace      string // names the trace: everything that belongs together
	ID         string // names the span in its trace
	Parent     string // the ID of the span that it is a part of, "" for none
	Name       string
	Kind       int
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

// digest returns the first n bytes of a hash of a name, in hexadecimal digits. All zeros, which is no valid ID, is
// as likely as a collision.
func digest(n int, name string) string {
	sum := sha256.Sum256([]byte("entire otlp 1\x00" + name))
	return hex.EncodeToString(sum[:n])
}

// TraceID and SpanID return the IDs on the wire.
func (s Span) TraceID() string { return digest(16, s.Trace) }
func (s Span) SpanID() string  { return digest(8, s.Trace+"\x00"+s.ID) }

func (s Span) parentID() string {
	if s.Parent == "" {
		return ""
	}
	return Span{Trace: s.Trace, ID: s.Parent}.SpanID()
}

// The forms of OTLP's JSON encoding: numbers of 64 bits are texts, IDs are hexadecimal.
type (
	wireValue struct {
		String *string    `json:"stringValue,omitempty"`
		Int    string     `json:"intValue,omitempty"`
		Double *float64   `json:"doubleValue,omitempty"`
		Bool   *bool      `json:"boolValue,omitempty"`
		List   *wireArray `json:"arrayValue,omitempty"`
	}
	wireArray struct {
		Values []wireValue `json:"values"`
	}
	wireAttribute struct {
		Key   string    `json:"key"`
		Value wireValue `json:"value"`
	}
	wireStatus struct {
		Code int `json:"code,omitempty"`
	}
	wireSpan struct {
		Trace      string          `json:"traceId"`
		ID         string          `json:"spanId"`
		Parent     string          `json:"parentSpanId,omitempty"`
		Name       string          `json:"name"`
		Kind       int             `json:"kind"`
		Begin      string          `json:"startTimeUnixNano"`
		End        string          `json:"endTimeUnixNano"`
		Attributes []wireAttribute `json:"attributes,omitempty"`
		Status     wireStatus      `json:"status,omitzero"`
	}
	wireScope struct {
		Name    string `json:"name"`
		Version string `json:"version,omitempty"`
	}
	wireScopeSpans struct {
		Scope wireScope  `json:"scope"`
		Spans []wireSpan `json:"spans"`
	}
	wireResource struct {
		Attributes []wireAttribute `json:"attributes"`
	}
	wireResourceSpans struct {
		Resource wireResource     `json:"resource"`
		Scopes   []wireScopeSpans `json:"scopeSpans"`
	}
	wireRequest struct {
		Resources []wireResourceSpans `json:"resourceSpans"`
	}
)

// Encode returns the request that exports spans of a resource in OTLP's JSON encoding.
func Encode(resource []Attribute, version string, spans []Span) ([]byte, error) {
	scope := wireScopeSpans{Scope: wireScope{"entire", version}}
	for _, s := range spans {
		w := wireSpan{Trace: s.TraceID(), ID: s.SpanID(), Parent: s.parentID(), Name: valid(s.Name), Kind: s.Kind,
			Begin: nanos(s.Begin), End: nanos(s.End), Attributes: attributes(s.Attributes)}
		if s.Failed {
			w.Status.Code = 2
		}
		scope.Spans = append(scope.Spans, w)
	}
	return json.Marshal(wireRequest{[]wireResourceSpans{{wireResource{attributes(resource)}, []wireScopeSpans{scope}}}})
}

func attributes(list []Attribute) (out []wireAttribute) {
	for _, a := range list {
		out = append(out, wireAttribute{a.Key, valueOf(a.Value)})
	}
	return out
}

func valueOf(value any) (w wireValue) {
	switch v := value.(type) {
	case string:
		v = valid(v)
		w.String = &v
	case int64:
		w.Int = strconv.FormatInt(v, 10)
	case float64:
		w.Double = &v
	case bool:
		w.Bool = &v
	case []string:
		w.List = &wireArray{[]wireValue{}}
		for _, one := range v {
			w.List.Values = append(w.List.Values, valueOf(one))
		}
	}
	return w
}

// valid returns a text as protocol buffers allow it.
func valid(text string) string { return strings.ToValidUTF8(text, "\uFFFD") }

func nanos(at time.Time) string {
	if at.Year() < 1970 || at.Year() > 2200 {
		return "0"
	}
	return strconv.FormatInt(at.UnixNano(), 10)
}
