package otlp

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"path"
	"regexp"
	"strconv"
	"strings"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// A Client posts spans to one collector.
type Client struct {
	URL      string            // where traces are posted, whole
	Headers  map[string]string // as for authentication
	Timeout  time.Duration     // of one request
	Resource []Attribute
	Version  string // of this program
	// Retry says when a request that was refused for a while is tried again; the zero value tries for two minutes.
	Retry otlptracehttp.RetryConfig
}

// TracesURL returns where traces are posted for the address of a collector, or an error for one that is no
// address of http or https.
func TracesURL(address string) (string, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return "", fmt.Errorf("%.200q is no address of http or https", address)
	}
	if u.User != nil {
		return "", errors.New("the address has a user and password: name them in OTEL_EXPORTER_OTLP_HEADERS")
	}
	if u.RawQuery != "" || u.Fragment != "" {
		return "", errors.New("the address has a query (what follows ? or #), which the exporter would leave out: name a key in OTEL_EXPORTER_OTLP_HEADERS")
	}
	if !strings.HasSuffix(u.Path, "/v1/traces") {
		u.Path = path.Join("/", u.Path, "v1/traces")
	}
	return u.String(), nil
}

// Headers reads the form of OTEL_EXPORTER_OTLP_HEADERS: name=value,name=value with percent encoding.
func Headers(text string) (map[string]string, error) {
	out := map[string]string{}
	for pair := range strings.SplitSeq(text, ",") {
		if strings.TrimSpace(pair) == "" {
			continue
		}
		name, v, ok := strings.Cut(pair, "=")
		name = strings.TrimSpace(name)
		value, err := url.PathUnescape(strings.TrimSpace(v))
		if !ok || name == "" || err != nil || strings.ContainsAny(name+value, "\r\n") {
			return nil, errors.New("it is not a list of name=value, separated by commas")
		}
		out[name] = value
	}
	return out, nil
}

// Send posts spans in one request, and returns how many the collector refused, with its reason. It tries again
// where the protocol says so.
func (c Client) Send(ctx context.Context, spans []Span) (refused int64, why string, err error) {
	exporter, err := c.exporter(ctx)
	if err != nil {
		return 0, "", err
	}
	ended := &gathered{}
	provider := sdk.NewTracerProvider(sdk.WithSampler(sdk.AlwaysSample()), sdk.WithIDGenerator(named{}), sdk.WithSpanProcessor(ended), sdk.WithResource(resource.NewSchemaless(attributes(c.Resource)...)))
	tracer := provider.Tracer("entire", trace.WithInstrumentationVersion(c.Version))
	for _, s := range spans {
		s.record(ctx, tracer)
	}
	err = exporter.ExportSpans(ctx, ended.spans)
	refused, why, err = partial(err)
	return refused, why, errors.Join(plain(err), exporter.Shutdown(ctx))
}

func (c Client) exporter(ctx context.Context) (*otlptrace.Exporter, error) {
	retry := c.Retry
	if retry == (otlptracehttp.RetryConfig{}) {
		retry = otlptracehttp.RetryConfig{Enabled: true, InitialInterval: time.Second, MaxInterval: 30 * time.Second, MaxElapsedTime: 2 * time.Minute}
	}
	headers := map[string]string{"User-Agent": "entire/" + c.Version}
	maps.Copy(headers, c.Headers)
	client := &http.Client{Timeout: c.Timeout, CheckRedirect: func(r *http.Request, _ []*http.Request) error {
		return fmt.Errorf("it redirects (status %d), and redirects are not followed: name the final address", r.Response.StatusCode)
	}}
	return otlptracehttp.New(ctx, otlptracehttp.WithEndpointURL(c.URL), otlptracehttp.WithHeaders(headers), otlptracehttp.WithTimeout(c.Timeout),
		otlptracehttp.WithCompression(otlptracehttp.GzipCompression), otlptracehttp.WithEncoding(otlptracehttp.EncodingJSON),
		otlptracehttp.WithRetry(retry), otlptracehttp.WithHTTPClient(client))
}

// record begins and ends a span of the SDK, at the times that it had.
func (s Span) record(ctx context.Context, tracer trace.Tracer) {
	above := trace.SpanContextConfig{TraceID: s.TraceID(), SpanID: s.parentID(), TraceFlags: trace.FlagsSampled}
	ctx = trace.ContextWithSpanContext(context.WithValue(ctx, namedKey{}, s), trace.NewSpanContext(above))
	_, span := tracer.Start(ctx, valid(s.Name), trace.WithSpanKind(s.Kind), trace.WithTimestamp(moment(s.Begin)), trace.WithAttributes(attributes(s.Attributes)...))
	if s.Failed {
		span.SetStatus(codes.Error, "")
	}
	span.End(trace.WithTimestamp(moment(s.End)))
}

// A named gives spans the IDs that follow from their names.
type named struct{}

type namedKey struct{}

func (named) NewIDs(ctx context.Context) (trace.TraceID, trace.SpanID) {
	s, _ := ctx.Value(namedKey{}).(Span)
	return s.TraceID(), s.SpanID()
}

func (n named) NewSpanID(ctx context.Context, _ trace.TraceID) trace.SpanID {
	_, id := n.NewIDs(ctx)
	return id
}

// A gathered keeps the spans that ended, so that they go into one request.
type gathered struct{ spans []sdk.ReadOnlySpan }

func (g *gathered) OnStart(context.Context, sdk.ReadWriteSpan) {}
func (g *gathered) OnEnd(s sdk.ReadOnlySpan)                   { g.spans = append(g.spans, s) }
func (g *gathered) Shutdown(context.Context) error             { return nil }
func (g *gathered) ForceFlush(context.Context) error           { return nil }

func attributes(list []Attribute) (out []attribute.KeyValue) {
	for _, a := range list {
		key := attribute.Key(a.Key)
		switch v := a.Value.(type) {
		case string:
			out = append(out, key.String(valid(v)))
		case int64:
			out = append(out, key.Int64(v))
		case float64:
			out = append(out, key.Float64(v))
		case bool:
			out = append(out, key.Bool(v))
		case []string:
			texts := make([]string, len(v))
			for i, one := range v {
				texts[i] = valid(one)
			}
			out = append(out, key.StringSlice(texts))
		}
	}
	return out
}

// valid returns a text as protocol buffers allow it.
func valid(text string) string { return strings.ToValidUTF8(text, "\uFFFD") }

// moment returns a time that the protocol can have. The SDK takes the zero time for now.
func moment(at time.Time) time.Time {
	if at.Year() < 1970 || at.Year() > 2200 {
		return time.Unix(0, 0)
	}
	return at
}

var partialForm = regexp.MustCompile(`(?s)^OTLP partial success: (.*) \((\d+) spans? rejected\)$`)

// partial takes what a collector did not take out of the exporter's error, whose type is internal to the SDK.
func partial(err error) (refused int64, why string, rest error) {
	if err == nil {
		return 0, "", nil
	}
	text := strings.TrimPrefix(err.Error(), "traces export: ")
	if m := partialForm.FindStringSubmatch(text); m != nil {
		n, _ := strconv.ParseInt(m[2], 10, 64)
		return n, m[1], nil
	}
	return 0, "", err
}

// plain shortens an error to 400 bytes.
func plain(err error) error {
	if err == nil || len(err.Error()) <= 400 {
		return err
	}
	return errors.New(strings.ToValidUTF8(err.Error()[:400], "") + "…")
}
