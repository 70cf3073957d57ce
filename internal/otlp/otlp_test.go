package otlp

import (
	"compress/gzip"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	trace "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/encoding/protojson"

	"entire/agent"
)

var begin = time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC)

func at(seconds int) time.Time { return begin.Add(time.Duration(seconds) * time.Second) }

// messages are two turns; the first has an answer in two messages, and a tool that fails.
func messages() []*agent.Message {
	return []*agent.Message{
		{UUID: "u1", Timestamp: at(0), Role: agent.RoleUser, Content: "the secret plan"},
		{UUID: "a1", Timestamp: at(2), Role: agent.RoleAssistant, Content: "I look", Model: "claude-opus-4-6", MessageID: "msg_1",
			Usage: &agent.TokenUsage{InputTokens: 10, CacheReadTokens: 100, CacheCreationTokens: 5, OutputTokens: 1}},
		{UUID: "a2", Timestamp: at(3), Role: agent.RoleAssistant, Model: "claude-opus-4-6", MessageID: "msg_1", Usage: &agent.TokenUsage{OutputTokens: 41},
			ToolCalls: []agent.ToolUse{{ID: "t1", Name: "Bash", Input: json.RawMessage(`{"command":"cat secret"}`)}}},
		{UUID: "r1", Timestamp: at(5), Role: agent.RoleTool, ToolCallID: "t1", ToolName: "Bash", Content: "secret not found", IsError: true},
		{UUID: "a3", Timestamp: at(6), Role: agent.RoleAssistant, Content: "it is gone", Model: "claude-opus-4-6", MessageID: "msg_2", Usage: &agent.TokenUsage{InputTokens: 7, OutputTokens: 3}},
		{UUID: "u2", Timestamp: at(60), Role: agent.RoleUser, Content: "a secret again"},
		{UUID: "a4", Timestamp: at(61), Role: agent.RoleAssistant, Content: "yes", Model: "claude-opus-4-6", MessageID: "msg_3", Usage: &agent.TokenUsage{InputTokens: 1, OutputTokens: 1}},
	}
}

func spansOf(content bool, cuts ...int) (out []Span) {
	t := &Turns{Session: "5e55", Agent: "Claude Code", Content: content}
	for i, m := range messages() {
		for _, c := range cuts {
			if c == i { // the process ends, and another goes on
				out = append(out, t.End()...)
				t = &Turns{Session: "5e55", Agent: "Claude Code", Content: content, Turn: t.Turn}
			}
		}
		out = append(out, t.Add(m)...)
	}
	return append(out, t.End()...)
}

// decode reads a request as the protocol's own code does, and refuses what that does not know.
func decode(t *testing.T, body []byte) []*trace.Span {
	t.Helper()
	var r collector.ExportTraceServiceRequest
	// In OTLP's JSON, IDs are hexadecimal; protojson would take them for base64. The texts stay comparable.
	if err := protojson.Unmarshal(body, &r); err != nil {
		t.Fatalf("%v in %s", err, body)
	}
	if len(r.ResourceSpans) != 1 || len(r.ResourceSpans[0].ScopeSpans) != 1 {
		t.Fatalf("%d resources", len(r.ResourceSpans))
	}
	return r.ResourceSpans[0].ScopeSpans[0].Spans
}

func values(s *trace.Span) map[string]any {
	out := map[string]any{}
	for _, a := range s.Attributes {
		if _, twice := out[a.Key]; twice {
			out["twice"] = a.Key
		}
		out[a.Key] = a.Value.GetStringValue()
		if n := a.Value.GetIntValue(); n != 0 {
			out[a.Key] = n
		}
	}
	return out
}

