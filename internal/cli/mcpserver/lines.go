package mcpserver

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/tidwall/gjson"

	"entire/internal/lines"
)

// The codes of JSON-RPC for what is no message.
const (
	notJSON    = -32700
	notRequest = -32600
)

// lineMax is the most bytes of a message.
const lineMax = 16 << 20

// messages passes the messages of its input on, one on each line, and answers every other line with an error of
// JSON-RPC, after which the next line counts.
type messages struct {
	in      *lines.Reader
	out     io.Writer
	rest    []byte // of a message that is being passed on
	number  int
	batches bool // the client speaks a version of the protocol that has batches
}

func (l *messages) Read(p []byte) (int, error) {
	for len(l.rest) == 0 {
		line, err := l.in.Next()
		if err != nil && !errors.Is(err, lines.ErrTooLong) && !errors.Is(err, lines.ErrTorn) {
			return 0, err
		}
		l.number++
		code, why := l.wrong(line, err)
		switch {
		case code != 0:
			if _, err := l.out.Write(refusal(code, fmt.Sprintf("line %d of the input %s", l.number, why))); err != nil {
				return 0, err
			}
		case len(bytes.TrimSpace(line)) > 0:
			l.rest = append(line, '\n')
		}
	}
	n := copy(p, l.rest)
	l.rest = l.rest[n:]
	return n, nil
}

// wrong returns the code and the reason of an error for a line that is no message, or else 0.
func (l *messages) wrong(line []byte, err error) (code int, why string) {
	if errors.Is(err, lines.ErrTooLong) {
		return notRequest, fmt.Sprintf("has more than %d MB", lineMax>>20)
	}
	line = bytes.TrimSpace(line)
	if len(line) == 0 {
		return 0, ""
	}
	if code, why = wrongMessage(line, l.batches); code == 0 && gjson.GetBytes(line, "method").Str == "initialize" {
		version := gjson.GetBytes(line, "params.protocolVersion").Str
		l.batches = version != "" && version < "2025-06-18"
	}
	return code, why
}

// wrongMessage returns the code and the reason of an error for what is no message, or else 0.
func wrongMessage(data []byte, batches bool) (code int, why string) {
	if !json.Valid(data) {
		return notJSON, "is not JSON: each message is one JSON object"
	}
	list := []json.RawMessage{data}
	if data[0] == '[' {
		if !batches {
			return notRequest, "is a list: send one message at a time"
		}
		list = nil // not to write over data
		if json.Unmarshal(data, &list) != nil || len(list) == 0 {
			return notRequest, "is an empty list"
		}
	}
	for _, one := range list {
		if _, err := jsonrpc.DecodeMessage(one); err != nil {
			return notRequest, `is no message of JSON-RPC 2.0, which has "jsonrpc": "2.0" and a "method", or an "id" with a "result" or an "error"`
		}
	}
	return 0, ""
}

// refusal returns an answer to what is no message.
func refusal(code int, why string) []byte {
	what := map[int]string{notJSON: "Parse error", notRequest: "Invalid request"}[code]
	data, _ := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": nil, "error": map[string]any{"code": code, "message": what + ": " + why}})
	return append(data, '\n')
}

// oneAtATime is a writer for several goroutines, which whoever made it closes.
type oneAtATime struct {
	mu  sync.Mutex
	out io.Writer
}

func (w *oneAtATime) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.out.Write(p)
}

func (*oneAtATime) Close() error { return nil }
