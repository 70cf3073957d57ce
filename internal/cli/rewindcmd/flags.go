package rewindcmd

import (
	"context"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"entire/internal/cli/cliui"
	"entire/internal/cli/rewindlib"
	"entire/internal/cli/workplace"
	"entire/strategy/condense"
	"entire/strategy/rewind"
)

// scopeFlags are the flags that choose what a rewind changes.
type scopeFlags struct {
	session, mine, conflicts       string
	turn                           int
	turnGiven                      bool
	tree, conversation, code, both bool
	patch                          bool
	hunks                          []string
}

func (s *scopeFlags) add(cmd *cobra.Command, env *cliui.Env) {
	f := cmd.Flags()
	f.BoolVar(&s.tree, "tree", false, "the whole tree, whoever changed it since")
	f.StringVar(&s.session, "session", "", "only what the session with this `ID` did since the point")
	f.IntVar(&s.turn, "turn", 0, "undo turn `N` of the session, -1 for the last, and keep the later ones")
	f.StringVar(&s.mine, "mine", "", "`MODE` is keep: "+rewindlib.KeepMineWords+"; or replace, the default: undone, too")
	f.BoolVar(&s.conversation, "conversation", false, rewindlib.ConversationOnlyWords+", no file changes")
	f.BoolVar(&s.code, "code", false, rewindlib.CodeOnlyWords+", the conversation stays")
	f.BoolVar(&s.both, "both", false, "files and conversation (default without PATHs)")
	f.BoolVarP(&s.patch, "patch", "p", false, rewindlib.HunksWords+", one by one; the conversation stays")
	f.StringArrayVar(&s.hunks, "hunk", nil, rewindlib.HunksWords+" of a file: `FILE:N[,M]`, as --dry-run --diff shows them in order, or FILE; may be repeated")
	addConflicts(cmd, &s.conflicts)
	cmd.RegisterFlagCompletionFunc("session", workplace.CompleteSessions(env))
	cmd.RegisterFlagCompletionFunc("mine", cobra.FixedCompletions([]string{"keep", "replace"}, cobra.ShellCompDirectiveNoFileComp))
}

func addConflicts(cmd *cobra.Command, mode *string) {
	cmd.Flags().StringVar(mode, "conflicts", "stop", "where later changes do not merge: `MODE` is stop, keep (leave the file), or markers")
	cmd.RegisterFlagCompletionFunc("conflicts", cobra.FixedCompletions([]string{"stop", "keep", "markers"}, cobra.ShellCompDirectiveNoFileComp))
}

func (d *doing) add(f *pflag.FlagSet) {
	f.BoolVar(&d.dryRun, "dry-run", false, "only show what would change")
	f.BoolVar(&d.diff, "diff", false, "with --dry-run: the lines that would change, too")
	f.BoolVar(&d.json, "json", false, "print JSON: the plan with --dry-run, otherwise what was done")
	f.BoolVarP(&d.yes, "yes", "y", false, "do not ask")
}

func (d doing) check() error {
	switch {
	case d.diff && !d.dryRun:
		return cliui.Failf("add --dry-run", "--diff requires --dry-run")
	case d.diff && d.json:
		return cliui.Failf("`git diff` shows the lines between the object IDs of the JSON", "cannot specify both --diff and --json")
	}
	return nil
}

// only returns an error if more than one of the named flags is given.
func only(given map[string]bool, names ...string) error {
	var found []string
	for _, name := range names {
		if given[name] {
			found = append(found, name)
		}
	}
	if len(found) > 1 {
		return cliui.Failf("use one of them", "cannot specify both %s", strings.Join(found[:2], " and "))
	}
	return nil
}

func (o rewindOptions) check() error {
	s := o.scope
	given := map[string]bool{
		"--list": o.list, "--log": o.log, "--to": o.to != "", "--turn": s.turnGiven, "--logs-only": o.logsOnly, "--reset": o.reset,
		"--tree": s.tree, "--session": s.session != "", "--conversation": s.conversation, "--code": s.code, "--both": s.both,
		"--mine": s.mine != "", "files": len(o.paths) > 0,
		"--patch": s.patch, "--hunk": len(s.hunks) > 0, "--json": o.json, "--yes": o.yes,
	}
	if err := only(given, "--logs-only", "--reset"); err != nil {
		return err
	}
	switch {
	case o.to == "" && (o.logsOnly || o.reset):
		return cliui.Failf("as in `entire rewind HEAD --reset`; `entire log` shows the points", "--logs-only and --reset need a point")
	case o.json && !o.list && !o.dryRun && !o.log && o.to == "" && !s.turnGiven:
		return cliui.Failf("`entire log --json` prints the points", "--json requires --list, --dry-run, --log, --to or --turn")
	case s.turnGiven && s.turn == 0:
		return cliui.Failf("turns are numbered from 1; -1 is the last", "--turn 0 names no turn")
	case s.mine != "" && s.mine != "keep" && s.mine != "replace":
		return cliui.Failf("say keep or replace", "--mine is %q", s.mine)
	}
	for _, group := range [][]string{
		{"--list", "--log", "--to", "--turn"}, {"--conversation", "--code", "--both"}, {"--tree", "--session"}, {"--tree", "--turn"},
		{"--turn", "--mine"}, {"--conversation", "files"}, {"--conversation", "--mine"},
		{"--patch", "--hunk"}, {"--patch", "--json"}, {"--patch", "--yes"},
		{"--patch", "--conversation", "--both"}, {"--hunk", "--conversation", "--both"},
	} {
		if err := only(given, group...); err != nil {
			return err
		}
	}
	for _, flag := range []string{"--logs-only", "--reset"} {
		for _, scope := range []string{"--patch", "--hunk", "--tree", "--session", "--turn", "--mine", "--conversation", "--code", "--both", "files"} {
			if err := only(given, flag, scope); err != nil {
				return err
			}
		}
	}
	if _, err := conflictMode(s.conflicts); err != nil {
		return err
	}
	return o.doing.check()
}

func conflictMode(word string) (condense.ConflictMode, error) {
	switch word {
	case "stop", "":
		return rewind.ConflictsStop, nil
	case "keep":
		return rewind.ConflictsKeep, nil
	case "markers":
		return rewind.ConflictsMarkers, nil
	}
	return "", cliui.Failf("say stop, keep or markers", "--conflicts is %q", word)
}

// scopeOf returns the scope of the flags. With named files the conversation stays, unless --both
// is given.
func scopeOf(ctx context.Context, env *cliui.Env, wp *workplace.Workplace, o rewindOptions) (condense.Scope, error) {
	s := o.scope
	sc := condense.Scope{Turn: s.turn, KeepMine: s.mine == "keep", SkipCode: s.conversation, SkipConversation: s.code || len(o.paths) > 0 && !s.both}
	var err error
	if sc.Conflicts, err = conflictMode(s.conflicts); err != nil {
		return sc, err
	}
	if sc.Paths, err = workplace.RepoPaths(env, wp, o.paths); err != nil {
		return sc, err
	}
	switch {
	case s.turnGiven:
		sc.Kind = condense.ScopeTurn
	case s.session != "":
		sc.Kind = condense.ScopeSession
	case s.tree:
		sc.Kind = condense.ScopeTree
	}
	if s.session != "" {
		sc.Session, err = workplace.FindSession(ctx, wp, s.session)
	}
	return sc, err
}
