package policy

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"entire/internal/pattern"
	"entire/internal/review"
	"entire/internal/strictjson"
)

// Policy is the rules of a project.
type Policy struct {
	Rules    []Rule
	Trailers []Trailer
}

// Rule is about the lines of files: limits of shares, and whether agents' lines need a review.
type Rule struct {
	Paths      []string // patterns; none: every file
	Limits     []review.Limit
	NeedReview bool
}

// Trailer is about the messages of commits. Either Require or Forbid names the trailer.
type Trailer struct {
	Require, Forbid string
	Match           string   // a required trailer's value has this form; "" for any
	ByAuthor        bool     // a required trailer names the commit's author
	OnlyAgents      bool     // only commits with agents' lines
	Paths           []string // only commits with lines in these files; none: every commit
}

// file is the policy as JSON.
type file struct {
	Version  *int                         `json:"version"`
	Rules    []map[string]json.RawMessage `json:"rules"`
	Trailers []struct {
		Require  string   `json:"require"`
		Forbid   string   `json:"forbid"`
		Match    string   `json:"match"`
		ByAuthor bool     `json:"by_author"`
		When     string   `json:"when"`
		Paths    []string `json:"paths"`
	} `json:"trailers"`
}

// Parse reads a policy file. It refuses what it does not know, so that no rule is silently not kept.
func Parse(data []byte) (*Policy, error) {
	var f file
	if err := strictjson.Decode(data, &f); err != nil {
		return nil, fmt.Errorf("not a policy: %w", err)
	}
	if f.Version == nil || *f.Version != 1 {
		return nil, errors.New(`not a policy: "version" is not 1`)
	}
	p := &Policy{}
	for i, members := range f.Rules {
		r, err := parseRule(members)
		if err != nil {
			return nil, fmt.Errorf("rules[%d]: %w", i, err)
		}
		p.Rules = append(p.Rules, r)
	}
	for i, t := range f.Trailers {
		out := Trailer{t.Require, t.Forbid, t.Match, t.ByAuthor, t.When == "agent", t.Paths}
		name := t.Require + t.Forbid
		switch {
		case (t.Require == "") == (t.Forbid == ""):
			return nil, fmt.Errorf(`trailers[%d]: it needs either "require" or "forbid"`, i)
		case strings.ContainsAny(name, ": \t\n"):
			return nil, fmt.Errorf("trailers[%d]: %.60q is no name of a trailer", i, name)
		case t.Forbid != "" && t.ByAuthor:
			return nil, fmt.Errorf(`trailers[%d]: "by_author" is for "require"`, i)
		case !slices.Contains([]string{"", "always", "agent"}, t.When):
			return nil, fmt.Errorf(`trailers[%d].when: %.40q is neither "always" nor "agent"`, i, t.When)
		}
		if err := pattern.Check(t.Paths); err != nil {
			return nil, fmt.Errorf("trailers[%d]: %w", i, err)
		}
		p.Trailers = append(p.Trailers, out)
	}
	if len(p.Rules)+len(p.Trailers) == 0 {
		return nil, errors.New(`not a policy: it has neither "rules" nor "trailers"`)
	}
	return p, nil
}

func parseRule(members map[string]json.RawMessage) (r Rule, err error) {
	var limits []string
	for name, value := range members {
		switch {
		case name == "paths":
			err = json.Unmarshal(value, &r.Paths)
		case name == "need-review":
			err = json.Unmarshal(value, &r.NeedReview)
		case slices.Contains(review.LimitNames(), name):
			limits = append(limits, name+"="+string(value))
		default:
			err = errors.New("it is not known")
		}
		if err != nil {
			return r, fmt.Errorf("%.60q: %w", name, err)
		}
	}
	if err := pattern.Check(r.Paths); err != nil {
		return r, err
	}
	if len(limits) == 0 {
		if !r.NeedReview {
			err = errors.New("it has no limit and needs no review")
		}
		return r, err
	}
	slices.Sort(limits)
	r.Limits, err = review.ParseLimits(strings.Join(limits, ","))
	return r, err
}
