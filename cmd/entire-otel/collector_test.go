package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"entire/internal/cli/clitest"
	"entire/internal/testrepo"
)

// A collected is a span as a collector writes it into a file.
type collected struct {
	TraceID    string `json:"traceId"`
	SpanID     string `json:"spanId"`
	Name       string
	Attributes []struct {
		Key   string
		Value struct{ IntValue string }
	}
}

// TestRealCollector sends sessions to a collector of OpenTelemetry, twice. It takes every span, the second time
// with the same IDs, and the answers' tokens are those of `entire usage`.
func TestRealCollector(t *testing.T) {
	t.Parallel()
	program := os.Getenv("OTLP_COLLECTOR")
	if program == "" {
		t.Skip("make otlp-check builds a collector and names it in OTLP_COLLECTOR")
	}
	sample, err := filepath.Abs(clitest.Transcripts(filepath.Join("..", "..", "testdata"))["Claude Code"])
	if err != nil {
		t.Fatal(err)
	}
	files := []string{sample}
	if dir := os.Getenv("ENTIRE_TRANSCRIPTS"); dir != "" {
		more, err := filepath.Glob(filepath.Join(dir, "*.jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, more...)
	}
	r := testrepo.New(t)
	dir := testrepo.Build(t, "entire", "entire-otel")
	run := func(args ...string) string {
		out, err := run(t, r, dir, args...)
		if err != nil {
			t.Fatalf("entire %s: %v\n%s", strings.Join(args, " "), err, out)
		}
		return out
	}
	run(append([]string{"sessions", "import"}, files...)...)
	var used struct {
		Total struct {
			Tokens struct {
				Input  int `json:"input"`
				Read   int `json:"cache_read"`
				Write  int `json:"cache_write"`
				Output int `json:"output"`
			}
		}
	}
	if err := json.Unmarshal([]byte(run("usage", "--json")), &used); err != nil {
		t.Fatal(err)
	}
	endpoint, stop := collect(t, program)
	said := run("export", "otel", "--endpoint", endpoint)
	again := run("export", "otel", "--endpoint", endpoint, "--again")
	spans := stop()
	t.Logf("%s%s%d spans", said, again, len(spans))

	ids, input, output := map[string]int{}, 0, 0
	for _, s := range spans {
		ids[s.TraceID+s.SpanID]++
		if ids[s.TraceID+s.SpanID] > 1 || !strings.HasPrefix(s.Name, "chat ") {
			continue
		}
		for _, a := range s.Attributes {
			n, _ := strconv.Atoi(a.Value.IntValue)
			switch a.Key {
			case "gen_ai.usage.input_tokens":
				input += n
			case "gen_ai.usage.output_tokens":
				output += n
			}
		}
	}
	if len(spans) == 0 || len(spans) != 2*len(ids) {
		t.Errorf("%d spans with %d IDs, of which each should be there twice", len(spans), len(ids))
	}
	total := used.Total.Tokens
	if want := total.Input + total.Read + total.Write; want == 0 || input != want || output != total.Output {
		t.Errorf("the collector has %d and %d tokens, usage has %d and %d", input, output, want, total.Output)
	}
}

// collect starts a collector. stop ends it and returns the spans that it took.
func collect(t *testing.T, program string) (endpoint string, stop func() []collected) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	l.Close()
	dir := t.TempDir()
	file := filepath.Join(dir, "spans.json")
	clitest.Put(t, filepath.Join(dir, "config.yaml"), fmt.Sprintf(`receivers: {otlp: {protocols: {http: {endpoint: %q}}}}
exporters: {file: {path: %q}}
service:
  telemetry: {metrics: {level: none}}
  pipelines: {traces: {receivers: [otlp], exporters: [file]}}
`, address, file))
	var complaint bytes.Buffer
	cmd := exec.CommandContext(t.Context(), program, "--config", "file:"+filepath.Join(dir, "config.yaml"))
	cmd.Stdout, cmd.Stderr = &complaint, &complaint
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for {
		if c, err := net.Dial("tcp", address); err == nil {
			c.Close()
			break
		}
		select {
		case err := <-ended:
			t.Fatalf("the collector: %v\n%s", err, &complaint)
		case <-time.After(20 * time.Millisecond):
		}
	}
	return "http://" + address, func() (out []collected) {
		if err := cmd.Process.Signal(os.Interrupt); err != nil {
			t.Fatal(err)
		}
		if err := <-ended; err != nil {
			t.Fatalf("the collector: %v\n%s", err, &complaint)
		}
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range bytes.Lines(data) {
			var request struct {
				ResourceSpans []struct{ ScopeSpans []struct{ Spans []collected } }
			}
			if err := json.Unmarshal(line, &request); err != nil {
				t.Fatal(err)
			}
			for _, r := range request.ResourceSpans {
				for _, s := range r.ScopeSpans {
					out = append(out, s.Spans...)
				}
			}
		}
		return out
	}
}
