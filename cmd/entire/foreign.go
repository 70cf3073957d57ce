package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"entire/internal/cli/cliui"
	"entire/internal/cli/workplace"
)

// foreignCommands are the commands of other versions of this program, up to autumn 2026, and what does the same here.
// Those whose name is in ours without Runs are the same command. The table of docs/coming-from.md is written from it.
var foreignCommands = []cliui.Foreign{
	{Name: "enable", Ours: "entire enable"},
	{Name: "disable", Ours: "entire disable", Says: "hooks of agents stay until --uninstall"},
	{Name: "status", Ours: "entire status"},
	{Name: "version", Ours: "entire version"},
	{Name: "help", Ours: "entire help"},
	{Name: "agent", Ours: "entire agent"},
	{Name: "agent add", Ours: "entire agent add NAME"},
	{Name: "agent remove", Ours: "entire agent remove NAME"},
	{Name: "agent list", Ours: "entire agent list"},
	{Name: "configure", Ours: "entire enable", Runs: "enable", Says: "running it again changes only what its flags name; other settings are edited in .entire/settings.json"},
	{Name: "doctor", Ours: "entire doctor"},
	{Name: "doctor trace", Ours: "entire doctor trace"},
	{Name: "doctor logs", Ours: "entire doctor logs"},
	{Name: "doctor bundle", Ours: "entire doctor bundle"},
	{Name: "doctor migrate-checkpoints", Ours: "entire doctor migrate --to refs", Runs: "doctor migrate --to=refs", Says: "this version reads and writes both storages"},
	{Name: "clean", Ours: "entire doctor clean", Says: "it lists what is orphaned and never takes what a session needs; `entire doctor reset` drops the sessions of HEAD"},
	{Name: "reset", Ours: "entire doctor reset"},
	{Name: "plugin", Ours: "entire agent add NAME --allow-plugin, entire agent list", Says: "this one runs programs of others only as plug-ins for agents"},

	{Name: "session", Ours: "entire sessions"},
	{Name: "session list", Ours: "entire sessions list"},
	{Name: "session info", Ours: "entire sessions show ID", Runs: "sessions show"},
	{Name: "session current", Ours: "entire sessions current"},
	{Name: "session stop", Ours: "entire sessions stop"},
	{Name: "session attach", Ours: "entire sessions attach FILE", Says: "it takes the transcript's file"},
	{Name: "session adopt", Ours: "entire sessions adopt ID"},
	{Name: "session resume", Ours: "entire sessions resume ID, entire resume BRANCH"},
	{Name: "session tokens", Ours: "entire usage --session ID", Runs: "usage --by=session", Flag: "--session"},

	{Name: "checkpoint", Ours: "entire log, entire show", Says: "`entire checkpoint LABEL` saves a point here, as `entire save` does; words that are commands are never labels"},
	{Name: "checkpoint list", Ours: "entire log"},
	{Name: "checkpoint explain", Ours: "entire show ID"},
	{Name: "checkpoint tokens", Ours: "entire show ID, entire usage --by commit"},
	{Name: "checkpoint search", Ours: "entire search WORDS"},
	{Name: "checkpoint rewind", Ours: "entire rewind"},
	{Name: "checkpoint delete", Ours: "entire share forget ID", Says: "it also removes what was pushed"},
	{Name: "explain", Ours: "entire show ID, entire log"},
	{Name: "rewind", Ours: "entire rewind"},
	{Name: "resume", Ours: "entire resume BRANCH"},
	{Name: "search", Ours: "entire search WORDS", Says: "it searches this machine, by words; there is no service behind it"},
	{Name: "tokens", Ours: "entire usage", Runs: "usage"},
	{Name: "activity", Ours: "entire recap, entire usage", Runs: "recap"},
	{Name: "recap", Ours: "entire recap", Says: "it asks no model"},
	{Name: "dispatch", Ours: "entire recap --markdown", Runs: "recap --markdown", Says: "it asks no model and sends nothing"},
	{Name: "attach", Ours: "entire sessions attach FILE", Runs: "sessions attach"},
	{Name: "stop", Ours: "entire sessions stop", Runs: "sessions stop"},
	{Name: "trace", Ours: "entire doctor trace", Runs: "doctor trace"},

	{Name: "blame", Ours: "entire blame FILE"},
	{Name: "why", Ours: "entire why FILE:LINE"},
	{Name: "import", Ours: "entire rescue, entire sessions import FILE", Says: "what agents keep on this machine is brought back by `entire rescue`"},
	{Name: "review", Ours: "entire review A..B", Says: "this one runs no agents; it shows a reviewer what to read first"},
	{Name: "agent-help", Ours: "entire agent-help"},
	{Name: "investigate", Ours: "entire why FILE:LINE, entire review A..B", Says: "this one runs no agents; it shows what they said and did"},
	{Name: "experts", Ours: "entire usage --by file, entire report A..B", Says: "this one does not rank"},
	{Name: "replay", Ours: "entire show ID, entire web", Says: "this one shows a session, and does not play it again"},
	{Name: "eval", Ours: "entire usage --by model", Says: "this one judges no agents"},
	{Name: "trail", Ours: "entire log, entire report A..B", Says: "it belongs to a service that this one does not have"},
	{Name: "runner", Ours: "entire log", Says: "it belongs to a service that this one does not have"},
	{Name: "labs", Ours: "entire help", Says: "this one has no commands on trial"},

	{Name: "login", Ours: "entire share push --agree origin", Says: "this one has no account and no server; sessions are shared through git"},
	{Name: "logout", Ours: "entire share push --list", Says: "this one has no account and no server"},
	{Name: "auth", Ours: "entire share push --list", Says: "this one has no account and no server"},
	{Name: "org", Ours: "entire share", Says: "this one has no account and no server"},
	{Name: "project", Ours: "entire status", Says: "this one has no account and no server"},
	{Name: "repo", Ours: "entire status", Says: "this one has no account and no server"},
	{Name: "grant", Ours: "entire share", Says: "this one has no account and no server; who may read the repository may read what was pushed to it"},
	{Name: "api", Ours: "entire log --json, entire web", Says: "this one has no account and no server"},
	{Name: "debug", Ours: "entire status, entire doctor trace", Says: "this one has no such look inside"},
	{Name: "curl-bash-post-install", Ours: "entire completion SHELL", Says: "its installer called it to add completion to a shell"},
}

