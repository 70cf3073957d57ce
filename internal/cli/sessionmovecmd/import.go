package sessionmovecmd

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"entire/agent"
	"entire/internal/backup"
	"entire/internal/cli/cliui"
	"entire/internal/cli/sessionlib"
	"entire/internal/cli/workplace"
	"entire/session"
)

func sessionsImportCommand(env *cliui.Env) *cobra.Command {
	var name string
	var o importOptions
	cmd := &cobra.Command{
		Use:   "import FILE...",
		Short: "Import exported sessions, or agents' transcripts",
		Long: `Import what ` + "`entire sessions export`" + ` wrote, or agents' own transcripts.

A transcript goes into the store of this project, without its secrets. The session's
ID is the one in the file, or else the file's name. Importing it again adds only what
is new.

An export restores its sessions unchanged. It is read and checked completely before
anything is written; a damaged one changes nothing. A session does not change if the
store has the same or more. A session that continued differently here is left out, or
imported under a new ID with --beside. The sessions of one project go into this
project; those of several go into their own with --all.`,
		Example: `  entire sessions import ~/.claude/projects/-home-me-app/*.jsonl
  entire sessions import --agent gemini session-2026-02-11T20-36-6e1f0d2a.json
  entire sessions import sessions.entire
  entire sessions import --all everything.entire`,
		Args: func(cmd *cobra.Command, args []string) error {
			switch {
			case len(args) == 0:
				return cliui.Failf("`entire sessions import --help` shows what it takes", "name an export or a transcript")
			case o.all && o.project:
				return cliui.Failf("use one of them", "--all and --project exclude each other")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return sessionlib.WithLibrary(cmd.Context(), env, func(l *sessionlib.Library) error { return importFiles(cmd.Context(), l, args, name, o) })
		},
	}
	cmd.Flags().StringVar(&name, "agent", "", "the `AGENT` of the transcripts: "+strings.Join(workplace.AgentNames(), ", ")+" (without it, detected)")
	cmd.Flags().BoolVar(&o.json, "json", false, "print a JSON array")
	cmd.Flags().BoolVar(&o.all, "all", false, "of an export: each session into its own project")
	cmd.Flags().BoolVar(&o.project, "project", false, "of an export: every session into this project")
	cmd.Flags().BoolVar(&o.beside, "beside", false, "of an export: import a session that continued differently here under a new ID")
	cmd.RegisterFlagCompletionFunc("agent", workplace.CompleteAgents)
	return cmd
}

// importOptions are the flags for exports, and --json.
type importOptions struct{ all, project, beside, json bool }

// An importedView is the result for one transcript, or for one session of an export, and its JSON
// form.
type importedView struct {
	File      string          `json:"file"`
	SessionID string          `json:"session_id"`
	Agent     agent.AgentType `json:"agent"`
	Added     int             `json:"messages_added"`
	Messages  int             `json:"message_count"` // including earlier ones
	Title     string          `json:"title,omitempty"`

	// For an export.
	Outcome backup.Outcome `json:"outcome,omitempty"`
	From    string         `json:"exported_id,omitempty"` // if it differs from session_id
	Project string         `json:"project,omitempty"`
}

func importFiles(ctx context.Context, l *sessionlib.Library, files []string, name string, o importOptions) error {
	if !slices.ContainsFunc(files, func(file string) bool { return l.IsFile(file) == nil }) {
		return l.IsFile(files[0]) // before the project gets a store
	}
	if err := l.SettleIn(ctx); err != nil {
		return err
	}
	views := []importedView{}
	var failed error
	for _, file := range files {
		some, err := importAny(ctx, l, file, name, o)
		views = append(views, some...)
		if err != nil && (len(files) == 1 && len(some) == 0 || ctx.Err() != nil) {
			return err
		}
		if err != nil { // import the other files
			l.Env.Exit(err)
			failed = cliui.ErrTold
		}
	}
	if o.json {
		return errors.Join(l.Env.PrintJSON(views), failed)
	}
	return failed
}

// importAny imports a transcript or an export, and prints the result.
func importAny(ctx context.Context, l *sessionlib.Library, file, name string, o importOptions) ([]importedView, error) {
	if err := l.IsFile(file); err != nil {
		return nil, err
	}
	path := l.Abs(file)
	if isExport(path) {
		if name != "" {
			return nil, cliui.Failf("leave --agent out", "%s is an export, not a transcript", file)
		}
		return importExport(ctx, l, file, path, o)
	}
	if o.all || o.project || o.beside {
		return nil, cliui.Failf("`entire sessions export` makes one", "%s is not an export: --all, --project and --beside are for those", file)
	}
	v, err := importFile(ctx, l, file, name)
	if err != nil {
		return nil, err
	}
	if !o.json {
		fmt.Fprintf(l.Env.Out, "Session: %s  %s, %d new  %s\n", v.SessionID, cliui.Count(v.Messages, "message"), v.Added, cliui.ShortLine(v.Title, cliui.PromptRunes))
	}
	return []importedView{v}, nil
}

func importFile(ctx context.Context, l *sessionlib.Library, file, name string) (importedView, error) {
	path, done, err := sessionlib.Unpacked(l.Abs(file))
	if err != nil {
		return importedView{}, err
	}
	defer done()
	about, err := sessionlib.ReadAbout(path, name)
	if err != nil {
		return importedView{}, err
	}
	before, err := l.Store.Metadata(ctx, about.ID.String())
	known := err == nil
	if err != nil && !errors.Is(err, session.ErrNotFound) {
		return importedView{}, err
	}
	if err := l.FeedFile(ctx, about, path, !known); err != nil {
		return importedView{}, err
	}
	after, err := l.Store.Metadata(ctx, about.ID.String())
	if err != nil {
		return importedView{}, err
	}
	return importedView{File: file, SessionID: after.ID, Agent: about.Agent, Added: after.MessageCount - before.MessageCount,
		Messages: after.MessageCount, Title: after.Title}, nil
}
