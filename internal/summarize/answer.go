package summarize

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode"

	"entire/checkpoint/metadata"
)

// Limits of what is kept of an answer.
const (
	maxItems = 100  // per list
	maxText  = 4000 // bytes per text
)

// parseSummary reads the summary in a model's answer: one JSON object, possibly in a fence. Intent and
// outcome are required, every member must have its type, and unknown members are ignored. In the
// result, lists are not nil, texts have no control characters, and lists and texts beyond the limits
// are cut.
func parseSummary(answer string) (*metadata.Summary, error) {
	var s metadata.Summary
	text := unfenced(answer)
	if text == "" {
		return nil, errors.New("empty")
	}
	d := json.NewDecoder(strings.NewReader(text))
	if err := d.Decode(&s); err != nil {
		begin := strings.ToValidUTF8(text[:min(len(text), 60)], "")
		return nil, fmt.Errorf("the answer is not the JSON object that was asked for (%w); it begins with %q", err, begin)
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

// unfenced returns the content of the answer's fence of three backticks, or the whole answer. It
// ignores text around a fence, but not text around bare JSON.
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
	// A finding may quote a fence, so the last one ends the block.
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

func cleanCode(list []metadata.CodeLearning) []metadata.CodeLearning {
	kept := []metadata.CodeLearning{}
	for _, c := range list {
		c.Path, c.Finding = clean(c.Path), clean(c.Finding)
		c.Line, c.EndLine = max(c.Line, 0), max(c.EndLine, 0)
		if c.Finding != "" && len(kept) < maxItems {
			kept = append(kept, c)
		}
	}
	return kept
}

// An envelope is the object in which a program wraps the model's answer.
type envelope struct {
	Type     string  `json:"type"`
	IsError  bool    `json:"is_error"`
	Result   *string `json:"result"`
	Response *string `json:"response"`
}

// unwrap returns the model's answer from a program's output: one object or, in verbose mode, a list
// whose last object contains it.
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
