package config

import (
	"fmt"

	"github.com/tidwall/gjson"

	"entire/internal/pattern"
)

// Members of a rule in the trailers option in the settings files.
const (
	trailersPaths  = "paths"
	trailersAgents = "agents"
)

// Limits of the trailers option.
const (
	maxTrailerRules = 100
	maxTrailerPaths = 100
)

// trailerForms are the forms in which commits name agents.
var trailerForms = []string{"assisted-by", "co-authored-by", "none"}

// TrailerRule says in which form commits name the agents whose work they hold.
type TrailerRule struct {
	Paths []string // patterns of paths; none: every path
	Form  string   // assisted-by, co-authored-by or none
}

// Trailers returns the rules of the trailers option, none if the option is invalid. The last rule that means a path
// decides.
func (s Settings) Trailers() (rules []TrailerRule) {
	raw := s.StrategyOptions[optionTrailers]
	if raw == nil {
		return nil
	}
	option := gjson.ParseBytes(raw)
	if wrongTrailers(option) != "" {
		return nil
	}
	for _, r := range option.Array() {
		rule := TrailerRule{Form: r.Get(trailersAgents).Str}
		for _, p := range r.Get(trailersPaths).Array() {
			rule.Paths = append(rule.Paths, p.Str)
		}
		rules = append(rules, rule)
	}
	return rules
}

// wrongTrailers returns what the trailers option must be, or "" if v is valid.
func wrongTrailers(v gjson.Result) string {
	want := fmt.Sprintf(`a list of at most %d rules such as {"agents": "assisted-by", "paths": ["src/**"]}; agents is assisted-by, co-authored-by or none`, maxTrailerRules)
	if !v.IsArray() || len(v.Array()) > maxTrailerRules {
		return want
	}
	for _, r := range v.Array() {
		if !r.IsObject() || !validTrailerRule(r) {
			return want
		}
	}
	return ""
}

func validTrailerRule(r gjson.Result) bool {
	known := false
	for _, m := range members(r.Raw) {
		value := gjson.Parse(m.raw(r.Raw))
		switch m.key {
		case trailersAgents:
			for _, form := range trailerForms {
				known = known || value.Type == gjson.String && value.Str == form
			}
		case trailersPaths:
			if !value.IsArray() || len(value.Array()) > maxTrailerPaths {
				return false
			}
			for _, p := range value.Array() {
				if p.Type != gjson.String || pattern.Check([]string{p.Str}) != nil {
					return false
				}
			}
		default:
			return false
		}
	}
	return known
}
