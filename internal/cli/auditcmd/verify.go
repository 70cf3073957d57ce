package auditcmd

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"entire/checkpoint/audit"
	"entire/internal/cli/cliui"
	"entire/internal/retention"
)

// verifyView is the JSON form of what verify found.
type verifyView struct {
	OK          bool                `json:"ok"`
	Tip         string              `json:"tip"`
	Checkpoints int                 `json:"checkpoints"`
	Stated      int                 `json:"stated"`
	Signed      int                 `json:"signed"`
	Trusted     int                 `json:"trusted"`
	Unchecked   int                 `json:"unchecked_signatures"`
	Forgotten   int                 `json:"forgotten"`
	Unaccounted int                 `json:"unaccounted"`
	Objects     int                 `json:"objects"`
	Bytes       int64               `json:"bytes"`
	History     int                 `json:"history_commits,omitempty"`
	SignedBy    map[string]int      `json:"history_signed,omitempty"`
	SignersFile string              `json:"signers_file,omitempty"`
	Signers     map[string]int      `json:"signers"`
	Clones      []audit.Clone       `json:"clones"`
	Unstated    []string            `json:"unstated"`
	Unsigned    []string            `json:"unsigned"`
	Redacted    []string            `json:"redacted"`
	InRefs      int                 `json:"in_refs,omitempty"`
	RefsSigned  map[string]int      `json:"refs_signed,omitempty"`
	Commits     map[audit.State]int `json:"commits"`
	Findings    []audit.Finding     `json:"findings"`
}

// errWrong ends the program with status 1; the findings are printed already.
var errWrong = cliui.Failf("docs/audit.md says what each finding means; `git fetch` or `entire share push` brings checkpoints that only another clone has",
	"checkpoints are missing, or not as they were stated")

func runVerify(ctx context.Context, env *cliui.Env, args []string, o options) error {
	x, err := examine(ctx, env, args, o)
	if err != nil {
		return err
	}
	r := x.result
	for i := range x.commits {
		c := &x.commits[i]
		if c.State == audit.Lost {
			r.Findings = append(r.Findings, audit.Finding{Kind: audit.Missing, Checkpoint: c.Checkpoints[0].String(),
				What: fmt.Sprintf("commit %s names a checkpoint that is not there", c.OID.Short())})
		}
	}
	if o.json {
		err = env.PrintJSON(x.view())
	} else {
		x.tell(env, o)
	}
	if err == nil && len(r.Findings) > 0 {
		return errWrong
	}
	return err
}

func (x *examined) view() verifyView {
	r := x.result
	return verifyView{OK: len(r.Findings) == 0, Tip: r.Tip.String(), Checkpoints: r.Checkpoints, Stated: r.Stated, Signed: r.Signed,
		Trusted: r.Trusted, Unchecked: r.Unchecked, Forgotten: r.Forgotten, Unaccounted: r.Unaccounted, Objects: r.Objects, Bytes: r.Bytes, History: r.Commits, SignedBy: r.SignedBy, SignersFile: x.signers,
		Signers: r.Signers, Clones: cliui.NotNil(r.Clones), Unstated: cliui.NotNil(r.Unstated), Unsigned: cliui.NotNil(r.Unsigned), Redacted: cliui.NotNil(r.Redacted), InRefs: r.InRefs, RefsSigned: r.RefsSigned,
		Commits: x.states(), Findings: cliui.NotNil(r.Findings)}
}

func (x *examined) states() map[audit.State]int {
	n := map[audit.State]int{}
	for i := range x.commits {
		n[x.commits[i].State]++
	}
	return n
}

// shownMax is how many findings are shown to a person.
const shownMax = 50

