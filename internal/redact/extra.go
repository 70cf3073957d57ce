package redact

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
)

// Options are rules beside the built-in ones, for what a project does not want to store.
type Options struct {
	Personal []string // kinds of personal data, of PersonalKinds
	Custom   []Custom
}

// Custom is a rule of a project: all matches of an expression in the syntax of Go (RE2), or of its first
// group if it has one.
type Custom struct{ Name, Expr string }

// extraRule finds what its name says.
type extraRule struct {
	name, expr string
	find       func(s string) []Span
}

// Limits of custom rules, so that a file of settings cannot make hooks slow.
const (
	MaxCustom     = 100
	maxCustomExpr = 1000
	maxProgram    = 2000 // instructions of a compiled expression
)

// Use adds rules to those of the package's functions, for the rest of the process. It adds a rule once, and
// all valid ones; the error names the others, each with what is wrong.
func Use(o Options) error { return std.use(o) }

func (e *engine) use(o Options) error {
	var problems []error
	var rules []extraRule
	for _, kind := range o.Personal {
		if r, ok := personalRule(kind); ok {
			rules = append(rules, r)
		} else {
			problems = append(problems, fmt.Errorf("there is no kind %q of personal data; there are %s", kind, strings.Join(PersonalKinds(), ", ")))
		}
	}
	for i, c := range o.Custom {
		if i == MaxCustom {
			problems = append(problems, fmt.Errorf("only the first %d of %d custom rules are used", MaxCustom, len(o.Custom)))
			break
		}
		r, err := customRule(c)
		if err != nil {
			problems = append(problems, fmt.Errorf("the custom rule %q is not used: %w", c.Name, err))
			continue
		}
		rules = append(rules, r)
	}
	for {
		old := e.extra.Load()
		var all []extraRule
		if old != nil {
			all = slices.Clone(*old)
		}
		for _, r := range rules {
			if !slices.ContainsFunc(all, func(h extraRule) bool { return h.name == r.name && h.expr == r.expr }) {
				all = append(all, r)
			}
		}
		if len(all) == 0 || e.extra.CompareAndSwap(old, &all) {
			return errors.Join(problems...)
		}
	}
}

// plainSentence is a text that a rule must not take.
const plainSentence = "This is a line of text about a function in a file, with a number 42 and a name_of_it."

// CheckCustom says why a custom rule cannot be used; nil if it can.
func CheckCustom(c Custom) error {
	_, err := customRule(c)
	return err
}

func customRule(c Custom) (extraRule, error) {
	if len(c.Expr) > maxCustomExpr {
		return extraRule{}, fmt.Errorf("its expression has more than %d bytes", maxCustomExpr)
	}
	parsed, err := syntax.Parse(c.Expr, syntax.Perl)
	if err != nil {
		return extraRule{}, fmt.Errorf("its expression is no RE2: %w", err)
	}
	prog, err := syntax.Compile(parsed.Simplify())
	if err != nil {
		return extraRule{}, fmt.Errorf("its expression is no RE2: %w", err)
	}
	if len(prog.Inst) > maxProgram {
		return extraRule{}, errors.New("its expression is too large; repeat less")
	}
	re, err := regexp.Compile(c.Expr)
	if err != nil {
		return extraRule{}, fmt.Errorf("its expression is no RE2: %w", err)
	}
	if re.MatchString("") {
		return extraRule{}, errors.New("its expression matches the empty text")
	}
	r := extraRule{c.Name, c.Expr, func(s string) []Span { return matches(re, s) }}
	taken := 0
	for _, sp := range r.find(plainSentence) {
		taken += sp.End - sp.Start
	}
	if 2*taken > len(plainSentence) {
		return extraRule{}, errors.New("its expression would take most of any text")
	}
	return r, nil
}

// matches returns what the expression, or its first group, matches in s. It leaves what is redacted already.
func matches(re *regexp.Regexp, s string) (spans []Span) {
	for _, m := range re.FindAllStringSubmatchIndex(s, -1) {
		start, end := m[0], m[1]
		if len(m) > 2 && m[2] >= 0 {
			start, end = m[2], m[3]
		}
		if start < end && !strings.Contains(s[start:end], Token) && !partOfToken(s, start, end) {
			spans = append(spans, Span{start, end})
		}
	}
	return spans
}

// partOfToken reports whether s[start:end] overlaps a token.
func partOfToken(s string, start, end int) bool {
	from := max(0, start-len(Token)+1)
	return strings.Contains(s[from:min(len(s), end+len(Token)-1)], Token)
}

// extraSpans appends what the project's own rules find.
func (e *engine) extraSpans(s string, spans []Span) []Span {
	rules := e.extra.Load()
	if rules == nil {
		return spans
	}
	for i := range *rules {
		r := &(*rules)[i]
		found := r.find(s)
		e.note(r.name, s, found)
		spans = append(spans, found...)
	}
	return spans
}
