//go:build unix

package serve_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"entire/internal/hub/hubtest"
	"entire/internal/hub/settings"
)

// A safeBuffer is written by several goroutines.
type safeBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *safeBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *safeBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

// TestHealth: probes and metrics answer, every answer has the headers that protect browsers, and the log is JSON without
// parameters and tokens.
func TestHealth(t *testing.T) {
	var log safeBuffer
	s, _, _ := two(t, hubtest.Options{Postgres: hubtest.Postgres(t), Log: &log})
	for path, want := range map[string]string{"/healthz": "alive\n", "/readyz": "ready\n"} {
		if status, body := s.Get("", path); status != http.StatusOK || body != want {
			t.Errorf("%s: %d %q", path, status, body)
		}
	}
	if status, _ := s.Get(s.Tokens["shop"], "/metrics"); status != http.StatusUnauthorized {
		t.Errorf("metrics for who reads one repository: %d", status)
	}
	s.Get(s.Tokens["all"], "/api/v1/checkpoints?q=confidential")
	metrics := ""
	for end := time.Now().Add(time.Minute); !strings.Contains(metrics, `{change="written"} 100`) && time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		_, metrics = s.Get(s.Tokens["all"], "/metrics") // a reading is counted a moment after its rows are there
	}
	for _, want := range []string{`entire_hub_checkpoints_total{change="written"} 100`, `entire_hub_syncs_total{repository="shop",result="changed"}`, `entire_hub_request_seconds_count{part="/api/v1/checkpoints",status="200"}`, "go_goroutines"} {
		if !strings.Contains(metrics, want) {
			t.Errorf("the metrics lack %s", want)
		}
	}
	for _, path := range []string{"/", "/api/v1/me", "/healthz", "/login", "/nothing"} {
		res, err := http.Get(s.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		for name, want := range map[string]string{"X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY", "Cache-Control": "no-store"} {
			if got := res.Header.Get(name); got != want {
				t.Errorf("%s: %s is %q", path, name, got)
			}
		}
		if csp := res.Header.Get("Content-Security-Policy"); !strings.Contains(csp, "default-src 'none'") || strings.Contains(csp, "script-src") {
			t.Errorf("%s: %s", path, csp)
		}
	}
	s.Stop()
	for line := range strings.Lines(log.String()) {
		var entry map[string]any
		if err := json.Unmarshal([]byte(line), &entry); err != nil || entry["msg"] == nil {
			t.Errorf("%s: %v", line, err)
		}
	}
	if said := log.String(); strings.Contains(said, "confidential") || strings.Contains(said, "eht_") || !strings.Contains(said, `"msg":"ended"`) {
		t.Errorf("the log says %s", said)
	}
}

// TestTooOften: whoever asks too often is told to wait, and others are not.
func TestTooOften(t *testing.T) {
	shop := hubtest.NewRepository(t, "shop")
	shop.Add(1)
	s := hubtest.Serve(t, map[string]string{"shop": "file://" + shop.Dir}, hubtest.Options{Change: func(h *settings.Hub, _ map[string]string) {
		h.Limits = settings.Limits{PerSecond: 0.001, Burst: 5}
	}})
	last := 0
	for range 6 {
		last, _ = s.Get(s.Tokens["shop"], "/api/v1/me")
	}
	if last != http.StatusTooManyRequests {
		t.Errorf("the sixth request: %d", last)
	}
	if status, _ := s.Get(s.Tokens["all"], "/api/v1/me"); status != http.StatusOK {
		t.Errorf("another reader: %d", status)
	}
	for range 10 {
		if status, _ := s.Get("", "/healthz"); status != http.StatusOK {
			t.Errorf("a probe: %d", status)
		}
	}
}
