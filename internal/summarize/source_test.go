package summarize

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"entire/agent"
)

const chatAnswer = "<think>\n{\"intent\":\"no\"}\n</think>\n```json\n{\"intent\":\"greet\",\"outcome\":\"done\",\"open_items\":[\"translate\"]}\n```"

func service(t *testing.T, handle http.HandlerFunc) Request {
	t.Helper()
	s := httptest.NewServer(handle)
	t.Cleanup(s.Close)
	return Request{Agent: agent.AgentTypeClaudeCode, Model: "local", Source: Source{URL: s.URL + "/v1", KeyEnv: "THE_KEY"},
		Environ: []string{"THE_KEY=very-secret-key"}, Timeout: 30 * time.Second}
}

func answerChat(w http.ResponseWriter, text string) {
	json.NewEncoder(w).Encode(map[string]any{"choices": []any{map[string]any{"message": map[string]string{"role": "assistant", "content": text}}}})
}

func TestService(t *testing.T) {
	t.Parallel()
	var got struct {
		Model    string
		Messages []struct{ Role, Content string }
	}
	r := service(t, func(w http.ResponseWriter, req *http.Request) {
		body, _ := io.ReadAll(req.Body)
		if err := json.Unmarshal(body, &got); err != nil {
			t.Error(err)
		}
		if req.URL.Path != "/v1/chat/completions" || req.Method != "POST" || req.Header.Get("Authorization") != "Bearer very-secret-key" {
			t.Errorf("%s %s with %q", req.Method, req.URL, req.Header)
		}
		answerChat(w, chatAnswer)
	})
	s, err := r.Summarize(t.Context(), "[User] hello\n")
	if err != nil {
		t.Fatal(err)
	}
	if s.Intent != "greet" || len(s.OpenItems) != 1 || got.Model != "local" || len(got.Messages) != 1 || !strings.Contains(got.Messages[0].Content, "[User] hello") {
		t.Errorf("%+v for %+v", s, got)
	}
}

func TestServiceFails(t *testing.T) {
	t.Parallel()
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("another host was asked") }))
	defer elsewhere.Close()
	for _, tc := range []struct {
		name   string
		handle http.HandlerFunc
		want   string
	}{
		{"a redirect to another host", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, elsewhere.URL, http.StatusTemporaryRedirect)
		}, "it redirects (status 307)"},
		{"an error that repeats the key", func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(401)
			io.WriteString(w, `{"error":{"message":"bad key very-secret-key"}}`)
		}, "it failed with status 401: bad key "},
		{"an error in text", func(w http.ResponseWriter, r *http.Request) { http.Error(w, "no\x1b[2J model", 404) }, "it failed with status 404: no[2J model"},
		{"no JSON", func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "hello") }, "it gave no chat completion"},
		{"no choice", func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, `{"choices":[]}`) }, "it gave no chat completion"},
		{"no summary", func(w http.ResponseWriter, r *http.Request) { answerChat(w, "I will not") }, "gave no summary"},
		{"too much", func(w http.ResponseWriter, r *http.Request) {
			for range 9 << 10 {
				w.Write(make([]byte, 1024))
			}
		}, "it gave more than 4194304 bytes"},
		{"it hangs", func(w http.ResponseWriter, r *http.Request) { io.Copy(io.Discard, r.Body); <-r.Context().Done() }, "gave no answer within 1s"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := service(t, tc.handle)
			if tc.name == "it hangs" {
				r.Timeout = time.Second
			}
			_, err := r.Summarize(t.Context(), "[User] hello\n")
			if err == nil || !strings.Contains(err.Error(), tc.want) || strings.Contains(err.Error(), "very-secret-key") {
				t.Errorf("error %v, want %q", err, tc.want)
			}
		})
	}
}

func TestServiceNeedsItsKey(t *testing.T) {
	t.Parallel()
	r := service(t, func(http.ResponseWriter, *http.Request) { t.Error("it was asked") })
	r.Environ = nil
	if _, err := r.Summarize(t.Context(), "x"); err == nil || !strings.HasSuffix(err.Error(), "the variable THE_KEY is not set") {
		t.Errorf("error %v", err)
	}
}

func TestSourceCheck(t *testing.T) {
	t.Parallel()
	for url, ok := range map[string]bool{
		"https://example.com/v1": true, "http://localhost:11434/v1": true, "http://127.0.0.1:1/": true, "http://[::1]:1": true,
		"http://example.com/v1": false, "http://127.0.0.1.example.com": false, "file:///etc/passwd": false, "https://": false, "x": false,
		"https://user:pass@example.com": false, "https://example.com/?q=1": false,
	} {
		if err := (Source{URL: url, KeyEnv: "KEY"}).Check(); (err == nil) != ok {
			t.Errorf("%s with a key: %v", url, err)
		}
	}
	if err := (Source{URL: "http://192.168.1.2/v1"}).Check(); err != nil {
		t.Error(err)
	}
	if (Source{URL: "https://a", Command: []string{"b"}}).Check() == nil {
		t.Error("both are accepted")
	}
}

// TestAgree: an agreement is to exactly one source.
func TestAgree(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	one, two := Source{Command: []string{"a", "b"}}, Source{Command: []string{"a b"}}
	if yes, err := Agreed(dir, one); yes || err != nil {
		t.Errorf("before: %v, %v", yes, err)
	}
	if err := Agree(dir, one); err != nil {
		t.Fatal(err)
	}
	for s, want := range map[*Source]bool{&one: true, &two: false} {
		if yes, err := Agreed(dir, *s); yes != want || err != nil {
			t.Errorf("%+v: %v, %v", s, yes, err)
		}
	}
}
