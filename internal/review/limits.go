package review

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Check is a limit and the share that was measured.
type Check struct {
	Limit string  `json:"limit"` // as in "max-agent"
	Than  float64 `json:"percentage"`
	Found float64 `json:"found"`
	OK    bool    `json:"ok"`
}

// Limit bounds a class's share of the added lines, in percent.
type Limit struct {
	Name string // max-agent, min-agent, max-human, …
	Than float64
}

// LimitNames returns the names of all limits.
func LimitNames() []string {
	return []string{"max-agent", "max-human", "max-unknown", "min-agent", "min-human", "min-unknown"}
}

// ParseLimits parses limits such as "max-agent=80,max-unknown=5".
func ParseLimits(text string) ([]Limit, error) {
	var out []Limit
	for part := range strings.SplitSeq(text, ",") {
		name, value, found := strings.Cut(strings.TrimSpace(part), "=")
		name = strings.TrimSpace(name)
		if !slices.Contains(LimitNames(), name) {
			return nil, fmt.Errorf("no such limit: %q is none of %s", name, strings.Join(LimitNames(), ", "))
		}
		than, err := strconv.ParseFloat(strings.TrimSuffix(strings.TrimSpace(value), "%"), 64)
		if !found || err != nil || math.IsNaN(than) || than < 0 || than > 100 {
			return nil, fmt.Errorf("not a limit: %q wants a percentage from 0 to 100, as in %s=80", name, name)
		}
		if slices.ContainsFunc(out, func(l Limit) bool { return l.Name == name }) {
			return nil, fmt.Errorf("limit %s is given twice", name)
		}
		out = append(out, Limit{name, than})
	}
	return out, nil
}

// ApplyLimits records in d.Checks whether the document keeps each limit, and reports whether it keeps all. A
// change that adds no lines keeps every limit.
func (d *Document) ApplyLimits(limits []Limit) bool {
	d.Checks = nil
	all := true
	for _, l := range limits {
		c := d.applyLimit(l)
		all = all && c.OK
		d.Checks = append(d.Checks, c)
	}
	return all
}

func (d *Document) applyLimit(l Limit) Check {
	t := d.Totals.Added
	kind, class, _ := strings.Cut(l.Name, "-")
	n := map[string]int{Agent: t.Agent, Human: t.Human, Unknown: t.Unknown}[class]
	c := Check{Limit: l.Name, Than: l.Than, Found: rounded(t.Share(n)), OK: true}
	exact := t.Share(n)
	switch {
	case t.Written() == 0:
	case kind == "max":
		c.OK = exact <= l.Than
	default:
		c.OK = exact >= l.Than
	}
	return c
}
