package blameserve

import (
	"encoding/json"

	"entire/internal/cli/cliui"
)

// protocolVersion is the version of the protocol.
const protocolVersion = 1

// maxMessage bounds a request in bytes. A longer one is refused, and what follows it is read.
const maxMessage = 32 << 20

// request is one line of the editor's.
type request struct {
	ID     json.RawMessage `json:"id"` // a number or a string
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
}

// answer is the answer to a request: a result or a failure.
type answer struct {
	ID     json.RawMessage `json:"id"`
	Result any             `json:"result,omitempty"`
	Error  *failure        `json:"error,omitempty"`
}

// The codes of failures.
const (
	codeBadJSON   = "bad-json"   // the line is not a JSON object
	codeTooLarge  = "too-large"  // the line, or the number of open files or waiting requests
	codeBadID     = "bad-id"     // the request has no ID, or one that is not a number or a string
	codeNoHello   = "no-hello"   // the first request was not hello
	codeVersion   = "version"    // the editor speaks another version
	codeMethod    = "method"     // there is no such method
	codeParams    = "params"     // the parameters do not fit the method
	codeOutside   = "outside"    // the path is outside the repository
	codeNotOpen   = "not-open"   // the file was not opened
	codeNoBlame   = "no-blame"   // the owners could not be found
	codeCancelled = "cancelled"  // the editor cancelled the request
	codeOutdated  = "outdated"   // a later request asks for the same, or the file was closed
	codeBinary    = "binary"     // the file has no lines of text
	codeStale     = "stale-line" // the line on disk is another one by now
)

// failure says why a request was not answered.
type failure struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
}

func failed(code, message, hint string) *failure { return &failure{code, message, hint} }

// failureOf returns a command's error as a failure.
func failureOf(code string, err error) *failure {
	return failed(code, cliui.OneLine(err.Error()), cliui.HintOf(err))
}

// parse reads a request.
func parse(line []byte) (request, *failure) {
	var q request
	if len(line) == 0 || line[0] != '{' || json.Unmarshal(line, &q) != nil {
		return request{}, failed(codeBadJSON, "the line is not a JSON object with id, method and params", `as in {"id":1,"method":"hello","params":{"version":1}}`)
	}
	var id any
	_ = json.Unmarshal(q.ID, &id)
	switch id.(type) {
	case float64, string:
		return q, nil
	}
	q.ID = nil
	return q, failed(codeBadID, "the request has no id that is a number or a string", "")
}
