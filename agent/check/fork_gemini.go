package check

import (
	"fmt"
	"io"

	"entire/agent"
	"entire/agent/conversation"
	"entire/agent/document"
	"entire/agent/gemini"
	"entire/agent/internal/jsontext"
)

func forkGemini(in io.Reader, out io.Writer, at, newID string) error {
	text, err := io.ReadAll(in)
	if err != nil {
		return err
	}
	if document.Is(text) {
		text, err = forkDocument(text, at, newID)
	} else {
		text, err = forkRecords(text, at, newID)
	}
	if err != nil {
		return err
	}
	_, err = out.Write(text)
	return err
}

func forkDocument(text []byte, at, newID string) ([]byte, error) {
	d, ok := document.Parse(text)
	if !ok || d.Open == 0 {
		return nil, fmt.Errorf("%w: %d bytes", document.ErrNone, len(text))
	}
	if at != "" {
		n := geminiIndex(d, at)
		if n == 0 {
			return nil, fmt.Errorf("%w: %s", ErrNoMessage, at)
		}
		text, _ = document.Cut(text, n)
	}
	return renamed(text, newID), nil
}

// renamed returns an object with another session's ID.
func renamed(text []byte, newID string) []byte {
	if newID == "" {
		return text
	}
	return setMembers(text, "sessionId", jsontext.Quote(newID))
}

// geminiIndex returns the number of the message at, counted from 1; 0 if there is none.
func geminiIndex(d document.Document, at string) int {
	seen := map[string]int{}
	for i := range d.Parts {
		var m gemini.Message
		if !m.Scan(d.Message(i)) || m.Kind == "" {
			continue
		}
		if m.Name(seen); m.ID == at || m.ID == conversation.RecordUUID(at) {
			return i + 1
		}
	}
	return 0
}

// forkRecords returns the lines up to the first with the message at, and later lines that
// write the same message again, up to a step back.
func forkRecords(text []byte, at, newID string) ([]byte, error) {
	f := recordForker{at: at, newID: newID, found: at == ""}
	agent.EachFinalLine(text, f.line)
	if !f.found {
		return nil, fmt.Errorf("%w: %s", ErrNoMessage, at)
	}
	return f.out, nil
}

type recordForker struct {
	at, newID string
	n         int
	found     bool // the message at was found
	over      bool // the remaining lines are not needed
	out       []byte
}

func (f *recordForker) line(line []byte) {
	f.n++
	var r gemini.Record
	isAt := false
	if r.Scan(line) && f.at != "" {
		name := conversation.LineName(r.Message.ID, f.n)
		isAt = r.Message.Kind != "" && (name == f.at || name == conversation.RecordUUID(f.at))
		f.over = f.over || f.found && r.RewindTo != ""
	}
	if f.over || f.found && f.at != "" && !isAt {
		return
	}
	if set := r.Set; set != nil {
		if d, ok := document.Parse(set); ok && d.Open > 0 && f.at != "" {
			if n := geminiIndex(d, f.at); n > 0 {
				set, _ = document.Cut(set, n)
				f.found = true
			}
		}
		line = setMembers(line, "$set", string(renamed(set, f.newID)))
	} else {
		line = renamed(line, f.newID)
	}
	f.found = f.found || isAt
	f.out = append(append(f.out, line...), '\n')
}
