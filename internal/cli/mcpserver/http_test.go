package mcpserver_test

import (
	"bytes"
	"context"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"entire/internal/cli/cliui"
	"entire/internal/cli/mcpserver"
	"entire/internal/cli/tui/tuitest"
	"entire/internal/cli/workplace"
)

// A said is what a server printed.
type said struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *said) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *said) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

// served serves over HTTP and returns the URL.
func served(t *testing.T, env *cliui.Env, newToken bool) string {
	t.Helper()
	out := new(said)
	own := *env
	own.Out = out
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- mcpserver.Serve(ctx, &own, true, 0, newToken) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	for !strings.Contains(out.String(), "\n") {
		select {
		case err := <-ended:
			t.Fatal(err)
		case <-time.After(5 * time.Millisecond):
		}
	}
	return strings.TrimSpace(out.String())
}

func tokenIn(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	fi, err := os.Stat(file)
	if err != nil || fi.Mode().Perm() != 0o600 {
		t.Fatalf("%v, %v", fi.Mode(), err)
	}
	return strings.TrimSpace(string(text))
}

// withHeaders sends headers with each request.
type withHeaders map[string]string

func (h withHeaders) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	for name, value := range h {
		if name == "Host" {
			r.Host = value
			continue
		}
		r.Header.Set(name, value)
	}
	return http.DefaultTransport.RoundTrip(r)
}

// TestHTTP: with the token, the SDK's client gets an answer. Without it, by another name of this machine or
// from a page of another origin there is none.
func TestHTTP(t *testing.T) {
	t.Parallel()
	s := tuitest.New(t, map[string]string{"a.txt": "one\n"})
	s.Turn(tuitest.First, "Write two", "Done.", tuitest.Edit{Path: "a.txt", Text: "two\n"})
	env := s.World()
	url := served(t, env, false)
	file := filepath.Join(workplace.DataDir(env), "mcp-token")
	token := tokenIn(t, file)
	c := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	session, err := c.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: url,
		HTTPClient: &http.Client{Transport: withHeaders{"Authorization": "Bearer " + token}}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	got := caller{session, t}.answers("recall", map[string]any{"query": "write two"})
	caller{session, t}.has(got, "> Write two")

	request := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"recall","arguments":{"query":"write"}}}`
	status := func(headers withHeaders, at string) int {
		r, _ := http.NewRequestWithContext(t.Context(), http.MethodPost, at, strings.NewReader(request))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		answer, err := headers.RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		return answer.StatusCode
	}
	port := url[strings.LastIndex(url, ":")+1:]
	for name, tc := range map[string]struct {
		headers withHeaders
		want    int
	}{
		"no token":      {withHeaders{}, http.StatusUnauthorized},
		"a wrong token": {withHeaders{"Authorization": "Bearer " + token[1:]}, http.StatusUnauthorized},
		"no bearer":     {withHeaders{"Authorization": token}, http.StatusUnauthorized},
		"a foreign name": {withHeaders{"Authorization": "Bearer " + token, "Host": "evil.example:" + strings.TrimSuffix(port, "/mcp")},
			http.StatusForbidden},
		"a foreign page": {withHeaders{"Authorization": "Bearer " + token, "Origin": "http://evil.example"}, http.StatusForbidden},
		"null":           {withHeaders{"Authorization": "Bearer " + token, "Origin": "null"}, http.StatusForbidden},
		"the token":      {withHeaders{"Authorization": "Bearer " + token}, http.StatusOK},
		"localhost":      {withHeaders{"Authorization": "Bearer " + token, "Host": "localhost:" + strings.TrimSuffix(port, "/mcp")}, http.StatusOK},
	} {
		if got := status(tc.headers, url); got != tc.want {
			t.Errorf("%s: %d", name, got)
		}
	}
	question := request
	for body, want := range map[string]int{"hello": http.StatusBadRequest, "": http.StatusBadRequest, "{}": http.StatusBadRequest,
		strings.Repeat(" ", 1<<20+1): http.StatusRequestEntityTooLarge} {
		if request = body; status(withHeaders{"Authorization": "Bearer " + token}, url) != want {
			t.Errorf("the body %.9q was not answered by %d", body, want)
		}
	}
	request = question
	if got := status(withHeaders{"Authorization": "Bearer " + token}, strings.TrimSuffix(url, "/mcp")+"/other"); got != http.StatusNotFound {
		t.Errorf("another path: %d", got)
	}

	again := served(t, env, false)
	if tokenIn(t, file) != token {
		t.Error("the token is another without --new-token")
	}
	if got := status(withHeaders{"Authorization": "Bearer " + token}, again); got != http.StatusOK {
		t.Errorf("the kept token: %d", got)
	}
	last := served(t, env, true)
	if got := status(withHeaders{"Authorization": "Bearer " + token}, last); got != http.StatusUnauthorized {
		t.Errorf("the former token: %d", got)
	}
}

// TestTokenOfOthers: a token that others can read is not used.
func TestTokenOfOthers(t *testing.T) {
	t.Parallel()
	env := tuitest.New(t, map[string]string{"a.txt": "one\n"}).World()
	file := filepath.Join(workplace.DataDir(env), "mcp-token")
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte("known\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(file, 0o644); err != nil { // whatever the umask is
		t.Fatal(err)
	}
	if err := mcpserver.Serve(t.Context(), env, true, 0, false); err == nil || !strings.Contains(err.Error(), "others can read") {
		t.Errorf("%v", err)
	}
}
