package fakemodel

import "strings"

// A Script is all that the model can do. The first exchange wins where two match at one place.
type Script []Exchange

// An Exchange is the model's side of one turn: it answers the prompt that contains Match.
type Exchange struct {
	Match string `json:"match"`
	Steps []Step `json:"steps"`
}

// A Step is one answer of the model. A step without actions ends the turn.
type Step struct {
	Say  string   `json:"say,omitempty"`  // text, before the calls if there are any
	Gate string   `json:"gate,omitempty"` // the answer waits until the test opens the gate of that name
	Do   []Action `json:"do,omitempty"`   // calls of tools; several are sent in one answer
}

// A Verb is what an action does, whatever the client's tool for it is called.
type Verb string

// The verbs. Tool calls a tool by its own name, with Args as they are.
const (
	Write Verb = "write" // creates Path with Text
	Edit  Verb = "edit"  // replaces the lines Old by New in Path
	Read  Verb = "read"  // reads Path
	Shell Verb = "shell" // runs Command
	Task  Verb = "task"  // gives Prompt to a subagent of the type Kind
	Tool  Verb = "tool"
)

// An Action is one call of a tool. Which fields count depends on the verb.
type Action struct {
	Verb       Verb           `json:"verb"`
	Path       string         `json:"path,omitempty"` // relative to the server's Dir
	Text       string         `json:"text,omitempty"`
	Old        string         `json:"old,omitempty"` // whole lines, as one of the clients edits by lines only
	New        string         `json:"new,omitempty"`
	Command    string         `json:"command,omitempty"`
	Prompt     string         `json:"prompt,omitempty"`
	Kind       string         `json:"kind,omitempty"`
	Background bool           `json:"background,omitempty"` // the subagent runs beside its parent, where the client can
	Name       string         `json:"name,omitempty"`
	Args       map[string]any `json:"args,omitempty"`
}

// matching returns the exchange whose Match stands last in the prompt, or -1.
func (script Script) matching(prompt string) int {
	best, at := -1, -1
	for i, exchange := range script {
		if found := strings.LastIndex(prompt, exchange.Match); found > at {
			best, at = i, found
		}
	}
	return best
}

// next returns the exchange that decides on the answer to a conversation, and how many results of its calls have come.
func (script Script) next(turns []turn) (exchange, results int) {
	exchange = -1
	for _, t := range turns {
		if t.results > 0 {
			results += t.results
		}
		if i := script.matching(t.prompt); t.prompt != "" && i >= 0 {
			exchange, results = i, 0
		}
	}
	return exchange, results
}

// step returns the step that follows after that many results, with its calls; past the last one, a step that says that
// all is done. Actions that the client has no tool for are left out and returned in lacking.
func (exchange Exchange) step(results int, box toolbox, dir string) (step int, calls []call, lacking []Verb) {
	seen := 0
	for i, s := range exchange.Steps {
		calls = nil
		for _, action := range s.Do {
			if c, ok := box.call(action, dir); ok {
				calls = append(calls, c)
			} else {
				lacking = append(lacking, action.Verb)
			}
		}
		if len(calls) == 0 && i < len(exchange.Steps)-1 && len(s.Do) > 0 {
			continue
		}
		if seen >= results || len(calls) == 0 {
			return i, calls, lacking
		}
		seen += len(calls)
	}
	return len(exchange.Steps), nil, lacking
}
