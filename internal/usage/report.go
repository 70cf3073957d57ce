package usage

import (
	"cmp"
	"slices"
)

// A Fate says what became of the work that an answer belongs to.
type Fate string

// The fates.
const (
	Committed   Fate = "committed"   // it is in a commit of a branch
	Open        Fate = "open"        // its session goes on, or its work is not committed yet
	Rewound     Fate = "rewound"     // the conversation or the files were taken back to before it
	Uncommitted Fate = "uncommitted" // its session is over, and committed nothing after it
	Dropped     Fate = "dropped"     // its commit is on no branch any more
	Unrecorded  Fate = "unrecorded"  // its session was imported, or is of a folder outside git: nothing says what was committed
	Elsewhere   Fate = "elsewhere"   // another project's, whose commits are not read
)

// Fates are all fates in the order of a report.
func Fates() []Fate {
	return []Fate{Committed, Open, Rewound, Uncommitted, Dropped, Unrecorded, Elsewhere}
}

// ThrownAway reports whether nothing is left of the work.
func (f Fate) ThrownAway() bool { return f == Rewound || f == Uncommitted || f == Dropped }

// A Counted is an answer with what it counts for.
type Counted struct {
	Answer
	Session string
	Fate    Fate
	Keys    []Key // what a report groups by; the tokens are shared equally among several
}

// A Key names a row of a report.
type Key struct {
	Name  string // sorts and identifies
	Title string // for people, "" for the name
}

// A Sum adds up answers.
type Sum struct {
	Answers  int     `json:"answers"`
	Tokens   Tokens  `json:"tokens"`
	Total    int64   `json:"total_tokens"`
	Cost     float64 `json:"cost_usd"`
	Unpriced int64   `json:"unpriced_tokens,omitempty"` // of models without a price; the cost is without them
}

func (s *Sum) add(t Tokens, cost float64, priced bool) {
	s.Answers++
	s.Tokens = s.Tokens.Add(t)
	s.Total += t.Total()
	s.Cost += cost
	if !priced {
		s.Unpriced += t.Total()
	}
}

// A Row is one row of a report.
type Row struct {
	Key   string `json:"key"`
	Title string `json:"title,omitempty"`
	Sum
	ThrownAway Sum      `json:"thrown_away"`
	Models     []string `json:"models"`
}

// A FateSum is what a report has of one fate.
type FateSum struct {
	Fate Fate `json:"fate"`
	Sum
}

// A Report groups answers. An answer that counts for several rows is shared among their tokens, and is an
// answer of each.
type Report struct {
	Rows       []Row     `json:"rows"`
	Total      Sum       `json:"total"`
	Subagents  Sum       `json:"subagents"` // the part of the total that subagents used
	ThrownAway Sum       `json:"thrown_away"`
	Fates      []FateSum `json:"fates"`           // those that there are
	Unpriced   []string  `json:"unpriced_models"` // models without a price
}

// NewReport returns the report of answers. With byName, rows are in the order of their keys, else the most expensive
// first.
func NewReport(answers []Counted, prices Prices, byName bool) Report {
	r := Report{Rows: []Row{}, Fates: []FateSum{}, Unpriced: []string{}}
	rows, fates := map[string]*Row{}, map[Fate]*Sum{}
	known := map[string]*Price{}
	for _, a := range answers {
		p, seen := known[a.Model]
		if !seen {
			if price, ok := prices.Of(a.Model); ok {
				p = &price
			} else {
				r.Unpriced = append(r.Unpriced, ModelName(a.Model))
			}
			known[a.Model] = p
		}
		r.count(a, p, rows, fates)
	}
	slices.Sort(r.Unpriced)
	for _, f := range Fates() {
		if s := fates[f]; s != nil {
			r.Fates = append(r.Fates, FateSum{f, *s})
		}
	}
	for _, row := range rows {
		slices.Sort(row.Models)
		r.Rows = append(r.Rows, *row)
	}
	slices.SortFunc(r.Rows, func(a, b Row) int {
		if byName {
			return cmp.Compare(a.Key, b.Key)
		}
		return cmp.Or(cmp.Compare(b.Cost, a.Cost), cmp.Compare(b.Total, a.Total), cmp.Compare(a.Key, b.Key))
	})
	return r
}

// ModelName returns what a report calls a model.
func ModelName(model string) string { return cmp.Or(model, "unknown") }

func (r *Report) count(a Counted, p *Price, rows map[string]*Row, fates map[Fate]*Sum) {
	cost := 0.0
	if p != nil {
		cost = p.Cost(a.Tokens)
	}
	r.Total.add(a.Tokens, cost, p != nil)
	if a.Sub {
		r.Subagents.add(a.Tokens, cost, p != nil)
	}
	if a.Fate.ThrownAway() {
		r.ThrownAway.add(a.Tokens, cost, p != nil)
	}
	if fates[a.Fate] == nil {
		fates[a.Fate] = &Sum{}
	}
	fates[a.Fate].add(a.Tokens, cost, p != nil)
	n := int64(len(a.Keys))
	for i, k := range a.Keys {
		row := rows[k.Name]
		if row == nil {
			row = &Row{Key: k.Name, Title: k.Title, Models: []string{}}
			rows[k.Name] = row
		}
		t := a.Tokens.part(int64(i), n)
		row.add(t, cost/float64(n), p != nil)
		if a.Fate.ThrownAway() {
			row.ThrownAway.add(t, cost/float64(n), p != nil)
		}
		if m := ModelName(a.Model); !slices.Contains(row.Models, m) {
			row.Models = append(row.Models, m)
		}
	}
}

// Distinct returns the answers of several sessions, each once, and how many it left out because an earlier
// session has them. Of the reports of one answer it keeps the one with the most output.
func Distinct(sessions [][]Counted) (out []Counted, repeated int) {
	at := map[uint64]int{}
	for _, answers := range sessions {
		for _, a := range answers {
			i, have := at[a.Key]
			if !have {
				at[a.Key] = len(out)
				out = append(out, a)
				continue
			}
			repeated++
			if a.Tokens.Output > out[i].Tokens.Output {
				out[i].Tokens = a.Tokens
			}
			if out[i].Fate != Committed && a.Fate == Committed { // the work went on in the other session
				kept := out[i].Tokens
				out[i] = a
				out[i].Tokens = kept
			}
		}
	}
	return out, repeated
}
