package pages

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"entire/internal/cli/cliui"
	"entire/internal/cli/ownerlib"
	"entire/internal/cli/web/view"
	"entire/internal/cli/workplace"
	"entire/internal/lineage"
	"entire/internal/patch"
	"entire/internal/timeline"
)

// ownersWait is how long a page waits for the owners of its lines. One that takes longer is shown without, with
// a link that waits for them; its script follows that.
const ownersWait = 40 * time.Millisecond

// fill takes the lines of a page from the text of a file, and finds who wrote them.
func (p *Pages) fill(ctx context.Context, r *http.Request, wp *workplace.Workplace, f *filePage, text []byte) error {
	all := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	if p.o.Clean != nil {
		for i := range all {
			all[i] = p.o.Clean(all[i])
		}
	}
	f.Text, f.Total = string(text), len(all)
	f.From = min(max(intOf(r, "from", 1), 1), f.Total)
	room, n := view.NewRoom(fileRoom), 0
	for _, line := range all[f.From-1:] {
		if n++; n > 1 && (n > fileLines || !room.Take(line[:min(len(line), 1000)]+"\n")) {
			n--
			break
		}
	}
	f.To = f.From + n - 1
	id := ""
	if f.At != nil {
		id = f.At.ID
	}
	if f.From > 1 {
		f.Before = p.o.Links.FileLines(f.Path, id, max(f.From-n, 1))
		if p.o.Static {
			f.Before = p.o.Links.FileAt(f.Path, id)
		}
	}
	if f.To < f.Total {
		f.After = p.o.Links.FileLines(f.Path, id, f.To+1)
	}
	rev, known := f.rev()
	var owners []lineage.Line
	if known {
		wait := ownersWait
		if r.FormValue("owners") != "" || p.o.Static {
			wait = time.Minute
		}
		if owners = p.owners(ctx, wp, f, rev, wait); owners == nil && f.Ownerless == "" {
			f.Waiting = p.o.Links.FileOwners(f.Path, id, f.From)
		}
	}
	for _, l := range owners {
		f.Owners = append(f.Owners, ownerlib.ViewLine(l))
	}
	f.Code = view.CodeLines(f.Path, all[f.From-1:f.To], f.From, owners, func(line int) string { return p.o.Links.Why(f.Path, rev, line) }, p.o.Links.Point)
	if !known {
		return p.markNew(ctx, f)
	}
	return nil
}

// rev returns the revision whose lines have owners, "" for the worktree. Between commits nobody has recorded
// them.
func (f *filePage) rev() (rev string, known bool) {
	switch {
	case f.At == nil:
		return "", true
	case f.At.Kind == timeline.Commit:
		return f.At.ID, true
	}
	return "", false
}

// owners returns the owners of the lines that are shown. It returns nil without a reason if that takes too long.
func (p *Pages) owners(ctx context.Context, wp *workplace.Workplace, f *filePage, rev string, wait time.Duration) []lineage.Line {
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	lines, err := ownerlib.Blame(ctx, wp, f.Path, rev, lineage.Span{From: f.From, To: f.To})
	switch {
	case ctx.Err() != nil && errors.Is(ctx.Err(), context.DeadlineExceeded):
		return nil
	case err != nil:
		f.Ownerless = "Who wrote the lines is not known: " + cliui.OneLine(err.Error()) + "."
		return nil
	}
	return lines
}

// markNew marks the lines that the state of a turn added.
func (p *Pages) markNew(ctx context.Context, f *filePage) error {
	f.Ownerless = "Lines that this state added are marked."
	if f.Selected < 0 {
		return nil
	}
	d, err := p.past.Details(ctx, f.States[f.Selected].Made.ID)
	if err != nil {
		return err
	}
	change, err := p.past.Patch(ctx, d.Before, d.Tree, f.Path)
	if err != nil {
		return err
	}
	files, err := patch.Parse(change.Text)
	if err != nil || len(files) != 1 {
		return err
	}
	for _, h := range files[0].Hunks {
		for _, l := range h.Lines {
			if i := l.New - f.From; l.Op == '+' && i >= 0 && i < len(f.Code) {
				f.Code[i].New = true
			}
		}
	}
	return nil
}

// cleanPatch takes secrets out of the lines of a patch. Each line stays one.
func cleanPatch(text []byte, clean func(string) string) []byte {
	lines := strings.Split(string(text), "\n")
	inHunk := false
	for i, line := range lines {
		switch {
		case strings.HasPrefix(line, "@@"):
			inHunk = true
		case strings.HasPrefix(line, "diff "):
			inHunk = false
		case inHunk && len(line) > 1:
			lines[i] = line[:1] + strings.ReplaceAll(clean(line[1:]), "\n", " ")
		}
	}
	return []byte(strings.Join(lines, "\n"))
}
