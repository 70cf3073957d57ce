package sessionmovecmd

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"entire/internal/backup"
	"entire/internal/cli/cliui"
	"entire/internal/cli/sessionlib"
	"entire/internal/durable"
	"entire/internal/term"
)

type exportOptions struct {
	to                        string
	all, project, force, json bool
}

func sessionsExportCommand(env *cliui.Env) *cobra.Command {
	var o exportOptions
	cmd := &cobra.Command{
		Use:   "export [ID...]",
		Short: "Write sessions into one file, as a backup or for another store",
		Long: `Write everything that is kept of sessions into one file: messages, also rewound
ones, transcripts, metadata, forks, checkpoints of files and their contents, byte
for byte as they are stored: without secrets, and not encrypted.
` + "`entire sessions import`" + ` reads the file, here or elsewhere. To send one session
to another machine through git, encrypted, see ` + "`entire share`" + `.

Without an ID it writes all sessions of this project. A named session that only
checkpoints hold is copied into the store first; without a name it is left out,
because git has it. The trash is left out.`,
		Example: `  entire sessions export -o sessions.entire
  entire sessions export 6e1f0d2 -o one.entire
  entire sessions export --all -o - | ssh backup 'cat > all.entire'`,
		ValidArgsFunction: sessionlib.CompleteSessions(env),
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case o.to == "":
				return cliui.Failf("`-o sessions.entire`, or `-o -` for standard output", "name the output with --output")
			case (o.all || o.project) && len(args) > 0 || o.all && o.project:
				return cliui.Failf("`entire sessions export --help` shows what it takes", "use one of session IDs, --project and --all")
			case o.to == "-" && term.IsTerminal(env.Out):
				return cliui.Failf("name a file", "a terminal cannot show an export")
			case o.to == "-" && o.json:
				return cliui.Failf("name a file", "--json and the export both go to standard output")
			}
			return sessionlib.WithLibrary(cmd.Context(), env, func(l *sessionlib.Library) error { return export(cmd.Context(), l, args, o) })
		},
	}
	f := cmd.Flags()
	f.StringVarP(&o.to, "output", "o", "", "the `FILE` to write, - for standard output")
	f.BoolVar(&o.project, "project", false, "all sessions of this project (the default)")
	f.BoolVar(&o.all, "all", false, "all sessions of every project on this machine")
	f.BoolVarP(&o.force, "force", "f", false, "replace the file if it is there")
	f.BoolVar(&o.json, "json", false, "print a JSON object about what was written")
	return cmd
}

// An exportView is what was written, as --json prints it.
type exportView struct {
	File     string            `json:"file"`
	Bytes    int64             `json:"bytes"` // of the file
	Sessions []exportedSession `json:"sessions"`
}

type exportedSession struct {
	ID       string `json:"session_id"`
	Project  string `json:"project"`
	Title    string `json:"title,omitempty"`
	Messages int    `json:"message_count"`
	Files    int    `json:"files"`
	Bytes    int64  `json:"bytes"`
}

func export(ctx context.Context, l *sessionlib.Library, ids []string, o exportOptions) error {
	items, err := exported(ctx, l, ids, o.all)
	if err != nil {
		return err
	}
	if len(items) == 0 {
		return cliui.Failf("`entire sessions list --all` shows those of other projects", "no session is kept here")
	}
	v := exportView{File: o.to, Sessions: []exportedSession{}}
	list, err := writeExport(ctx, l, items, o, &v.Bytes)
	if err != nil {
		return fmt.Errorf("export: %w", err)
	}
	for _, s := range list {
		v.Sessions = append(v.Sessions, exportedSession{s.ID, s.Project, s.Metadata.Title, s.Metadata.MessageCount, s.Files, s.Bytes})
	}
	if o.json {
		return l.Env.PrintJSON(v)
	}
	out := l.Env.Out
	if o.to == "-" {
		out = l.Env.Err
	}
	_, err = fmt.Fprintf(out, "Wrote %s, %s, to %s\n", cliui.Count(len(list), "session"), sizeText(v.Bytes), o.to)
	return err
}

