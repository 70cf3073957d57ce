package mcpserver

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"entire/internal/lines"
)

// TestLines: what is no message is answered with an error of JSON-RPC in plain words, and what follows counts.
func TestLines(t *testing.T) {
	t.Parallel()
	const ping, ask = `{"jsonrpc":"2.0","id":1,"method":"ping"}`, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-03-26"}}`
	for name, tt := range map[string]struct {
		in, passed string
		code       int
		said       string
	}{
		"a message":             {ping + "\n", ping + "\n", 0, ""},
		"its line has no end":   {ping, ping + "\n", 0, ""},
		"words":                 {"hello\n" + ping + "\n", ping + "\n", notJSON, "line 1 of the input is not JSON"},
		"half a message":        {ping + "\n" + ping[:9] + "\n", ping + "\n", notJSON, "line 2 of"},
		"not UTF-8":             {"\xff\xfe\n" + ping + "\n", ping + "\n", notJSON, "is not JSON"},
		"another object":        {"{\"a\": 1}\n" + ping + "\n", ping + "\n", notRequest, "JSON-RPC 2.0"},
		"a number":              {"17\n", "", notRequest, "JSON-RPC 2.0"},
		"a list":                {"[" + ping + "]\n", "", notRequest, "one message at a time"},
		"a list, where allowed": {ask + "\n[" + ping + "]\n", ask + "\n[" + ping + "]\n", 0, ""},
		"too long":              {strings.Repeat("x", lineMax+1) + "\n" + ping + "\n", ping + "\n", notRequest, "16 MB"},
		"empty lines":           {"\n\r\n" + ping + "\n\n", ping + "\n", 0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out bytes.Buffer
			passed, err := io.ReadAll(&messages{in: lines.NewReader(strings.NewReader(tt.in), lineMax), out: &out})
			if err != nil || string(passed) != tt.passed {
				t.Errorf("passed %q, %v", passed, err)
			}
			var got struct {
				JSONRPC string `json:"jsonrpc"`
				ID      any    `json:"id"`
				Error   struct {
					Code    int    `json:"code"`
					Message string `json:"message"`
				} `json:"error"`
			}
			if tt.code == 0 {
				if out.Len() > 0 {
					t.Errorf("said %s", &out)
				}
				return
			}
			if err := json.Unmarshal(out.Bytes(), &got); err != nil || got.JSONRPC != "2.0" || got.ID != nil || got.Error.Code != tt.code || !strings.Contains(got.Error.Message, tt.said) {
				t.Errorf("%v, said %s", err, &out)
			}
		})
	}
}

// FuzzLines: whatever comes, each line is either passed on or answered.
func FuzzLines(f *testing.F) {
	f.Add([]byte("x\n{}\n[]\n"))
	f.Fuzz(func(t *testing.T, in []byte) {
		var out bytes.Buffer
		passed, err := io.ReadAll(&messages{in: lines.NewReader(bytes.NewReader(in), lineMax), out: &out})
		if err != nil {
			t.Fatal(err)
		}
		full := 0
		for line := range bytes.Lines(in) {
			if len(bytes.TrimSpace(line)) > 0 {
				full++
			}
		}
		if n := bytes.Count(out.Bytes(), []byte("\n")); n+len(bytes.FieldsFunc(passed, func(r rune) bool { return r == '\n' })) != full {
			t.Errorf("%d lines, of which %d were answered and %q passed", full, n, passed)
		}
	})
}