// sent returns the request that sends spans.
func sent(t *testing.T, c Client, spans []Span) (body []byte) {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		z, err := gzip.NewReader(r.Body)
		if err == nil {
			body, err = io.ReadAll(z)
		}
		if err != nil {
			t.Error(err)
		}
	}))
	defer s.Close()
	c.URL, c.Timeout = s.URL+"/v1/traces", time.Minute
	if refused, why, err := c.Send(t.Context(), spans); refused != 0 || why != "" || err != nil {
		t.Fatalf("%d refused, %q, %v", refused, why, err)
	}
	return body
}

func TestTurns(t *testing.T) {
	t.Parallel()
	body := sent(t, Client{Version: "1", Resource: []Attribute{{"service.name", "entire"}, {"list", []string{"a"}}, {"yes", true}, {"half", 0.5}}}, spansOf(false))
	if strings.Contains(string(body), "secret") || strings.Contains(string(body), "it is gone") {
		t.Errorf("a text is sent: %s", body)
	}
	spans := decode(t, body)
	var names []string
	for _, s := range spans {
		names = append(names, s.Name)
		v := values(s)
		if v["twice"] != nil || v["gen_ai.conversation.id"] != "5e55" || s.EndTimeUnixNano < s.StartTimeUnixNano {
			t.Errorf("%s: %v", s.Name, v)
		}
	}
	want := "invoke_agent Claude Code|chat claude-opus-4-6|execute_tool Bash|chat claude-opus-4-6|invoke_agent Claude Code|chat claude-opus-4-6"
	if got := strings.Join(names, "|"); got != want {
		t.Fatalf("spans %s", got)
	}
	turn, answer, call := values(spans[0]), values(spans[1]), values(spans[2])
	if turn["gen_ai.usage.input_tokens"] != int64(122) || turn["gen_ai.usage.output_tokens"] != int64(45) || spans[0].EndTimeUnixNano != uint64(at(6).UnixNano()) {
		t.Errorf("the turn has %v", turn)
	}
	if answer["gen_ai.usage.input_tokens"] != int64(115) || answer["gen_ai.usage.output_tokens"] != int64(42) || answer["gen_ai.usage.cache_read.input_tokens"] != int64(100) ||
		answer["gen_ai.provider.name"] != "anthropic" || answer["gen_ai.response.id"] != "msg_1" || spans[1].Kind != trace.Span_SPAN_KIND_CLIENT {
		t.Errorf("the answer has %v", answer)
	}
	if call["gen_ai.tool.name"] != "Bash" || call["error.type"] != "tool_error" || spans[2].Status.Code != trace.Status_STATUS_CODE_ERROR ||
		spans[2].EndTimeUnixNano-spans[2].StartTimeUnixNano != uint64(2*time.Second) {
		t.Errorf("the call has %v", call)
	}
	if string(spans[1].ParentSpanId) != string(spans[0].SpanId) || string(spans[1].TraceId) != string(spans[0].TraceId) || string(spans[4].TraceId) == string(spans[0].TraceId) {
		t.Error("the answer is not below its turn")
	}
}

func TestContent(t *testing.T) {
	t.Parallel()
	spans := spansOf(true)
	for i, want := range map[int]string{0: "the secret plan", 1: "I look", 2: "cat secret", 3: "it is gone"} {
		if data, _ := json.Marshal(spans[i].Attributes); !strings.Contains(string(data), want) {
			t.Errorf("span %d has no %q: %s", i, want, data)
		}
	}
}

// TestSameIDs: wherever a process stopped, the spans have the same IDs, and no other span appears.
func TestSameIDs(t *testing.T) {
	t.Parallel()
	whole := map[string]string{}
	for _, s := range spansOf(false) {
		whole[s.TraceID().String()+s.SpanID().String()] = s.Name
	}
	if len(whole) != 6 {
		t.Fatalf("%d different spans", len(whole))
	}
	for n := range messages() {
		got := map[string]bool{}
		for _, s := range spansOf(false, n, n+2) {
			id := s.TraceID().String() + s.SpanID().String()
			if whole[id] == "" {
				t.Errorf("cut at %d: %s is another span", n, s.Name)
			}
			got[id] = true
		}
		if len(got) != len(whole) {
			t.Errorf("cut at %d: %d spans", n, len(got))
		}
	}
}

