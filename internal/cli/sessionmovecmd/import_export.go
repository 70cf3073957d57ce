package sessionmovecmd

import (
	"context"
	"errors"
	"fmt"
	"io"

	"entire/internal/archive"
	"entire/internal/backup"
	"entire/internal/cli/cliui"
	"entire/internal/cli/sessionlib"
	"entire/internal/durable"
	"entire/internal/term"
	"entire/session"
)

// isExport reports whether a file begins like an export of sessions.
func isExport(path string) bool {
	f, err := durable.Open(path)
	if err != nil {
		return false // the reader reports the error
	}
	defer f.Close()
	head := make([]byte, len(archive.Magic))
	n, _ := io.ReadFull(f, head)
	return archive.Is(head[:n])
}

// importExport imports the sessions of an export, and prints the result for each.
func importExport(ctx context.Context, l *sessionlib.Library, file, path string, o importOptions) ([]importedView, error) {
	f, err := durable.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	bar := term.NewProgress(l.Env.Err, "Reading", 2*info.Size())
	defer bar.Done()
	plan, err := backup.Read(ctx, f, bar.Add)
	if err != nil {
		return nil, notImported(file, err)
	}
	to, err := target(l, plan, o)
	if err != nil {
		return nil, err
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	to.Progress = bar.Add
	taken, err := plan.Import(ctx, f, to)
	bar.Done()
	views := tellTaken(ctx, l, file, taken, o)
	if err != nil {
		return views, notImported(file, err)
	}
	return views, leftOut(taken)
}

func notImported(file string, err error) error {
	hint := ""
	switch {
	case errors.Is(err, archive.ErrNewer):
		hint = "update entire"
	case errors.Is(err, archive.ErrDamaged):
		hint = "nothing was changed; export it again, or copy the file again"
	}
	return cliui.Failf(hint, "import %s: %w", file, err)
}

// target returns the projects into which the sessions of an export go.
func target(l *sessionlib.Library, plan *backup.Plan, o importOptions) (backup.Target, error) {
	projects := map[string]bool{}
	for _, s := range plan.Sessions {
		projects[s.Project] = true
	}
	if len(projects) > 1 && !o.all && !o.project {
		return backup.Target{}, cliui.Failf("--all imports each into its own project, --project all of them into this one",
			"the export has sessions of %d projects", len(projects))
	}
	return backup.Target{KeepBoth: o.beside, Store: func(key string) (string, *session.Store) {
		if !o.all {
			return l.Ident.Key, l.Store
		}
		return key, l.StoreOf(key)
	}}, nil
}

var outcomeTexts = map[backup.Outcome]string{
	backup.Imported: "imported",
	backup.Same:     "is here already",
	backup.Newer:    "is here already, with more messages",
	backup.LeftOut:  "left out: it continued differently here",
}

func tellTaken(ctx context.Context, l *sessionlib.Library, file string, taken []backup.Result, o importOptions) []importedView {
	var views []importedView
	for _, t := range taken {
		v := importedView{File: file, SessionID: t.As, Messages: t.Count, Title: t.Title, Outcome: t.Outcome, Project: t.Project}
		if t.Outcome == backup.Imported || t.Outcome == backup.ImportedAsNew {
			v.Added = t.Count
		}
		if t.As != t.ID {
			v.From = t.ID
		}
		if t.As != "" {
			if meta, err := l.StoreOf(t.Project).Metadata(ctx, t.As); err == nil {
				v.Agent = meta.AgentType
			}
		}
		views = append(views, v)
		if o.json {
			continue
		}
		text := outcomeTexts[t.Outcome]
		if t.Outcome == backup.ImportedAsNew {
			text = "kept as " + t.As
		}
		fmt.Fprintf(l.Env.Out, "Session: %s  %s, %s  %s\n", t.ID, cliui.Count(t.Count, "message"), text, cliui.ShortLine(t.Title, cliui.PromptRunes))
	}
	return views
}

// leftOut returns the error of an import that left sessions out, nil if it left out none.
func leftOut(taken []backup.Result) error {
	n := 0
	for _, t := range taken {
		if t.Outcome == backup.LeftOut {
			n++
		}
	}
	if n == 0 {
		return nil
	}
	return cliui.Failf("--beside imports such a session under a new ID", "%s left out: another session with the same ID is here", cliui.Count(n, "session"))
}
