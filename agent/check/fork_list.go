package check

import (
	"fmt"
	"io"

	"entire/agent"
	"entire/agent/agents"
	"entire/agent/conversation"
	"entire/agent/document"
	"entire/agent/internal/jsontext"
)

// forkList forks a transcript that is a list of messages.
func forkList(t agent.AgentType, in io.Reader, out io.Writer, at, newID string) error {
	text, err := io.ReadAll(in)
	if err != nil {
		return err
	}
	f := listForker{agent: t, form: agents.FormOf(t), at: at, newID: newID, found: at == ""}
	if document.Is(text) {
		text, err = f.document(text)
	} else {
		text, err = f.lines(text)
	}
	if err != nil {
		return err
	}
	_, err = out.Write(text)
	return err
}

type listForker struct {
	agent     agent.AgentType
	form      *agents.Form
	at, newID string
	n         int
	found     bool // the message at was found
	over      bool // the remaining lines are not needed
	out       []byte
}

func (f *listForker) document(text []byte) ([]byte, error) {
	d, ok := document.Parse(text)
	if !ok || d.Open == 0 {
		return nil, fmt.Errorf("%w: %d bytes", document.ErrNone, len(text))
	}
	if f.at == "" {
		return f.renamed(text), nil
	}
	n := f.index(text)
	if n == 0 {
		return nil, fmt.Errorf("%w: %s", ErrNoMessage, f.at)
	}
	text, _ = document.Cut(text, n)
	return f.renamed(text), nil
}

// renamed returns an object with another session's ID.
func (f *listForker) renamed(text []byte) []byte {
	if f.newID == "" {
		return text
	}
	return jsontext.SetMember(text, "sessionId", jsontext.Quote(f.newID))
}

// isAt reports whether the message to fork at has this name.
func (f *listForker) isAt(name string) bool {
	return f.at != "" && (name == f.at || name == conversation.RecordUUID(f.at))
}

// index returns the number of the message at in a document, counted from 1; 0 if there is none.
func (f *listForker) index(doc []byte) int {
	n := 0
	conversation.EachMessage(f.agent, doc, func(i int, r *agent.Record, name string) {
		if n == 0 && r != nil && r.Role != "" && f.isAt(name) {
			n = i + 1
		}
	})
	return n
}

// lines returns the lines up to the first with the message at, and later lines that write the same message
// again, up to a step back.
func (f *listForker) lines(text []byte) ([]byte, error) {
	agent.EachFinalLine(text, f.line)
	if !f.found {
		return nil, fmt.Errorf("%w: %s", ErrNoMessage, f.at)
	}
	return f.out, nil
}

func (f *listForker) line(line []byte) {
	f.n++
	isAt := false
	saved := f.form.Messages.Saved(line)
	if saved == nil {
		for _, r := range conversation.ReadLine(f.agent, line).Records {
			isAt = isAt || r.Role != "" && f.isAt(conversation.LineName(r.ID, f.n))
			f.over = f.over || f.at != "" && f.found && r.BackTo != ""
		}
	}
	if f.over || f.found && f.at != "" && !isAt {
		return
	}
	if saved == nil {
		line = f.renamed(line)
	} else {
		kept := saved
		if n := f.index(saved); n > 0 {
			kept, _ = document.Cut(saved, n)
			f.found = true
		}
		e := jsontext.Eraser{Text: line}
		e.ReplacePart(saved, string(f.renamed(kept)))
		line = e.Result()
	}
	f.found = f.found || isAt
	f.out = append(append(f.out, line...), '\n')
}