func (x *examined) tell(env *cliui.Env, o options) {
	r := x.result
	for i, f := range r.Findings {
		if i == shownMax {
			fmt.Fprintf(env.Out, "… and %d more (--json prints all)\n", len(r.Findings)-shownMax)
			break
		}
		fmt.Fprintf(env.Out, "%-9s %s\n", f.Kind, cliui.Printable(strings.TrimSpace(f.Checkpoint+"  "+f.What)))
	}
	if len(r.Findings) > 0 {
		fmt.Fprintln(env.Out)
	}
	fmt.Fprintf(env.Out, "Checkpoints   %d, %d as a statement says%s\n", r.Checkpoints, r.Stated, without(len(r.Unstated), "without a statement"))
	fmt.Fprintf(env.Out, "Objects       %d, %s, each hashed\n", r.Objects, retention.Bytes(r.Bytes))
	var clones []string
	for _, c := range r.Clones {
		clones = append(clones, fmt.Sprintf("%s (%d)", c.Name, c.Statements))
	}
	if len(clones) > 0 {
		fmt.Fprintf(env.Out, "Chains        %s\n", strings.Join(clones, ", "))
	}
	x.tellSigners(env)
	if r.Commits > 0 {
		fmt.Fprintf(env.Out, "History       %d commits%s\n", r.Commits, signedBy(r.SignedBy))
	}
	if r.Forgotten > 0 {
		fmt.Fprintf(env.Out, "Forgotten     %d checkpoints%s\n", r.Forgotten, without(r.Unaccounted, "statements are not there, perhaps theirs"))
	}
	if r.InRefs > 0 {
		fmt.Fprintf(env.Out, "In refs       %s without statements%s: their content is checked, not that none is missing or old\n", cliui.Count(r.InRefs, "checkpoint"), signedBy(r.RefsSigned))
	}
	if n := len(r.Redacted); n > 0 {
		fmt.Fprintf(env.Out, "Redacted      %s: texts were taken out after the statement, which proves the rest\n", cliui.Count(n, "checkpoint"))
	}
	x.tellCommits(env)
	if len(r.Unstated) > 0 && !o.strict {
		fmt.Fprintf(env.Out, "\nNothing is proved of checkpoints without a statement: they may be older than the setting. --strict lists them.\n")
	}
}

func (x *examined) tellSigners(env *cliui.Env) {
	r := x.result
	fmt.Fprintf(env.Out, "Signatures    %d fit%s%s\n", r.Signed, without(len(r.Unsigned), "statements without one"), without(r.Unchecked, "that only git can check"))
	for _, s := range slices.Sorted(maps.Keys(r.Signers)) {
		fmt.Fprintf(env.Out, "              %d by %s\n", r.Signers[s], cliui.Printable(s))
	}
	switch {
	case x.signers == "" && r.Signed > 0:
		fmt.Fprintln(env.Out, "              No file says whose these keys are (--signers, or git's gpg.ssh.allowedSignersFile).")
	case len(x.passed) > 0:
		fmt.Fprintf(env.Out, "              Lines %v of %s cannot be used: only plain keys are.\n", x.passed, cliui.ShownName(x.signers))
	}
}

func (x *examined) tellCommits(env *cliui.Env) {
	n := x.states()
	words := []struct {
		state audit.State
		text  string
	}{
		{audit.Proved, "proved"}, {audit.Rewritten, "rewritten since"}, {audit.NoStatement, "without a statement"}, {audit.Gone, "forgotten"},
		{audit.Lost, "missing"}, {audit.NoCheckpoint, "without a checkpoint"},
	}
	var parts []string
	for _, w := range words {
		if n[w.state] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n[w.state], w.text))
		}
	}
	if len(parts) > 0 {
		fmt.Fprintf(env.Out, "Commits       %s\n", strings.Join(parts, ", "))
	}
}

func signedBy(signers map[string]int) (text string) {
	for _, s := range slices.Sorted(maps.Keys(signers)) {
		text += fmt.Sprintf(", %d signed by %s", signers[s], cliui.Printable(s))
	}
	return text
}

func without(n int, what string) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(", %d %s", n, what)
}
