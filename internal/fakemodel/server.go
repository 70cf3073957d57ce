package fakemodel

import (
	"bytes"
	"compress/gzip"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// Model is the name under which the server lists its model; it answers to every other name as well.
const Model = "fake-1"

// A Server is one model on one port of the loopback interface. Close ends it.
type Server struct {
	URL string // without a path: http://127.0.0.1:PORT

	script Script
	dir    string
	name   string // in the IDs of its answers
	http   *http.Server
	done   chan struct{}

	mu     sync.Mutex // guards what follows
	ledger []Answer
	number int
	gates  map[string]*gate
}

// A gate holds back an answer until it is opened.
type gate struct{ reached, open chan struct{} }

// Start starts a server that plays the script. Relative paths of its actions are below dir.
func Start(script Script, dir string) (*Server, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listen for the model: %w", err)
	}
	s := &Server{URL: "http://" + listener.Addr().String(), script: script, dir: dir, name: strings.ToLower(rand.Text()[:12]), done: make(chan struct{}), gates: map[string]*gate{}}
	s.http = &http.Server{Handler: http.HandlerFunc(s.serve)} //nolint:gosec // loopback, and a gate may wait for long
	go func() {
		defer close(s.done)
		_ = s.http.Serve(listener)
	}()
	return s, nil
}

// Close ends the server; requests that wait at a gate are dropped.
func (s *Server) Close() {
	_ = s.http.Close()
	<-s.done
}

// Ledger returns all answers so far, in order.
func (s *Server) Ledger() []Answer {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Answer(nil), s.ledger...)
}

// Reached returns a channel that is closed once an answer waits at the gate.
func (s *Server) Reached(name string) <-chan struct{} { return s.gate(name).reached }

// Open lets the answers at the gate go, and those that come later. Opening it twice is an error of the test.
func (s *Server) Open(name string) { close(s.gate(name).open) }

func (s *Server) gate(name string) *gate {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.gates[name] == nil {
		s.gates[name] = &gate{make(chan struct{}), make(chan struct{})}
	}
	return s.gates[name]
}

func (s *Server) pass(r *http.Request, name string) bool {
	g := s.gate(name)
	s.mu.Lock()
	select {
	case <-g.reached:
	default:
		close(g.reached)
	}
	s.mu.Unlock()
	select {
	case <-g.open:
		return true
	case <-r.Context().Done():
		return false
	}
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	body, err := readBody(r)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	path := r.URL.Path
	var p protocol
	switch {
	case strings.HasSuffix(path, "/messages"):
		p = anthropic{}
	case strings.HasSuffix(path, "/responses"):
		p = responses{}
	case strings.HasSuffix(path, "/chat/completions"):
		p = chat{}
	case strings.HasSuffix(path, ":generateContent"), strings.HasSuffix(path, ":streamGenerateContent"):
		p = gemini{path}
	default:
		writeJSON(w, elsewhere(path, len(body)))
		return
	}
	request, err := p.decode(body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	reply, ok := s.answer(r, request, body)
	if !ok {
		return
	}
	if !request.stream {
		writeJSON(w, p.whole(reply))
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-cache")
	for _, event := range p.events(reply) {
		event.write(w)
		if flusher, ok := w.(http.Flusher); ok {
			flusher.Flush()
		}
	}
}

// answer decides what to reply and writes it into the ledger. It is false when the client went away at a gate.
func (s *Server) answer(r *http.Request, q request, body []byte) (reply, bool) {
	exchange, results := s.script.next(q.turns)
	line := Answer{Protocol: q.protocol, Exchange: exchange, Body: body}
	out := reply{server: s.name, model: q.model}
	if exchange < 0 || len(q.tools) == 0 {
		line.Exchange, line.Last = -1, true
		out.text = "OK."
		if q.side != "" {
			out.text = q.side
		}
	} else {
		line.Step, out.calls, line.Lacking = s.script[exchange].step(results, q.tools, s.dir)
		line.Last = len(out.calls) == 0
		out.text = "All is done."
		if line.Step < len(s.script[exchange].Steps) {
			step := s.script[exchange].Steps[line.Step]
			out.text = step.Say
			if step.Gate != "" && !s.pass(r, step.Gate) {
				return reply{}, false
			}
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.number++
	out.number = s.number
	out.usage = usageOf(s.number, q.protocol == "anthropic")
	line.Usage = out.usage
	s.ledger = append(s.ledger, line)
	return out, true
}

// elsewhere is the answer to whatever a client asks for beside answers.
func elsewhere(path string, length int) any {
	switch {
	case strings.HasSuffix(path, "/models"):
		model := map[string]any{"id": Model, "object": "model", "created": 1, "owned_by": "fake", "type": "model", "display_name": Model}
		return map[string]any{"object": "list", "data": []any{model}, "models": []any{}, "has_more": false}
	case strings.HasSuffix(path, "/count_tokens"):
		return map[string]any{"input_tokens": length / 4}
	case strings.HasSuffix(path, ":countTokens"):
		return map[string]any{"totalTokens": length / 4}
	case strings.HasSuffix(path, "/whoami"): // Factory droid starts subagents only for somebody it knows
		return map[string]any{"userId": "user_dana", "orgId": "org_fake"}
	}
	return map[string]any{}
}

func readBody(r *http.Request) ([]byte, error) {
	var from io.Reader = r.Body
	switch r.Header.Get("Content-Encoding") {
	case "gzip":
		unzip, err := gzip.NewReader(r.Body)
		if err != nil {
			return nil, fmt.Errorf("read the request: %w", err)
		}
		from = unzip
	case "zstd":
		unzip, err := zstd.NewReader(r.Body)
		if err != nil {
			return nil, fmt.Errorf("read the request: %w", err)
		}
		defer unzip.Close()
		from = unzip
	}
	body, err := io.ReadAll(from)
	if err != nil {
		return nil, fmt.Errorf("read the request: %w", err)
	}
	return body, nil
}

func writeJSON(w http.ResponseWriter, value any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(value)
}

// A protocol reads the requests of one kind of client and writes the replies.
type protocol interface {
	decode(body []byte) (request, error)
	whole(reply) any
	events(reply) []event
}

// An event is one server-sent event; data that is text is sent as it is.
type event struct {
	name string
	data any
}

func (e event) write(w io.Writer) {
	var out bytes.Buffer
	if e.name != "" {
		out.WriteString("event: " + e.name + "\n")
	}
	out.WriteString("data: ")
	if text, ok := e.data.(string); ok {
		out.WriteString(text)
	} else if text, err := json.Marshal(e.data); err == nil {
		out.Write(text)
	}
	out.WriteString("\n\n")
	_, _ = w.Write(out.Bytes())
}
