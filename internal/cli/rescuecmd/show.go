package rescuecmd

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"entire/internal/cli/cliui"
	"entire/internal/rescue/versions"
	"entire/internal/term"
)

// when returns a moment for a table.
func when(at, now time.Time) string {
	if at.IsZero() || at.Unix() == 0 {
		return "earlier"
	}
	if at = at.In(now.Location()); now.Sub(at) < 20*time.Hour && now.YearDay() == at.YearDay() {
		return at.Format("15:04:05")
	}
	return at.Format("2006-01-02 15:04")
}

// sureWords says how sure a version is, and of a partial one how much is known.
func sureWords(v versions.Version) string {
	if v.Sure != versions.Partial {
		return v.Sure.String()
	}
	known := 0
	for _, r := range v.Lines {
		known += r.Last - r.First + 1
	}
	if v.Total > 0 {
		return fmt.Sprintf("partial: %d of %d lines", known, v.Total)
	}
	return fmt.Sprintf("partial: %s", cliui.Count(known, "line"))
}

// sourceWords says where a version comes from.
func sourceWords(v versions.Version) string {
	words := v.Source
	if v.Changes > 0 {
		words += fmt.Sprintf(" (%s from: %s)", cliui.Count(v.Changes, "change"), v.Base)
	}
	if v.Also > 0 {
		words += fmt.Sprintf(", and %s", cliui.Count(v.Also, "other place"))
	}
	return words
}

// text returns the plan for people, with hint also how to carry it out.
func (p *filesPlan) text(ctx context.Context, env *cliui.Env, f *found, diff, hint bool) (string, error) {
	var b strings.Builder
	t := env.Screen()
	switch {
	case len(p.files) == 0 && len(p.unknown) > 0 && len(p.unknown) == p.named: // the remarks say so
	case len(p.files) == 0:
		b.WriteString("Nothing is lost, as far as anything here tells.\n")
	default:
		rows := [][]term.Cell{cliui.FaintRow(t, []string{"file", "why", "version of", "how sure", "size", "source"})}
		for _, one := range p.files {
			rows = append(rows, term.Plain(cliui.ShownName(one.path), string(one.why), when(one.version.At, p.now), sureWords(one.version),
				cliui.ByteCount(one.version.Size), cliui.ShownLine(sourceWords(one.version))))
		}
		b.WriteString(term.Columns(rows, env.Width(), 4))
		whole := p.whole()
		fmt.Fprintf(&b, "\n%s can come back (%s)", cliui.Count(len(whole), "file"), cliui.ByteCount(bytesOf(whole)))
		if n := len(p.files) - len(whole); n > 0 {
			fmt.Fprintf(&b, "; of %s only some lines are known", cliui.Count(n, "more file"))
		}
		b.WriteString(".\n")
	}
	p.remarks(&b)
	if len(p.files) > 0 && hint {
		b.WriteString("Nothing was changed. --out DIR writes the files beside, --apply into the worktree (the present is saved first).\n")
	}
	if !diff {
		return b.String(), nil
	}
	patch, err := p.patch(ctx, f)
	return b.String() + "\n" + patch, err
}

// remarks writes what is not in the table.
func (p *filesPlan) remarks(b *strings.Builder) {
	if n := len(p.nameless); n > 0 {
		fmt.Fprintf(b, "%s staged once and never committed, under a name that nothing tells: --out DIR writes them below DIR/unnamed.\n", cliui.Plural(n, "1 content was", fmt.Sprintf("%d contents were", n)))
	}
	if p.changed > 0 {
		fmt.Fprintf(b, "%s not listed, because nothing else knows the present content: name a PATH, or a time with --at.\n", cliui.Plural(p.changed, "1 file is", fmt.Sprintf("%d files are", p.changed)))
	}
	switch n := len(p.newest); {
	case n == 1:
		fmt.Fprintf(b, "%s has the newest content that is known: --list %[1]s shows earlier ones.\n", cliui.ShownName(p.newest[0]))
	case n > 1:
		fmt.Fprintf(b, "%d files have the newest content that is known: --list PATH shows earlier ones.\n", n)
	}
	switch n := len(p.unknown); {
	case n == 1:
		fmt.Fprintf(b, "No content of %s is known here.\n", cliui.ShownName(p.unknown[0]))
	case n > 1:
		fmt.Fprintf(b, "No content is known here of %s.\n", cliui.ShownLine(strings.Join(p.unknown, ", ")))
	}
	for _, note := range p.notes {
		fmt.Fprintf(b, "note: %s\n", cliui.ShownLine(note))
	}
}

