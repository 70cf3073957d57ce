package redact

import (
	"bytes"
	"strings"
)

// line redacts one JSON value or text. After a panic it returns only the Token.
func (e *engine) line(line []byte) (clean []byte) {
	if len(line) < e.shortest() {
		return line
	}
	defer func() {
		if recover() != nil {
			clean = []byte(`"` + Token + `"`)
		}
	}()
	for range rounds {
		if !isJSON(line) {
			text := e.text(string(line), anyText)
			if text == string(line) {
				return line
			}
			line = []byte(text)
			continue // the rest may be JSON
		}
		w := walker{e: e, in: line}
		w.walk()
		if w.out == nil {
			return line
		}
		return append(w.out, line[w.done:]...)
	}
	return []byte(Token)
}

// walker visits the strings of a valid JSON text.
type walker struct {
	e    *engine
	in   []byte
	out  []byte // redacted copy of in[:done]; nil while nothing has changed
	done int
	open []object // the objects and arrays around the current position

	members map[int]*members // by start; nil until needed
}

// object is an object or array around the current position.
type object struct {
	start int
	array bool
	key   string // decoded key of the current member
}

func (w *walker) walk() {
	w.each(func(start, end int, isKey bool) {
		if isKey {
			w.visitKey(start, end)
		} else {
			w.visitValue(start, end)
		}
	})
}

// each calls visit with the position of every string, without its quotes.
func (w *walker) each(visit func(start, end int, isKey bool)) {
	isKey := false
	for i := 0; i < len(w.in); {
		switch c := w.in[i]; c {
		case '{', '[':
			w.open = append(w.open, object{start: i, array: c == '['})
			isKey = c == '{'
			if c == '[' && len(w.open) > 1 {
				w.top().key = w.open[len(w.open)-2].key
			}
		case '}', ']':
			w.open = w.open[:len(w.open)-1]
			isKey = false
		case ',':
			isKey = len(w.open) > 0 && !w.top().array
		case '"':
			end := stringEnd(w.in, i+1)
			visit(i+1, end, isKey)
			isKey = false
			i = end
		}
		i++
	}
}

func (w *walker) top() *object { return &w.open[len(w.open)-1] }

// stringEnd returns the position of the closing quote of the string that starts at i, after its
// opening quote.
func stringEnd(in []byte, i int) int {
	for {
		i += bytes.IndexByte(in[i:], '"')
		n := 0
		for in[i-1-n] == '\\' {
			n++
		}
		if n%2 == 0 {
			return i
		}
		i++
	}
}

func (w *walker) visitKey(start, end int) {
	raw := w.in[start:end]
	o := w.top()
	o.key = decode(raw)
	if len(raw) < w.e.shortest() || isPlainKey(raw) {
		return
	}
	clean := w.e.raw(raw, o.key, func(s string) []Span { return w.e.scan(s, keyName) })
	if same(clean, raw) {
		return
	}
	w.put(start, end, w.of(o.start).unique(clean))
}

// isPlainKey reports whether a key is too short and too plain to be a secret.
func isPlainKey(key []byte) bool {
	for _, c := range key {
		if !plainKeyByte.has(c) {
			return false
		}
	}
	return len(key) < shortestLetters
}

// shortestLetters is the length of the shortest secret that has only letters and no name.
const shortestLetters = 18

var plainKeyByte = byteSet{0, 0x7fffffe87fffffe} // [A-Za-z_]

func (w *walker) visitValue(start, end int) {
	if end-start < w.e.shortest() {
		return
	}
	raw := w.in[start:end]
	var key string
	if len(w.open) > 0 {
		key = w.top().key
	}
	s := decode(raw)
	if structural(key) && isID(s) || isPicture(s) && isBase64(s) {
		return
	}
	k := w.kindOf(key, s)
	if clean := w.e.raw(raw, s, func(s string) []Span { return w.e.scanMember(key, s, k) }); !same(clean, raw) {
		w.put(start, end, clean)
	}
}

// longestNamed is the length of the longest string that may be a secret because of its name.
const longestNamed = 256

// scanMember scans the value of a key. It also scans key and value as an assignment, because only its
// key shows that a value is a password.
func (e *engine) scanMember(key, s string, k kind) []Span {
	spans := e.scan(s, k)
	if key == "" || k != anyText || len(s) > longestNamed || len(key) > longestNamed || strings.ContainsAny(s, " \n") || !e.triggers().words.in(key) {
		return spans
	}
	front := key + `":"`
	for _, sp := range e.scan(front+s+`"`, keyName) {
		if sp = (Span{max(0, sp.Start-len(front)), min(sp.End-len(front), len(s))}); sp.Start < sp.End {
			spans = append(spans, sp)
		}
	}
	return merge(s, spans)
}

// structural reports whether a member of that name identifies a record, a request or a call.
func structural(key string) bool {
	switch key {
	case "id", "uuid", "parentUuid", "leafUuid", "logicalParentUuid", "sessionId", "session_id", "messageId",
		"message_id", "requestId", "request_id", "tool_use_id", "toolUseId", "toolUseID", "parentToolUseID",
		"parent_tool_use_id", "sourceToolAssistantUUID", "sourceToolUseID", "agentId", "agent_id", "taskId", "task_id",
		"shellId", "shell_id", "bash_id", "call_id", "promptId", "prompt_id", "container_id", "apiCallId":
		return true
	}
	return false
}

// kindOf returns opaque for a signature or ciphertext that the service of a model expects back
// unchanged.
func (w *walker) kindOf(key, s string) kind {
	if len(s) < 64 {
		return anyText
	}
	switch key {
	case "signature", "thoughtSignature", "thought_signature", "encrypted_content", "encrypted_index", "encrypted_stdout":
	case "data":
		if w.of(w.top().start).typ != "redacted_thinking" {
			return anyText
		}
	default:
		return anyText
	}
	if isBase64(s) {
		return opaque
	}
	return anyText
}

func (w *walker) put(start, end int, clean []byte) {
	w.out = append(append(w.out, w.in[w.done:start]...), clean...)
	w.done = end
}
