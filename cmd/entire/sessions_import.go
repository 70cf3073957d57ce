package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"entire/agent"
	"entire/internal/backup"
	"entire/internal/feed"
	"entire/internal/project"
	"entire/internal/redact"
	"entire/session"
	"entire/strategy/transcript"
)

var errNoHome = transcript.ErrNoHome

func (w *world) sessionsImportCommand() *cobra.Command {
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
				return failf("`entire sessions import --help` shows what it takes", "name an export or a transcript")
			case o.all && o.project:
				return failf("use one of them", "--all and --project exclude each other")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return w.withLibrary(cmd.Context(), func(l *library) error { return l.importFiles(cmd.Context(), args, name, o) })
		},
	}
	cmd.Flags().StringVar(&name, "agent", "", "the agent of the transcripts: "+strings.Join(agentNames(), ", ")+" (without it, detected)")
	cmd.Flags().BoolVar(&o.json, "json", false, "print a JSON array")
	cmd.Flags().BoolVar(&o.all, "all", false, "of an export: each session into its own project")
	cmd.Flags().BoolVar(&o.project, "project", false, "of an export: every session into this project")
	cmd.Flags().BoolVar(&o.beside, "beside", false, "of an export: import a session that continued differently here under a new ID")
	cmd.RegisterFlagCompletionFunc("agent", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return agentNames(), cobra.ShellCompDirectiveNoFileComp
	})
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

func (l *library) importFiles(ctx context.Context, files []string, name string, o importOptions) error {
	if !slices.ContainsFunc(files, func(file string) bool { return l.isFile(file) == nil }) {
		return l.isFile(files[0]) // before the project gets a store
	}
	if err := l.settleIn(ctx); err != nil {
		return err
	}
	views := []importedView{}
	var failed error
	for _, file := range files {
		some, err := l.importAny(ctx, file, name, o)
		views = append(views, some...)
		if err != nil && (len(files) == 1 && len(some) == 0 || ctx.Err() != nil) {
			return err
		}
		if err != nil { // import the other files
			l.w.exit(err)
			failed = errTold
		}
	}
	if o.json {
		return errors.Join(l.w.printJSON(views), failed)
	}
	return failed
}

// isFile returns an error unless file names a file.
func (l *library) isFile(file string) error {
	info, err := os.Stat(l.abs(file))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return failf("name a file that an agent wrote, or `entire sessions export`", "there is no file %s", file)
	case err == nil && info.IsDir():
		return failf("name the files in it", "%s is a folder", file)
	}
	return err
}

// importAny imports a transcript or an export, and prints the result.
func (l *library) importAny(ctx context.Context, file, name string, o importOptions) ([]importedView, error) {
	if err := l.isFile(file); err != nil {
		return nil, err
	}
	path := l.abs(file)
	if isExport(path) {
		if name != "" {
			return nil, failf("leave --agent out", "%s is an export, not a transcript", file)
		}
		return l.importExport(ctx, file, path, o)
	}
	if o.all || o.project || o.beside {
		return nil, failf("`entire sessions export` makes one", "%s is not an export: --all, --project and --beside are for those", file)
	}
	v, err := l.importFile(ctx, file, name)
	if err != nil {
		return nil, err
	}
	if !o.json {
		fmt.Fprintf(l.w.out, "Session: %s  %s, %d new  %s\n", v.SessionID, count(v.Messages, "message"), v.Added, shortLine(v.Title, promptRunes))
	}
	return []importedView{v}, nil
}

// settleIn gives the project a lasting key before it gets a store.
func (l *library) settleIn(ctx context.Context) error {
	ident, err := project.Key(ctx, l.dir, l.w.environ)
	if err != nil || ident.Key == l.ident.Key {
		return err
	}
	err = l.store.Close()
	l.ident, l.store = ident, session.OpenStore(session.BaseIn(ident.Dir(l.data)))
	return err
}

func (l *library) importFile(ctx context.Context, file, name string) (importedView, error) {
	path := l.abs(file)
	about, err := readAbout(path, name)
	if err != nil {
		return importedView{}, err
	}
	before, err := l.store.Metadata(ctx, about.id.String())
	known := err == nil
	if err != nil && !errors.Is(err, session.ErrNotFound) {
		return importedView{}, err
	}
	if err := l.feedFile(ctx, about, path, !known); err != nil {
		return importedView{}, err
	}
	after, err := l.store.Metadata(ctx, about.id.String())
	if err != nil {
		return importedView{}, err
	}
	return importedView{File: file, SessionID: after.ID, Agent: about.agent, Added: after.MessageCount - before.MessageCount,
		Messages: after.MessageCount, Title: after.Title}, nil
}

// feedFile feeds a transcript to the store as an agent's hook does. A session that is new here is
// marked as ended.
func (l *library) feedFile(ctx context.Context, about aboutTranscript, path string, fresh bool) error {
	folder := about.folder
	if folder == "" {
		folder = l.dir
	}
	if err := l.feed().Import(ctx, about.id, about.agent, path, folder); err != nil || !fresh {
		return err
	}
	err := l.store.UpdateMetadataContext(ctx, about.id.String(), func(m *session.SessionMetadata) {
		if !about.first.IsZero() {
			m.CreatedAt = about.first
		}
		at := m.UpdatedAt
		m.EndedAt = &at
	})
	if err != nil {
		return err
	}
	return l.store.Flush(ctx)
}

func (l *library) feed() *feed.Feed {
	return &feed.Feed{Base: l.store.Base(), Project: l.ident.Key, Redact: redact.Line, Now: l.w.now}
}

// adopt records in the feed that the store already has all of a fork's transcript.
func (l *library) adopt(ctx context.Context, s listedSession, path string) error {
	sid, err := parsedID(s)
	if err != nil {
		return err
	}
	return l.feed().Adopt(ctx, sid, s.Agent, path)
}

// bring copies a session into the store if the store has none or less of it: from the metadata
// branch, or from its agent's transcript.
func (l *library) bring(ctx context.Context, s listedSession) error {
	if !slices.Contains(s.Sources, inStore) {
		if err := l.settleIn(ctx); err != nil {
			return err
		}
	}
	if s.asGit {
		_, err := l.git.Bring(ctx, l.store, s.ID, l.homes(ctx, s).Top)
		return err
	}
	if slices.Contains(s.Sources, inStore) {
		return nil
	}
	path, live := l.live(ctx, s)
	if live == nil {
		return fmt.Errorf("session %s is not in the store", s.ID)
	}
	sid, err := parsedID(s)
	if err != nil {
		return err
	}
	return l.feedFile(ctx, aboutTranscript{agent: s.Agent, id: sid, folder: s.Folder, first: s.Started}, path, false)
}