// foreignFlags are flags of other versions that ours do not have, each with what does the same here.
var foreignFlags = map[string]string{
	"--checkpoint-remote":         "`strategy_options.checkpoint_remote` in .entire/settings.json, and `entire share push --agree REMOTE`",
	"--absolute-git-hook-path":    "it is not needed: the hooks find this program without PATH, too",
	"--summarize-provider":        "`strategy_options.summarize` in .entire/settings.json, see docs/guide.md",
	"--summarize-model":           "`strategy_options.summarize.model` in .entire/settings.json",
	"--summarize-timeout-seconds": "`strategy_options.summarize.timeout_seconds` in .entire/settings.json",
	"--yes":                       "`--agent NAME` asks nothing",
	"--init-repo":                 "`git init` makes a repository; `--no-git` needs none",
	"--import-history":            "`entire rescue` brings back what agents keep on this machine",
	"--search-skill":              "`entire agent-help` prints a skill file, and `entire mcp` lets agents search",
	"--agent-help-skill":          "`entire agent-help` prints a skill file",
}

// foreignFlag turns the error about a flag of a command that only other versions have into one that says what to use.
// These are flags of the commands that set up.
func foreignFlag(command string, err error) error {
	flag, unknown := strings.CutPrefix(err.Error(), "unknown flag: ")
	if hint, known := foreignFlags[flag]; unknown && known && (command == "enable" || command == "configure") {
		return cliui.Failf(hint, "%s is a flag of other versions", flag)
	}
	return err
}

// foreignWords are the words of the commands of other versions: after `entire checkpoint` none is a label.
func foreignWords() map[string]cliui.Foreign {
	words := map[string]cliui.Foreign{}
	for _, f := range slices.Backward(foreignCommands) {
		list := strings.Fields(f.Name)
		words[list[len(list)-1]] = f
	}
	return words
}

// runIn returns what runs the program again in place of a command of other versions.
func runIn(env *cliui.Env) func(context.Context, cliui.Foreign, []string) error {
	return func(ctx context.Context, f cliui.Foreign, args []string) error {
		if dir, err := env.Getwd(); err == nil && f.Name == "configure" {
			if p := workplace.FindPlace(dir); p.SetUp && !p.Active() {
				return cliui.Failf("`entire enable` switches it on; the files in .entire have the other settings", "Entire is disabled here, and `entire configure` does not switch it on")
			}
		}
		return execute(ctx, env, args)
	}
}

// notLabel returns the error for a label of `entire checkpoint` that is a word of a command.
func notLabel(word string) error {
	f, known := foreignWords()[word]
	if !known {
		return nil
	}
	return cliui.Failf(fmt.Sprintf("%s; to save a point with that label: `entire checkpoint -m %s`", f.Hint(), word), "%q is a command of Entire, not a label", word)
}