// soon tries again at once, and gives up soon.
var soon = otlptracehttp.RetryConfig{Enabled: true, InitialInterval: time.Millisecond, MaxInterval: 10 * time.Millisecond, MaxElapsedTime: 5 * time.Second}

func TestSend(t *testing.T) {
	t.Parallel()
	var bodies [][]byte
	status := []int{503, 429, 200}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		z, err := gzip.NewReader(r.Body)
		if err != nil {
			t.Error(err)
			return
		}
		body, _ := io.ReadAll(z)
		bodies = append(bodies, body)
		if r.Header.Get("Content-Type") != "application/json" || r.Header.Get("Api-Key") != "k" || r.URL.Path != "/v1/traces" {
			t.Errorf("%s with %v", r.URL, r.Header)
		}
		if n := status[len(bodies)-1]; n != 200 {
			w.Header().Set("Retry-After", "1")
			w.WriteHeader(n)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, `{"partialSuccess":{"rejectedSpans":"2","errorMessage":"too old"}}`)
	}))
	defer s.Close()
	url, err := TracesURL(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	c := Client{URL: url, Headers: map[string]string{"api-key": "k"}, Timeout: time.Minute, Retry: soon}
	begun := time.Now()
	refused, why, err := c.Send(t.Context(), spansOf(false))
	if err != nil || refused != 2 || why != "too old" {
		t.Errorf("%d refused, %q, %v", refused, why, err)
	}
	if took := time.Since(begun); len(bodies) != 3 || len(decode(t, bodies[2])) != 6 || took < 2*time.Second {
		t.Errorf("%d requests in %v; the collector asked to wait a second twice", len(bodies), took)
	}
}

func TestSendFails(t *testing.T) {
	t.Parallel()
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("another host was asked") }))
	defer elsewhere.Close()
	asked := map[string]int{}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked[r.URL.Path]++
		switch r.URL.Path {
		case "/redirect/v1/traces":
			http.Redirect(w, r, elsewhere.URL, http.StatusTemporaryRedirect)
		case "/busy/v1/traces":
			w.WriteHeader(503)
		default:
			w.WriteHeader(400)
			io.WriteString(w, `{"code":3,"message":"no such field"}`)
		}
	}))
	defer s.Close()
	for path, want := range map[string]string{"/redirect": "it redirects (status 307)", "/busy": "max retry time", "/bad": "no such field"} {
		url, _ := TracesURL(s.URL + path)
		c := Client{URL: url, Timeout: time.Minute, Retry: soon}
		c.Retry.MaxElapsedTime = 300 * time.Millisecond
		if _, _, err := c.Send(t.Context(), spansOf(false)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", path, err)
		}
	}
	if asked["/redirect/v1/traces"] != 1 || asked["/bad/v1/traces"] != 1 || asked["/busy/v1/traces"] < 3 {
		t.Errorf("requests: %v", asked)
	}
}

func TestAddresses(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"http://localhost:4318": "http://localhost:4318/v1/traces", "https://a/otlp/": "https://a/otlp/v1/traces", "https://a/v1/traces": "https://a/v1/traces",
		"localhost:4318": "", "http://a?key=k": "", "file:///x": "", "https://u:p@a": "", "": "",
	} {
		if got, err := TracesURL(address); got != want || (err == nil) != (want != "") {
			t.Errorf("%q: %q, %v", address, got, err)
		}
	}
	if h, err := Headers("a=b, c = d%20e ,"); err != nil || h["a"] != "b" || h["c"] != "d e" || len(h) != 2 {
		t.Errorf("%v, %v", h, err)
	}
	for _, bad := range []string{"a", "=b", "a=%zz", "a=b%0d%0ac: d"} {
		if _, err := Headers(bad); err == nil {
			t.Errorf("%q is accepted", bad)
		}
	}
}