// patch returns what the plan would change, as a patch.
func (p *filesPlan) patch(ctx context.Context, f *found) (string, error) {
	dir, done, err := f.repo.Scratch("rescue")
	if err != nil {
		return "", err
	}
	defer done()
	var b strings.Builder
	for _, one := range p.files {
		content, err := f.Pool.Get(one.version.Content)
		if err != nil {
			return "", err
		}
		file := filepath.Join(dir, "version")
		if err := os.WriteFile(file, content, 0o600); err != nil {
			return "", err
		}
		now := filepath.Join(f.repo.Top, filepath.FromSlash(one.path))
		if info, err := os.Lstat(now); err != nil || !info.Mode().IsRegular() {
			now = os.DevNull
		}
		out, _ := f.repo.Run(ctx, "diff", "--no-index", "--no-color", "--no-ext-diff", "--no-textconv", "--", now, file)
		if _, hunks, ok := bytes.Cut(out, []byte("\n@@")); ok {
			fmt.Fprintf(&b, "--- %s\n+++ %s (%s)\n@@%s", cliui.ShownName(one.path), cliui.ShownName(one.path), sureWords(one.version), cliui.Printable(string(hunks)))
		}
	}
	return b.String(), nil
}

// printList prints every version of the files.
func (f *found) printList(env *cliui.Env, asJSON bool) error {
	var all []listedFile
	for _, path := range sortedPaths(f.files) {
		if len(f.files[path]) == 0 {
			continue
		}
		for i := range f.files[path] {
			f.sizeOf(&f.files[path][i])
		}
		all = append(all, listedFile{Path: path, Versions: viewVersions(f.files[path])})
	}
	if asJSON {
		return env.PrintJSON(map[string]any{"files": cliui.NotNil(all)})
	}
	if len(all) == 0 {
		return cliui.Failf("paths are relative to the current folder; --was DIR names a folder in which the worktree was", "nothing is known of these files")
	}
	for _, path := range sortedPaths(f.files) {
		list := f.files[path]
		if len(list) == 0 {
			continue
		}
		rows := [][]term.Cell{cliui.FaintRow(env.Screen(), []string{"N", "version of", "how sure", "size", "source"})}
		for i, v := range slices.Backward(list) {
			size := cliui.ByteCount(f.sizeOf(&v))
			if v.Gone {
				size = "gone"
			}
			rows = append(rows, term.Plain(fmt.Sprint(len(list)-i), when(v.At, env.Now()), sureWords(v), size, cliui.ShownLine(sourceWords(v))))
		}
		if _, err := fmt.Fprintf(env.Out, "%s\n%s", cliui.ShownName(path), term.Columns(rows, env.Width(), 0, 3)); err != nil {
			return err
		}
	}
	return nil
}

func (f *found) sizeOf(v *versions.Version) int64 {
	if v.Size < 0 {
		if content, err := f.Pool.Get(v.Content); err == nil {
			v.Size = int64(len(content))
		}
	}
	return max(v.Size, 0)
}

// printVersion prints the bytes of version n of the only file.
func (f *found) printVersion(env *cliui.Env, n int) error {
	paths := sortedPaths(f.files)
	if len(paths) != 1 {
		return cliui.Failf("--list PATH shows what is known", "%s known of that file", cliui.Plural(len(paths), "nothing is", "more than one version is"))
	}
	list := f.files[paths[0]]
	if n > len(list) || list[len(list)-n].Gone {
		return cliui.Failf("--list numbers the versions", "%s has no version %d with a content", cliui.ShownName(paths[0]), n)
	}
	content, err := f.Pool.Get(list[len(list)-n].Content)
	if err != nil {
		return fmt.Errorf("read version %d of %s: %w", n, cliui.ShownName(paths[0]), err)
	}
	if term.IsTerminal(env.Out) {
		_, err = io.WriteString(env.Out, cliui.Printable(string(content)))
		return err
	}
	_, err = env.Raw().Write(content)
	return err
}
