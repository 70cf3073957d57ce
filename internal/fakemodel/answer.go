package fakemodel

import "fmt"

// A Usage is what an answer cost, in the form that counts every token once: Input is what no cache held.
type Usage struct {
	Input      int `json:"input"`
	CacheRead  int `json:"cache_read"`
	CacheWrite int `json:"cache_write"` // Anthropic only
	Output     int `json:"output"`
}

// usageOf returns the tokens of the nth answer: no two answers report the same, so that a sum shows which one it lacks.
func usageOf(n int, caches bool) Usage {
	u := Usage{Input: 1000 + 7*n, CacheRead: 300 + 11*n, Output: 40 + n}
	if caches {
		u.CacheWrite = 20 + 3*n
	}
	return u
}

// An Answer is one line of the ledger: a request and what the model replied.
type Answer struct {
	Protocol string
	Exchange int  // index in the script; -1 for a request beside the conversation, such as one for a title
	Step     int  // of the exchange
	Last     bool // the answer ends the turn
	Usage    Usage
	Lacking  []Verb // what the client has no tool for
	Body     []byte // the request, as JSON
}

// A turn is what one message of the client holds for the script: a prompt, results of tools, or both.
type turn struct {
	prompt  string
	results int
}

// A request is what the script needs to know of a client's request.
type request struct {
	protocol string
	model    string
	stream   bool
	turns    []turn
	tools    toolbox
	side     string // what to answer a request that is not for the conversation
}

// A reply is what the protocol writes.
type reply struct {
	server string // distinguishes the IDs of two servers, whose answers may meet in one conversation
	number int
	model  string
	text   string
	calls  []call
	usage  Usage
}

// id returns an identifier of the reply, or of its nth call, that no other has.
func (r reply) id(prefix string, n int) string {
	return fmt.Sprintf("%s%s%06d%02d", prefix, r.server, r.number, n)
}

// halves cuts text in two, so that a client has to join what is streamed.
func halves(text string) []string {
	runes := []rune(text)
	if len(runes) < 2 {
		return []string{text}
	}
	return []string{string(runes[:len(runes)/2]), string(runes[len(runes)/2:])}
}