// exported returns the sessions to write, oldest first, so that a fork follows the session whose
// messages it shares.
func exported(ctx context.Context, l *sessionlib.Library, ids []string, all bool) ([]backup.Item, error) {
	var found []sessionlib.ListedSession
	for _, name := range ids {
		s, err := l.Find(ctx, name)
		if err == nil && !slices.Contains(s.Sources, sessionlib.InStore) {
			if err = l.Bring(ctx, s); err == nil {
				s.Project = l.Ident.Key
			}
		}
		if err != nil {
			return nil, err
		}
		found = append(found, s)
	}
	if len(ids) == 0 {
		var err error
		if found, err = everyStored(ctx, l, all); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(found, func(a, b sessionlib.ListedSession) int {
		return cmp.Or(a.Started.Compare(b.Started), cmp.Compare(a.ID, b.ID))
	})
	found = slices.CompactFunc(found, func(a, b sessionlib.ListedSession) bool { return a.ID == b.ID && a.Project == b.Project })
	var items []backup.Item
	for _, s := range found {
		items = append(items, backup.Item{Project: s.Project, Store: l.StoreOf(s.Project), ID: s.ID})
	}
	return items, nil
}

func everyStored(ctx context.Context, l *sessionlib.Library, all bool) ([]sessionlib.ListedSession, error) {
	found, err := l.Here(ctx)
	if err == nil && all {
		var more []sessionlib.ListedSession
		more, err = l.Elsewhere(ctx)
		found = append(found, more...)
	}
	had := len(found)
	found = slices.DeleteFunc(found, func(s sessionlib.ListedSession) bool { return !slices.Contains(s.Sources, sessionlib.InStore) })
	if n := had - len(found); n > 0 && err == nil {
		fmt.Fprintf(l.Env.Err, "%s left out: only their checkpoints are here, which git has\n", cliui.Count(n, "session"))
	}
	return found, err
}

// writeExport writes the whole file or no file.
func writeExport(ctx context.Context, l *sessionlib.Library, items []backup.Item, o exportOptions, size *int64) ([]backup.Written, error) {
	var total int64
	for _, item := range items {
		_, plain, err := item.Store.SizeOf(ctx, item.ID)
		if err != nil {
			return nil, err
		}
		total += plain
	}
	bar := term.NewProgress(l.Env.Err, "Writing", total)
	defer bar.Done()
	opts := backup.Options{Now: l.Env.Now(), Version: l.Env.Version, Progress: bar.Add}
	if o.to == "-" {
		return backup.Write(ctx, &countingWriter{l.Env.Raw(), size}, items, opts)
	}
	path := l.Abs(o.to)
	if _, err := os.Lstat(path); err == nil && !o.force {
		return nil, cliui.Failf("`--force` replaces it", "%s already exists", o.to)
	}
	read, write := io.Pipe()
	var list []backup.Written
	done := make(chan struct{})
	go func() {
		defer close(done)
		var err error
		list, err = backup.Write(ctx, &countingWriter{write, size}, items, opts)
		write.CloseWithError(err) // nil ends the file
	}()
	err := durable.WriteStream(path, read, 0o600, true)
	read.CloseWithError(err)
	<-done
	if err != nil {
		return nil, err
	}
	return list, nil
}

// A countingWriter counts the bytes it writes.
type countingWriter struct {
	w io.Writer
	n *int64
}

func (c *countingWriter) Write(b []byte) (int, error) {
	n, err := c.w.Write(b)
	*c.n += int64(n)
	return n, err
}

// sizeText returns a size in words for people.
func sizeText(n int64) string {
	switch {
	case n < 10_000:
		return cliui.Count(int(n), "byte")
	case n < 10_000_000:
		return fmt.Sprintf("%d kB", (n+500)/1000)
	case n < 10_000_000_000:
		return fmt.Sprintf("%d MB", (n+500_000)/1_000_000)
	}
	return fmt.Sprintf("%.1f GB", float64(n)/1e9)
}
