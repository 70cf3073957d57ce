package api

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"entire/internal/hub/access"
	"entire/internal/hub/index"
	"entire/internal/hub/rows"
	"entire/internal/usage"
)

// Attribution says who wrote the lines.
func (s *Service) Attribution(ctx context.Context, p access.Principal, q url.Values) (out Attribution, err error) {
	v, err := parameters(q, "by", "repository", "path", "team", "author", "agent", "since", "until")
	if err != nil {
		return out, err
	}
	if out.By = cmp.Or(v["by"], "path"); !slices.Contains(index.LineWays(), out.By) {
		return out, problem(http.StatusBadRequest, "by is one of "+strings.Join(index.LineWays(), ", "), "lines cannot be grouped by %.40q", out.By)
	}
	scope, err := s.scope(p, v["repository"])
	if err != nil {
		return out, err
	}
	f := index.Filter{Path: v["path"], Team: v["team"], Author: v["author"], Agent: v["agent"]}
	if f.Months, err = periods(v, false); err != nil {
		return out, err
	}
	if byFile := out.By != "author" && out.By != "agent"; byFile && f.Author+f.Agent != "" || !byFile && f.Path != "" {
		return out, problem(http.StatusBadRequest, "path goes with path, team, repository and month; author and agent with author and agent", "the parameters do not fit by=%s", out.By)
	}
	out.Groups = []Share{}
	var total index.Share
	err = s.Index.Read(ctx, scope, func(v *index.View) error {
		list, err := v.Attribution(out.By, f)
		for _, g := range list {
			out.Groups = append(out.Groups, shareOf(g))
			total.Count += g.Count
			total.AgentLines += g.AgentLines
			total.PersonLines += g.PersonLines
			total.UnknownLines += g.UnknownLines
		}
		return err
	})
	out.Total = shareOf(total)
	return out, err
}

// Usage says what tokens were used, and what they cost.
func (s *Service) Usage(ctx context.Context, p access.Principal, q url.Values) (out Usage, err error) {
	v, err := parameters(q, "by", "repository", "author", "agent", "team", "since", "until")
	if err != nil {
		return out, err
	}
	if out.By = cmp.Or(v["by"], "month"); !slices.Contains(index.UsageWays(), out.By) {
		return out, problem(http.StatusBadRequest, "by is one of "+strings.Join(index.UsageWays(), ", "), "tokens cannot be grouped by %.40q", out.By)
	}
	if out.By == "day" && v["author"]+v["team"] != "" {
		return out, problem(http.StatusBadRequest, "use by=month", "days are not counted by author or team")
	}
	scope, err := s.scope(p, v["repository"])
	if err != nil {
		return out, err
	}
	f := index.Filter{Author: v["author"], Agent: v["agent"], Team: v["team"]}
	if f.Months, err = periods(v, false); err == nil {
		f.Days, err = periods(v, true)
	}
	if err != nil {
		return out, err
	}
	out.PricesOf = s.Prices.Date
	err = s.Index.Read(ctx, scope, func(v *index.View) error {
		list, err := v.Usage(out.By, f)
		out.Groups, out.Total = s.priced(list)
		return err
	})
	return out, err
}

// priced adds up the models of each group.
func (s *Service) priced(list []index.Used) (groups []Used, total Used) {
	groups = []Used{}
	for _, u := range list {
		if n := len(groups); n == 0 || groups[n-1].Name != u.Name {
			groups = append(groups, Used{Name: u.Name})
		}
		one := Used{Sessions: u.Sessions, Tokens: tokensOf(u.Tokens)}
		price, ok := s.Prices.Of(u.Model)
		if one.Unpriced = !ok && u.Tokens != (rows.Tokens{}); ok {
			one.Dollars = price.Cost(usage.Tokens{Input: u.Input, CacheRead: u.CacheRead, CacheWrite: u.CacheWrite, Output: u.Output})
		}
		groups[len(groups)-1].add(one)
		total.add(one)
	}
	for i := range groups {
		groups[i].Dollars = rounded(groups[i].Dollars, 100)
	}
	total.Dollars = rounded(total.Dollars, 100)
	return groups, total
}

func (u *Used) add(o Used) {
	u.Sessions += o.Sessions
	u.Dollars += o.Dollars
	u.Unpriced = u.Unpriced || o.Unpriced
	t, n := &u.Tokens, o.Tokens
	*t = Tokens{t.Input + n.Input, t.CacheRead + n.CacheRead, t.CacheWrite + n.CacheWrite, t.Output + n.Output, t.Answers + n.Answers}
}

// Audit says what is stated and signed.
func (s *Service) Audit(ctx context.Context, p access.Principal, q url.Values) (out AuditReport, err error) {
	v, err := parameters(q, "repository")
	if err != nil {
		return out, err
	}
	scope, err := s.scope(p, v["repository"])
	if err != nil {
		return out, err
	}
	out.Repositories = []Audit{}
	err = s.Index.Read(ctx, scope, func(view *index.View) error {
		list, err := view.Repositories()
		for _, r := range list {
			out.Repositories = append(out.Repositories, Audit{r.Name, r.Checkpoints, r.Stated, r.Signed, r.Forgotten})
		}
		if err != nil || v["repository"] == "" || len(scope) != 1 {
			return err
		}
		return out.details(view, v["repository"], scope[0])
	})
	return out, err
}

func (out *AuditReport) details(v *index.View, name string, repo int64) error {
	chains, err := v.Chains(repo)
	if err != nil {
		return err
	}
	for _, c := range chains {
		out.Chains = append(out.Chains, Chain{name, c.Clone, c.Statements, c.Signed, c.First, c.Last, timeOf(c.LastAt), c.Absent, c.Broken})
	}
	gone, err := v.Forgotten(repo)
	for _, f := range gone {
		out.Forgotten = append(out.Forgotten, Forgotten{name, f.Checkpoint, timeOf(f.At), f.Reason})
	}
	return err
}
