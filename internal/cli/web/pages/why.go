package pages

import (
	"bytes"
	"context"
	"net/http"
	"strconv"
	"strings"
	"time"

	"entire/internal/cli/cliui"
	"entire/internal/cli/ownerlib"
	"entire/internal/cli/web/view"
	"entire/internal/cli/workplace"
	"entire/internal/durable"
	"entire/internal/git"
	"entire/internal/patch"
)

// A whyPage says why a line is there.
type whyPage struct {
	*ownerlib.Why
	Place    string      `json:"-"` // the address of the line in its file
	Evidence string      `json:"-"`
	CommitID string      `json:"-"` // "" for a line that is not committed
	When     time.Time   `json:"-"`
	Moved    bool        `json:"-"` // the commit has it elsewhere
	Asked    []view.Text `json:"-"`
	HowWords string      `json:"-"`
	Diff     view.Diff   `json:"-"` // of the call
	Earlier  string      `json:"-"` // the address of the file before the commit
}

// why says who wrote a line of a file, and what was asked and done when it was written.
func (p *Pages) why(ctx context.Context, r *http.Request) (*answer, error) {
	path, rev, line := r.FormValue("path"), r.FormValue("rev"), 1
	if text := r.FormValue("line"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 {
			return nil, cliui.Failf("the page of the file links each line", "not the number of a line: %s", cliui.ShownLine(text))
		}
		line = n
	}
	if err := git.ValidPath(path); err != nil {
		return nil, cliui.Failf("the page of files lists them", "%w", err)
	}
	if text, err := durable.ReadWithin(p.top, path, fileBytes); err == nil && line > 0 && bytes.Count(text, []byte("\n")) >= line {
		p.beginFile(ctx, r, path, path+":"+itoa(line))
	}
	var w whyPage
	err := p.at(ctx, func(wp *workplace.Workplace) (err error) {
		if w.Why, err = ownerlib.WhyOf(ctx, wp, path, rev, line); err != nil || w.Found.Commit.IsZero() {
			return err
		}
		before, ok, err := wp.Repo.Reader(ctx).CommitOf(w.Found.Commit.String() + "^")
		if err == nil && ok {
			w.Earlier = p.o.Links.FileAt(w.CommitFile, before.OID.String())
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	found := w.Found
	w.Place = p.o.Links.FileLines(path, rev, max(line-10, 1)) + "#L" + itoa(line)
	w.Evidence, w.HowWords = ownerlib.EvidenceText(found.Evidence, w.Class), ownerlib.HowText(w.How)
	if !found.Commit.IsZero() {
		w.CommitID, w.When = found.Commit.String(), found.Time
		w.Moved = w.CommitFile != w.File || w.CommitLine != w.Line
	}
	asked := w.Prompts
	if w.Prompt != "" {
		asked = []string{w.Prompt}
	}
	w.Asked = view.NewRoom(askedRoom).CutTexts(asked, textMax)
	w.cut(p.top)
	if len(w.Why.Diff) > 0 {
		show := view.Shower{Split: preference(r, "diff", "split") != "", More: func(string, int, int) string { return p.o.Links.Point(w.CommitID) }}
		w.Diff = show.Show([]patch.File{callFile(w.Why)}, 0, 0)
	}
	return &answer{template: "why", title: path + ":" + itoa(line), section: "files", body: w, json: w.Why}, nil
}

// cut leaves of what was said as much as a page has room for. Paths below top are shown from there.
func (w *whyPage) cut(top string) {
	room := view.NewRoom(saidRoom)
	why := *w.Why
	for _, list := range []*[]ownerlib.Passage{&why.Before, &why.After} {
		var out []ownerlib.Passage
		for _, said := range *list {
			said.Text = room.Cut(said.Text, textMax)
			out = append(out, said)
		}
		*list = out
	}
	if why.Call != nil {
		call := *why.Call
		call.About = strings.TrimPrefix(call.About, top+"/")
		why.Call = &call
	}
	w.Why = &why
}

// callFile returns the change that a call asked for as the change of a file.
func callFile(w *ownerlib.Why) patch.File {
	f := patch.File{Old: w.File, New: w.File, Action: patch.Write}
	h := patch.Hunk{}
	end := func() {
		if len(h.Lines) > 0 {
			f.Hunks = append(f.Hunks, h)
		}
		h = patch.Hunk{}
	}
	for _, d := range w.Diff {
		if d.Op == '@' {
			end()
			continue
		}
		h.Lines = append(h.Lines, patch.Line{Op: d.Op, Text: d.Text})
		switch d.Op {
		case '+':
			f.Insertions++
		case '-':
			f.Deletions++
		}
	}
	end()
	return f
}
