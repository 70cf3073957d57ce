package otelexport

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"entire/internal/cli/clitest"
	"entire/internal/cli/cliui"
	"entire/internal/cli/exportcmd"
	"entire/internal/cli/sessionlib"
	"entire/internal/testrepo"
)

// A collector notes the IDs and names of the spans that it takes. While broken is set it takes none.
type collector struct {
	sync.Mutex
	broken bool
	got    []string
	whole  bytes.Buffer
}

func (c *collector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.Lock()
	defer c.Unlock()
	var request struct {
		ResourceSpans []struct {
			ScopeSpans []struct {
				Spans []struct{ TraceID, SpanID, Name string }
			}
		}
	}
	z, err := gzip.NewReader(r.Body)
	if err == nil {
		var body bytes.Buffer
		if _, err = body.ReadFrom(z); err == nil {
			err = json.Unmarshal(body.Bytes(), &request)
			c.whole.Write(body.Bytes())
		}
	}
	if err != nil || c.broken {
		http.Error(w, fmt.Sprint("broken ", err), http.StatusBadRequest)
		return
	}
	for _, s := range request.ResourceSpans[0].ScopeSpans[0].Spans {
		c.got = append(c.got, s.TraceID+" "+s.SpanID+" "+s.Name)
	}
}

// take returns what was taken since the last call.
func (c *collector) take() []string {
	c.Lock()
	defer c.Unlock()
	got := c.got
	c.got = nil
	return got
}

const sid = "5e55104f-0000-4000-8000-0000000000cc"

func turn(n int) string {
	const format = `{"type":"user","uuid":"u%[1]d","timestamp":"2026-01-02T03:0%[1]d:05Z","sessionId":"%[2]s","message":{"role":"user","content":"a private question"}}
{"type":"assistant","uuid":"a%[1]d","timestamp":"2026-01-02T03:0%[1]d:06Z","sessionId":"%[2]s","message":{"role":"assistant","id":"msg_%[1]d","model":"claude-opus-4-6","content":[{"type":"tool_use","id":"t%[1]d","name":"Read","input":{"file_path":"private.txt"}}],"usage":{"input_tokens":5,"output_tokens":7}}}
{"type":"user","uuid":"r%[1]d","timestamp":"2026-01-02T03:0%[1]d:07Z","sessionId":"%[2]s","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t%[1]d","content":"a private file"}]}}
`
	return fmt.Sprintf(format, n, sid)
}

func TestExport(t *testing.T) {
	t.Parallel()
	r := testrepo.New(t)
	env, out, complaint := clitest.WorldOf(r)
	env.Now = func() time.Time { return time.Date(2026, 1, 3, 0, 0, 0, 0, time.UTC) }
	path := filepath.Join(t.TempDir(), sid+".jsonl")
	feed := func(turns int) {
		t.Helper()
		var text strings.Builder
		for n := range turns {
			text.WriteString(turn(n))
		}
		if err := os.WriteFile(path, []byte(text.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		err := sessionlib.WithLibrary(t.Context(), env, func(l *sessionlib.Library) error {
			about, err := sessionlib.ReadAbout(path, "claude-code")
			if err != nil {
				return err
			}
			return l.FeedFile(t.Context(), about, path, true)
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	c := &collector{}
	s := httptest.NewServer(c)
	defer s.Close()
	export := func(args ...string) error {
		out.Reset()
		cmd := exportcmd.Command(env, func(ctx context.Context, o exportcmd.Options) error { return Send(ctx, env, o) })
		cmd.SilenceErrors, cmd.SilenceUsage = true, true
		cmd.SetArgs(append([]string{}, args...)) // without any, cobra would take those of the test's program
		return cmd.ExecuteContext(context.Background())
	}

	feed(1)
	if err := export(); err == nil || err.Error() != "no collector is named" {
		t.Errorf("without an address: %v", err)
	}
	if err := export("--endpoint", s.URL, "--dry-run"); err != nil || out.String() != "Would send 1 turn, 1 answer, 1 tool call of 1 session to "+s.URL+"/v1/traces.\n" {
		t.Errorf("%v: %s%s", err, out, complaint)
	}
	c.broken = true
	if err := export("--endpoint", s.URL); err == nil || !strings.Contains(err.Error(), "400 Bad Request (body: broken") {
		t.Errorf("a broken collector: %v", err)
	}
	c.broken = false
	if err := export("--endpoint", s.URL); err != nil {
		t.Fatal(err)
	}
	first := c.take()
	if len(first) != 3 || !strings.HasSuffix(first[0], "invoke_agent Claude Code") || !strings.HasSuffix(first[2], "execute_tool Read") {
		t.Errorf("first: %q", first)
	}
	if err := export("--endpoint", s.URL); err != nil || len(c.take()) != 0 || !strings.HasPrefix(out.String(), "Nothing is new") {
		t.Errorf("nothing is new, and it sent: %v, %s", err, out)
	}
	feed(3)
	if err := export("--endpoint", s.URL); err != nil {
		t.Fatal(err)
	}
	second := c.take()
	if len(second) != 6 {
		t.Errorf("two turns more: %q", second)
	}
	if strings.Contains(c.whole.String(), "private") {
		t.Error("a text was sent")
	}
	if err := export("--endpoint", s.URL, "--again", "--content"); err != nil {
		t.Fatal(err)
	}
	if again, want := strings.Join(c.take(), "\n"), strings.Join(append(first, second...), "\n"); again != want {
		t.Errorf("again:\n%s\nwant:\n%s", again, want)
	}
	for _, text := range []string{"a private question", "private.txt", "a private file"} {
		if !strings.Contains(c.whole.String(), text) {
			t.Errorf("--content did not send %q", text)
		}
	}
}

// TestEnvironment: the address and the headers come from the variables that OpenTelemetry has for them.
func TestEnvironment(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		environ  []string
		endpoint string
		want     string
	}{
		{[]string{"OTEL_EXPORTER_OTLP_ENDPOINT=http://a:4318"}, "", "http://a:4318/v1/traces"},
		{[]string{"OTEL_EXPORTER_OTLP_ENDPOINT=http://a:4318"}, "http://b", "http://b/v1/traces"},
		{[]string{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=https://a/in", "OTEL_EXPORTER_OTLP_ENDPOINT=http://b"}, "", "https://a/in"},
		{[]string{"OTEL_EXPORTER_OTLP_HEADERS=bad"}, "http://b", ""},
		{[]string{"OTEL_EXPORTER_OTLP_TIMEOUT=-1"}, "http://b", ""},
		{nil, "ftp://b", ""},
	} {
		c, err := clientOf(&sessionlib.Library{Env: &cliui.Env{Environ: tc.environ}}, exportcmd.Options{Endpoint: tc.endpoint})
		if (err == nil) != (tc.want != "") || err == nil && c.URL != tc.want {
			t.Errorf("%v: %s, %v", tc.environ, c.URL, err)
		}
	}
}
