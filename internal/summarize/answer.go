package summarize

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode"

	"entire/checkpoint"
)

// Bounds of what is believed of an answer.
const (
	maxItems = 100  // of a list
	maxText  = 4000 // bytes of one text
)

// parseSummary reads the summary in a model's answer: one JSON object, which may
// stand in a fence. Everything has to have its type, and intent and outcome have
// to be there; unknown members are passed over. Lists are never nil, texts carry
// no control characters, and what is longer than the bounds is cut.
func parseSummary(answer string) (*checkpoint.Summary, error) {
	var s checkpoint.Summary
	text := unfenced(answer)
	if text == "" {
		return nil, errors.New("empty")
	}
	d := json.NewDecoder(strings.NewReader(text))
	if err := d.Decode(&s); err != nil {
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("more than one JSON value")
	}
	s.Intent, s.Outcome = clean(s.Intent), clean(s.Outcome)
	if s.Intent == "" || s.Outcome == "" {
		return nil, errors.New("no intent or no outcome")
	}
	l := &s.Learnings
	l.Repo, l.Workflow, s.Friction, s.OpenItems = cleanList(l.Repo), cleanList(l.Workflow), cleanList(s.Friction), cleanList(s.OpenItems)
	l.Code = cleanCode(l.Code)
	return &s, nil
}

// unfenced is what stands in the answer's fence of three backticks, or all of it.
// Words around a fence are passed over; words around bare JSON are not.
func unfenced(answer string) string {
	answer = strings.TrimSpace(answer)
	if strings.HasPrefix(answer, "{") {
		return answer
	}
	_, rest, fenced := strings.Cut(answer, "```")
	if !fenced {
		return answer
	}
	rest = strings.TrimPrefix(rest, "json")
	// A finding may quote a fence: the last one ends the block.
	if end := strings.LastIndex(rest, "```"); end >= 0 {
		rest = rest[:end]
	}
	return strings.TrimSpace(rest)
}

func clean(text string) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t' || r == '\r':
			return ' '
		case unicode.IsControl(r), unicode.Is(unicode.Bidi_Control, r):
			return -1
		}
		return r
	}, text)
	text = strings.TrimSpace(text)
	if len(text) > maxText {
		text = strings.ToValidUTF8(text[:maxText], "") + "…"
	}
	return text
}

func cleanList(list []string) []string {
	kept := []string{}
	for _, text := range list {
		if text = clean(text); text != "" && len(kept) < maxItems {
			kept = append(kept, text)
		}
	}
	return kept
}

func cleanCode(list []checkpoint.CodeLearning) []checkpoint.CodeLearning {
	kept := []checkpoint.CodeLearning{}
	for _, c := range list {
		c.Path, c.Finding = clean(c.Path), clean(c.Finding)
		c.Line, c.EndLine = max(c.Line, 0), max(c.EndLine, 0)
		if c.Finding != "" && len(kept) < maxItems {
			kept = append(kept, c)
		}
	}
	return kept
}

// An envelope is the object in which a program wraps its model's answer.
type envelope struct {
	Type     string  `json:"type"`
	IsError  bool    `json:"is_error"`
	Result   *string `json:"result"`
	Response *string `json:"response"`
}

// unwrap takes the model's answer out of what a program printed: one object, or,
// as when it is verbose, a list of which the last object has it.
func unwrap(stdout []byte) (string, error) {
	stdout = bytes.TrimSpace(stdout)
	if len(stdout) == 0 {
		return "", errors.New("nothing on standard output")
	}
	list := []json.RawMessage{stdout}
	if stdout[0] == '[' {
		if err := json.Unmarshal(stdout, &list); err != nil {
			return "", err
		}
	}
	if len(list) == 0 {
		return "", errors.New("an empty list")
	}
	var e envelope
	if err := json.Unmarshal(list[len(list)-1], &e); err != nil {
		return "", err
	}
	answer := e.Result
	if answer == nil {
		answer = e.Response
	}
	switch {
	case answer == nil:
		return "", errors.New("no result in it")
	case e.IsError:
		return "", fmt.Errorf("it reports an error: %s", firstLine(*answer))
	}
	return *answer, nil
}
