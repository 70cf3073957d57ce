package auditcmd

import (
	"context"
	"encoding/csv"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"entire/checkpoint/audit"
	"entire/checkpoint/statement"
	"entire/internal/cli/cliui"
)

// row is one commit of an export.
type row struct {
	Commit      string          `json:"commit"`
	Time        string          `json:"time"`
	Author      string          `json:"author"`
	Mail        string          `json:"mail"`
	Subject     string          `json:"subject"`
	State       audit.State     `json:"state"`
	Checkpoints []string        `json:"checkpoints"`
	Agents      []string        `json:"agents"`
	Models      []string        `json:"models"`
	Sessions    []string        `json:"sessions"`
	Lines       statement.Lines `json:"lines"`
	Accountable []string        `json:"accountable"`
	Signers     []string        `json:"signers"`

	Permissions statement.Permissions `json:"permissions"` // of all sessions together
}

func rowOf(c *audit.Commit) row {
	r := row{Commit: c.OID.String(), Time: c.Time.Format(time.RFC3339), Author: c.Author, Mail: c.Mail, Subject: c.Subject, State: c.State,
		Checkpoints: []string{}, Agents: []string{}, Models: []string{}, Sessions: []string{}, Accountable: []string{}, Signers: []string{}}
	for _, cp := range c.Checkpoints {
		r.Checkpoints = append(r.Checkpoints, cp.String())
	}
	for _, st := range c.Statements {
		p := st.Predicate
		for _, s := range p.Sessions {
			r.Sessions, r.Agents, r.Models = add(r.Sessions, s.ID), add(r.Agents, s.Agent), add(r.Models, s.Models...)
			if p := s.Permissions; p != nil {
				r.Permissions.Modes = add(r.Permissions.Modes, p.Modes...)
				r.Permissions.Approved, r.Permissions.Denied = sum(r.Permissions.Approved, p.Approved), sum(r.Permissions.Denied, p.Denied)
			}
		}
		if p.Lines != nil {
			r.Lines.Agent, r.Lines.Person, r.Lines.Unknown = r.Lines.Agent+p.Lines.Agent, r.Lines.Person+p.Lines.Person, r.Lines.Unknown+p.Lines.Unknown
		}
		r.Accountable, r.Signers = add(r.Accountable, p.Person.Name+" <"+p.Person.Email+">"), add(r.Signers, st.Signer)
	}
	return r
}

// sum adds counts to others.
func sum(all, more map[string]int) map[string]int {
	if all == nil && more != nil {
		all = map[string]int{}
	}
	for k, n := range more {
		all[k] += n
	}
	return all
}

// counts returns counts in one text, sorted by their names.
func counts(of map[string]int) string {
	var out []string
	for _, k := range slices.Sorted(maps.Keys(of)) {
		out = append(out, k+" "+strconv.Itoa(of[k]))
	}
	return strings.Join(out, "; ")
}

// add adds the texts that are not in the list yet; empty ones never.
func add(list []string, texts ...string) []string {
	for _, t := range texts {
		if t != "" && !slices.Contains(list, t) {
			list = append(list, t)
		}
	}
	return list
}

func runExport(ctx context.Context, env *cliui.Env, args []string, o options) error {
	x, err := examine(ctx, env, args, o)
	if err != nil {
		return err
	}
	rows := make([]row, len(x.commits))
	for i := range x.commits {
		rows[i] = rowOf(&x.commits[i])
	}
	switch {
	case o.json:
		err = env.PrintJSON(rows)
	case o.csv:
		err = writeCSV(env, rows)
	default:
		for _, r := range rows {
			fmt.Fprintf(env.Out, "%.7s  %s  %-12s  %s\n", r.Commit, r.Time[:10], r.State, cliui.Printable(strings.Join(append(r.Agents, r.Models...), ", ")))
		}
	}
	if n := len(x.result.Findings); n > 0 && err == nil {
		fmt.Fprintf(env.Err, "warning: %d things are wrong with the checkpoints; `entire audit verify` names them\n", n)
	}
	return err
}

// writeCSV prints the rows for a spreadsheet, which takes a text that begins like a formula for one.
func writeCSV(env *cliui.Env, rows []row) error {
	w := csv.NewWriter(env.Out)
	w.Write([]string{"commit", "time", "author", "mail", "subject", "state", "checkpoints", "agents", "models", "sessions", "lines_agent", "lines_person", "lines_unknown", "accountable", "signers", "permission_modes", "approved_by", "denied_by"})
	list := func(texts []string) string { return cliui.SheetText(strings.Join(texts, "; ")) }
	for _, r := range rows {
		w.Write([]string{r.Commit, r.Time, cliui.SheetText(r.Author), cliui.SheetText(r.Mail), cliui.SheetText(r.Subject), string(r.State), list(r.Checkpoints), list(r.Agents), list(r.Models),
			list(r.Sessions), strconv.Itoa(r.Lines.Agent), strconv.Itoa(r.Lines.Person), strconv.Itoa(r.Lines.Unknown), list(r.Accountable), list(r.Signers),
			list(r.Permissions.Modes), cliui.SheetText(counts(r.Permissions.Approved)), cliui.SheetText(counts(r.Permissions.Denied))})
	}
	w.Flush()
	return w.Error()
}
