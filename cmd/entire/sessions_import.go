package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"entire/agent"
	"entire/internal/feed"
	"entire/internal/project"
	"entire/internal/redact"
	"entire/session"
	"entire/strategy"
)

var errNoHome = strategy.ErrNoHome

func (w *world) sessionsImportCommand() *cobra.Command {
	var name string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "import FILE...",
		Short: "Take agents' transcripts into the store of this project",
		Long: `Take an agent's own transcripts into the store of this project, secrets taken
out. The session's ID is the one in the file, else the file's name. What was taken in
before is not taken in again: only what is new is added.`,
		Example: `  entire sessions import ~/.claude/projects/-home-me-app/*.jsonl
  entire sessions import --agent gemini session-2026-02-11T20-36-6e1f0d2a.json`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return failf("`entire sessions import --help` shows what it takes", "name a transcript")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return w.withLibrary(cmd.Context(), func(l *library) error { return l.importFiles(cmd.Context(), args, name, asJSON) })
		},
	}
	cmd.Flags().StringVar(&name, "agent", "", "whose transcripts they are: "+strings.Join(agentNames(), ", ")+" (what it does without: see for itself)")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON array")
	cmd.RegisterFlagCompletionFunc("agent", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return agentNames(), cobra.ShellCompDirectiveNoFileComp
	})
	return cmd
}

// importedView is what became of one file, and its JSON form.
type importedView struct {
	File      string          `json:"file"`
	SessionID string          `json:"session_id"`
	Agent     agent.AgentType `json:"agent"`
	Added     int             `json:"messages_added"`
	Messages  int             `json:"message_count"` // with those before
	Title     string          `json:"title,omitempty"`
}

func (l *library) importFiles(ctx context.Context, files []string, name string, asJSON bool) error {
	if err := l.settleIn(ctx); err != nil {
		return err
	}
	views := []importedView{}
	var failed error
	for _, file := range files {
		v, err := l.importFile(ctx, file, name)
		if err != nil && (len(files) == 1 || ctx.Err() != nil) {
			return err
		}
		if err != nil { // the others are taken in all the same
			l.w.exit(err)
			failed = errTold
			continue
		}
		views = append(views, v)
		if !asJSON {
			fmt.Fprintf(l.w.out, "Session: %s  %s, %d new  %s\n", v.SessionID, count(v.Messages, "message"), v.Added, shortLine(v.Title, promptRunes))
		}
	}
	if asJSON {
		return errors.Join(l.w.printJSON(views), failed)
	}
	return failed
}

// settleIn gives the project a key that lasts, before it gets a store.
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
	path := file
	if !filepath.IsAbs(path) {
		path = filepath.Join(l.dir, path)
	}
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
	return importedView{file, after.ID, about.agent, after.MessageCount - before.MessageCount, after.MessageCount, after.Title}, nil
}

// feedFile has the store take in a transcript as an agent's hook does. A session
// that is new here is over: nobody says otherwise.
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

// adopt tells the feed that all of a fork's transcript is in the store.
func (l *library) adopt(ctx context.Context, s listedSession, path string) error {
	sid, err := parsedID(s)
	if err != nil {
		return err
	}
	return l.feed().Adopt(ctx, sid, s.Agent, path)
}

// bring takes a session into the store of which it has nothing, or less than there
// is: from the metadata branch, or from its agent's own transcript.
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
