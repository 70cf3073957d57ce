package pages

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"entire/internal/cli/cliui"
	"entire/internal/cli/sessionlib"
	"entire/internal/cli/usagelib"
	"entire/internal/usage"
)

// usageShown is how many rows the page shows; its JSON has all.
const usageShown = 200

// A usagePage is what the sessions used.
type usagePage struct {
	*usagelib.Report
	Waiting string     `json:"waiting,omitempty"` // how far the reading has come
	Since   string     `json:"-"`
	Ways    []string   `json:"-"` // to group
	Shown   []usageRow `json:"-"`
	Sums    []usageSum `json:"-"`
	Problem string     `json:"-"` // what is wrong with the request
}

// A usageRow is a row for the page. Kept and Gone are the parts of its bar, in percent of the longest.
type usageRow struct {
	usage.Row
	Name, Link, Tokens, Cost string
	Kept, Gone               float64
}

// A usageSum is a sum in words.
type usageSum struct{ What, Words string }

// usage shows what the sessions used and cost.
func (p *Pages) usage(ctx context.Context, r *http.Request) (*answer, error) {
	page := usagePage{Since: strings.TrimSpace(r.FormValue("since")), Ways: usagelib.Dimensions()}
	a := &answer{template: "usage", title: "Usage", section: "usage", body: &page}
	o := usagelib.Options{By: r.FormValue("by")}
	var err error
	if o.Since, err = cliui.Moment(page.Since, p.env.Now(), false); err != nil {
		page.Problem = err.Error()
		return a, nil
	}
	_, done, err := p.using.run(ctx, &p.works, func(ctx context.Context, tell func(string)) (struct{}, error) {
		_, err := p.used(ctx, usagelib.Options{Progress: func(done, all int) { tell(fmt.Sprintf("%d of %d sessions.", done, all)) }})
		return struct{}{}, err
	})
	if err == nil && done { // everything was read, and is kept
		page.Report, err = p.used(ctx, o)
	}
	switch {
	case cliui.HintOf(err) != "":
		page.Problem = err.Error() + ": " + cliui.HintOf(err)
	case err != nil:
		return nil, err
	case !done:
		page.Waiting, a.refresh = "What was said is being read, which happens once. "+p.using.progress(), true
	default:
		page.fill(p)
	}
	return a, nil
}

func (p *Pages) used(ctx context.Context, o usagelib.Options) (report *usagelib.Report, err error) {
	err = sessionlib.WithLibrary(ctx, p.env, func(l *sessionlib.Library) error {
		report, err = usagelib.Read(ctx, l, o)
		return err
	})
	return report, err
}

// fill puts the report into words.
func (v *usagePage) fill(p *Pages) {
	rows := v.Rows
	if n := len(rows) - usageShown; n > 0 && v.By == "day" {
		rows = rows[n:]
	}
	rows = rows[:min(len(rows), usageShown)]
	most := 0.0
	for _, r := range rows {
		most = max(most, v.Size(r.Sum))
	}
	for _, r := range rows {
		one := usageRow{Row: r, Name: usagelib.ShortKey(v.By, r), Tokens: usagelib.ShortTokens(r.Total), Cost: usagelib.Cost(r.Sum)}
		if most > 0 {
			one.Gone = v.Size(r.ThrownAway) / most * 100
			one.Kept = v.Size(r.Sum)/most*100 - one.Gone
		}
		switch {
		case strings.HasPrefix(r.Key, "("):
		case v.By == "session":
			one.Link = p.o.Links.Session(r.Key)
		case v.By == "commit":
			one.Link = p.o.Links.Point(r.Key)
		}
		v.Shown = append(v.Shown, one)
	}
	add := func(what string, s usage.Sum) {
		if s.Answers > 0 {
			v.Sums = append(v.Sums, usageSum{what, usagelib.SumWords(s)})
		}
	}
	add("All", v.Report.Total)
	for _, f := range v.Fates {
		add(usagelib.FateWords(f.Fate), f.Sum)
	}
	add("Thrown away", v.ThrownAway)
	add("By subagents", v.Subagents)
}
