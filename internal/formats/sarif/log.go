package sarif

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
)

// Levels of results.
const (
	Note    = "note"
	Warning = "warning"
	Error   = "error"
)

const (
	version = "2.1.0"
	schema  = "https://json.schemastore.org/sarif-2.1.0.json"
)

// Rule is a kind of finding.
type Rule struct {
	ID    string
	About string // a sentence
	Level string // of its results
}

// Result is one finding. Without a Path it is about the whole change; without lines, about the file.
type Result struct {
	Rule       string
	Message    string
	Path       string
	Start, End int
}

// Log is the findings of one run of a program.
type Log struct {
	Program, Version string
	Rules            []Rule
	Results          []Result
}

// Check returns what is wrong with the log, or nil. length returns the number of lines of a file and
// whether there is one; nil leaves the ends of files unchecked.
func (l *Log) Check(length func(path string) (int, bool)) error {
	if l.Program == "" {
		return fmt.Errorf("the program has no name")
	}
	for i, r := range l.Rules {
		if r.ID == "" || r.About == "" || !slices.Contains([]string{Note, Warning, Error}, r.Level) {
			return fmt.Errorf("rules[%d]: it has no ID, no text or no level", i)
		}
		if slices.ContainsFunc(l.Rules[:i], func(o Rule) bool { return o.ID == r.ID }) {
			return fmt.Errorf("rules[%d]: %.60q is listed twice", i, r.ID)
		}
	}
	for i, r := range l.Results {
		at := fmt.Sprintf("results[%d]", i)
		switch {
		case l.rule(r.Rule) < 0:
			return fmt.Errorf("%s: there is no rule %.60q", at, r.Rule)
		case r.Message == "":
			return fmt.Errorf("%s: no message", at)
		case r.Start < 0 || r.End < r.Start || r.Start == 0 && r.End > 0 || r.Start > 0 && r.Path == "":
			return fmt.Errorf("%s: %d to %d are no lines of a file", at, r.Start, r.End)
		}
		if length == nil || r.Path == "" {
			continue
		}
		if n, there := length(r.Path); !there || r.End > n {
			return fmt.Errorf("%s: %.120q has no line %d", at, r.Path, r.End)
		}
	}
	return nil
}

func (l *Log) rule(id string) int {
	return slices.IndexFunc(l.Rules, func(r Rule) bool { return r.ID == id })
}

// The parts of a log as JSON.
type (
	text struct {
		Text string `json:"text"`
	}
	ruleOut struct {
		ID    string `json:"id"`
		About text   `json:"shortDescription"`
		Level struct {
			Level string `json:"level"`
		} `json:"defaultConfiguration"`
	}
	location struct {
		Physical struct {
			Artifact struct {
				URI string `json:"uri"`
			} `json:"artifactLocation"`
			Region map[string]int `json:"region,omitempty"`
		} `json:"physicalLocation"`
	}
	resultOut struct {
		Rule      string     `json:"ruleId"`
		Index     int        `json:"ruleIndex"`
		Level     string     `json:"level"`
		Message   text       `json:"message"`
		Locations []location `json:"locations,omitempty"`
	}
	driver struct {
		Name    string    `json:"name"`
		Version string    `json:"version,omitempty"`
		Rules   []ruleOut `json:"rules"`
	}
	run struct {
		Tool struct {
			Driver driver `json:"driver"`
		} `json:"tool"`
		Columns string      `json:"columnKind"`
		Results []resultOut `json:"results"`
	}
	logOut struct {
		Schema  string `json:"$schema"`
		Version string `json:"version"`
		Runs    []run  `json:"runs"`
	}
)

// Encode returns the log as JSON with a final newline, or what is wrong with it.
func (l *Log) Encode(length func(path string) (int, bool)) ([]byte, error) {
	if err := l.Check(length); err != nil {
		return nil, err
	}
	r := run{Columns: "unicodeCodePoints", Results: []resultOut{}}
	r.Tool.Driver = driver{Name: l.Program, Version: l.Version, Rules: []ruleOut{}}
	for _, rule := range l.Rules {
		out := ruleOut{ID: rule.ID, About: text{rule.About}}
		out.Level.Level = rule.Level
		r.Tool.Driver.Rules = append(r.Tool.Driver.Rules, out)
	}
	for _, result := range l.Results {
		i := l.rule(result.Rule)
		out := resultOut{Rule: result.Rule, Index: i, Level: l.Rules[i].Level, Message: text{result.Message}}
		if result.Path != "" {
			var at location
			at.Physical.Artifact.URI = (&url.URL{Path: result.Path}).EscapedPath()
			if result.Start > 0 {
				at.Physical.Region = map[string]int{"startLine": result.Start, "endLine": result.End}
			}
			out.Locations = []location{at}
		}
		r.Results = append(r.Results, out)
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	err := enc.Encode(logOut{schema, version, []run{r}})
	return out.Bytes(), err
}
