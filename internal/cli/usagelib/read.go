package usagelib

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"time"

	"entire/internal/cli/cliui"
	"entire/internal/cli/sessionlib"
	"entire/internal/durable"
	"entire/internal/usage"
)

const (
	pricesName = "prices.json" // the file of a repository that replaces prices
	pricesMax  = 8 << 20
)

// Read counts what the sessions used.
func Read(ctx context.Context, l *sessionlib.Library, o Options) (*Report, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	prices, note, err := readPrices(l, o.Prices)
	if err != nil {
		return nil, err
	}
	all, p, err := sessionsOf(ctx, l, o.All)
	if err != nil {
		return nil, err
	}
	if o.By == byPull {
		if err := p.readPulls(ctx, l.Wp); err != nil {
			return nil, fmt.Errorf("read which pull requests were merged: %w", err)
		}
	}
	r := &Report{By: o.By, Prices: note, Problems: []string{}, Since: timeOrNil(o.Since), Until: timeOrNil(o.Until)}
	k := newKeeper(l)
	counted, err := countAll(ctx, k, all, p, o, r)
	if err != nil {
		return nil, err
	}
	if o.Progress != nil {
		o.Progress(len(all), len(all))
	}
	k.prune(all)
	answers, repeated := usage.Distinct(counted)
	answers = slices.DeleteFunc(answers, func(a usage.Counted) bool { return !o.counts(a) })
	r.Repeated = repeated
	seen := map[string]bool{}
	for _, a := range answers {
		seen[a.Session] = true
	}
	r.Sessions = len(seen)
	r.Report = usage.NewReport(answers, prices, o.By == "day")
	return r, nil
}

// countAll counts what each session used. It notes in r which could not be read.
func countAll(ctx context.Context, k keeper, all []sessionlib.ListedSession, p *past, o Options, r *Report) (counted [][]usage.Counted, err error) {
	err = k.l.Hold(func() error {
		for i, s := range all {
			if err := ctx.Err(); err != nil {
				return err
			}
			if o.Progress != nil {
				o.Progress(i, len(all))
			}
			log, err := k.read(ctx, s)
			if err != nil {
				r.Problems = append(r.Problems, fmt.Sprintf("session %s: %v", s.ID, err))
				continue
			}
			counted = append(counted, o.count(s, log, p, s.Project == "" || s.Project == k.l.Ident.Key))
		}
		return nil
	})
	return counted, err
}

// sessionsOf returns the sessions, the first begun first, and what became of those of this repository.
func sessionsOf(ctx context.Context, l *sessionlib.Library, wide bool) ([]sessionlib.ListedSession, *past, error) {
	all, err := l.Here(ctx)
	if err != nil {
		return nil, nil, err
	}
	p, err := readPast(ctx, l.Wp)
	if err != nil {
		return nil, nil, err
	}
	if wide {
		more, err := l.Elsewhere(ctx)
		if err != nil {
			return nil, nil, err
		}
		all = append(all, more...)
	}
	slices.SortFunc(all, func(a, b sessionlib.ListedSession) int {
		return cmp.Or(a.Started.Compare(b.Started), cmp.Compare(a.ID, b.ID))
	})
	return all, p, nil
}

func (o *Options) count(s sessionlib.ListedSession, l *usage.Log, p *past, here bool) []usage.Counted {
	out := make([]usage.Counted, 0, len(l.Answers))
	for _, a := range l.Answers {
		fate, took := p.judge(s, l, a, here)
		out = append(out, usage.Counted{Answer: a, Session: s.ID, Fate: fate, Keys: o.keys(s, a, p, fate, took)})
	}
	return out
}

// keys returns the rows that an answer counts for.
func (o *Options) keys(s sessionlib.ListedSession, a usage.Answer, p *past, fate usage.Fate, took part) []usage.Key {
	none := usage.Key{Name: "(" + string(fate) + ")"}
	c, named := p.commits[took.checkpoint]
	named = named && fate == usage.Committed
	switch o.By {
	case "session":
		return []usage.Key{{Name: s.ID, Title: s.Title}}
	case "commit":
		if named {
			return []usage.Key{{Name: c.ID, Title: c.Subject}}
		}
	case "author":
		if named {
			return []usage.Key{{Name: c.Author}}
		}
	case "branch":
		branch := took.branch
		if branch == "" && len(s.Branches) > 0 {
			branch = s.Branches[len(s.Branches)-1]
		}
		none = usage.Key{Name: cmp.Or(branch, "(unknown)")}
	case byPull:
		if fate == usage.Elsewhere || fate == usage.Unrecorded {
			return []usage.Key{none}
		}
		return []usage.Key{p.pullKey(s, fate, took)}
	case "agent":
		none = usage.Key{Name: cmp.Or(string(s.Agent), "(unknown)")}
	case "model":
		none = usage.Key{Name: usage.ModelName(a.Model)}
	case "file":
		if fate == usage.Committed && len(took.files) > 0 {
			return filesOf(took.files)
		}
	default:
		if a.When != 0 {
			return []usage.Key{{Name: a.Time().Local().Format(time.DateOnly)}}
		}
		none = usage.Key{Name: "(unknown)"}
	}
	return []usage.Key{none}
}

// filesOf returns a row for each file, each once.
func filesOf(files []string) []usage.Key {
	files = slices.Clone(files)
	slices.Sort(files)
	var out []usage.Key
	for _, f := range slices.Compact(files) {
		out = append(out, usage.Key{Name: f})
	}
	return out
}

func timeOrNil(at time.Time) *time.Time {
	if at.IsZero() {
		return nil
	}
	return &at
}

// readPrices reads the table of this version, over it the file .entire/prices.json of the worktree, and over
// both the file that the caller names.
func readPrices(l *sessionlib.Library, file string) (usage.Prices, PriceNote, error) {
	prices, err := usage.Builtin()
	if err != nil {
		return prices, PriceNote{}, err
	}
	note := PriceNote{Files: []string{}}
	var files []string
	open := durable.ReadPlain // of a worktree, whoever wrote the file
	if l.Wp != nil && l.Wp.Repo.Top != "" {
		files = append(files, filepath.Join(l.Wp.Repo.Top, ".entire", pricesName))
	}
	if file != "" {
		files = append(files, l.Abs(file))
	}
	for i, name := range files {
		named := file != "" && i == len(files)-1
		if named {
			open = durable.Read
		}
		data, err := open(name, pricesMax)
		if errors.Is(err, fs.ErrNotExist) && !named {
			continue
		}
		if err != nil {
			return prices, note, cliui.Failf("docs/usage.md shows such a file", "read the prices: %w", err)
		}
		own, err := usage.ParsePrices(data)
		if err != nil {
			return prices, note, cliui.Failf("docs/usage.md shows such a file", "%s: %w", name, err)
		}
		prices = own.Over(prices)
		note.Files = append(note.Files, name)
	}
	note.Date, note.Sources, note.Stale = prices.Date, prices.Sources, prices.Stale(l.Env.Now())
	return prices, note, nil
}
