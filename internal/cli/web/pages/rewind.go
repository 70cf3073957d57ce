package pages

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"

	"entire/internal/cli/cliui"
	"entire/internal/cli/rewindlib"
	"entire/internal/cli/web/view"
	"entire/internal/cli/workplace"
	"entire/internal/patch"
	"entire/strategy/condense"
	"entire/strategy/restore"
	"entire/strategy/rewind"
)

// A rewindPage shows what a rewind, an undo or a redo would do, with the form that does it.
type rewindPage struct {
	*rewindlib.Preview
	Diff      view.Diff      `json:"-"`
	Conflicts []conflictView `json:"-"`
	Verbs     []planned      `json:"-"`
	Choices   []choice       `json:"-"` // of scope; none for an undo or a redo
	Params    []param        `json:"-"` // that the form of choices keeps
	Address   string         `json:"-"` // to post to
	Moved     string         `json:"-"` // why the page is shown once more
}

// A planned change is one path that would change.
type planned struct {
	restore.PlannedChange
	Verb string
}

// A conflict is a file whose changes do not merge, with both sides.
type conflictView struct {
	Path          string
	Undone, Later view.Diff
}

// Path is the address of the page without its parameters.
func (page rewindPage) Path() string {
	path, _, _ := strings.Cut(page.Address, "?")
	return path
}

// Verb is what the button says that does it.
func (page rewindPage) Verb() string {
	switch {
	case page.Kind == condense.RewindUndo:
		return "Undo"
	case page.Kind == condense.RewindRedo:
		return "Redo"
	case page.Scope.Kind == condense.ScopeTurn:
		return "Undo the turn"
	case page.Scope.Hunks || len(page.Scope.Paths) > 0:
		return "Restore"
	}
	return "Rewind"
}

// Chooser reports whether hunks can be chosen.
func (page rewindPage) Chooser() bool {
	return slices.ContainsFunc(page.Diff.Files, func(f view.DiffFile) bool {
		return slices.ContainsFunc(f.Hunks, func(h view.DiffHunk) bool { return h.Choice != "" })
	})
}

// A param is a parameter of the page that its form keeps.
type param struct{ Name, Value string }

// rewind shows what going back to a point would do.
func (p *Pages) rewind(ctx context.Context, r *http.Request) (*answer, error) {
	req, err := request(r)
	if err != nil {
		return nil, err
	}
	if r.URL.Query().Get("what") == "" && !req.Scope.SkipConversation && p.isCommit(ctx, req.Point) {
		q := r.URL.Query()
		q.Set("what", "files") // a commit has nothing else to go back to
		r = r.Clone(ctx)
		r.URL.RawQuery = q.Encode()
		return p.rewind(ctx, r)
	}
	if point, err := p.past.Find(ctx, req.Point); err == nil && point.Restorable() {
		p.begin(ctx, &answer{title: "Rewind to " + view.Title(point), section: "timeline"})
	}
	return p.preview(ctx, r, req)
}

// isCommit reports whether a name means a commit, whose files alone can be restored.
func (p *Pages) isCommit(ctx context.Context, name string) (is bool) {
	_ = p.at(ctx, func(wp *workplace.Workplace) error {
		point, err := wp.PointNamed(ctx, name)
		is = err == nil && (point.IsLogsOnly || rewind.IsCommit(point))
		return err
	})
	return is
}

// back returns the page that shows an undo or a redo.
func (p *Pages) back(kind condense.RewindKind) maker {
	return func(ctx context.Context, r *http.Request) (*answer, error) {
		return p.preview(ctx, r, backRequest(kind, r))
	}
}

func backRequest(kind condense.RewindKind, r *http.Request) rewindlib.Request {
	q := r.URL.Query()
	return rewindlib.Request{Kind: kind, Entry: q.Get("of"), Scope: condense.Scope{Conflicts: conflictsOf(q.Get("conflicts"))}}
}

func (p *Pages) preview(ctx context.Context, r *http.Request, req rewindlib.Request) (*answer, error) {
	look, err := rewindlib.Look(ctx, p.env, req)
	if err != nil {
		return nil, err
	}
	page := rewindPage{Preview: look, Address: p.o.Links.Base + r.URL.Path}
	if r.URL.RawQuery != "" {
		page.Address += "?" + r.URL.RawQuery
	}
	all, err := p.wholePatch(ctx, req, look)
	if err != nil {
		return nil, err
	}
	files, err := patch.Parse(all)
	if err != nil {
		return nil, err
	}
	show := view.Shower{Split: preference(r, "diff", "split") != "", More: func(path string, _, _ int) string { return p.o.Links.File(path) }}
	if req.Kind == "" && len(files) > 0 {
		show.Choose = func(path string, hunk int) (string, bool) {
			return hunkName(path, hunk), slices.Contains(req.Hunks[path], hunk)
		}
	}
	page.Diff = show.Show(files, 0, 0)
	for _, c := range look.Changes {
		page.Verbs = append(page.Verbs, planned{c, rewindlib.Verbs[c.Action]})
	}
	if len(look.PlannedRewind.Conflicts) > 0 {
		if err := p.at(ctx, func(wp *workplace.Workplace) error { return page.addConflicts(ctx, wp, look.PlannedRewind.Conflicts) }); err != nil {
			return nil, err
		}
	}
	page.choose(r, req)
	return &answer{template: "rewind", title: look.Question, section: "timeline", body: page, json: look}, nil
}

// wholePatch returns what would change if nobody had chosen hunks, so that another one can be chosen.
func (p *Pages) wholePatch(ctx context.Context, req rewindlib.Request, look *rewindlib.Preview) ([]byte, error) {
	if req.Hunks == nil {
		return look.Patch, nil
	}
	req.Hunks = nil
	whole, err := rewindlib.Look(ctx, p.env, req)
	if err != nil {
		return nil, err
	}
	return whole.Patch, nil
}

// addConflicts shows both sides of each conflict.
func (page *rewindPage) addConflicts(ctx context.Context, wp *workplace.Workplace, conflicts []restore.PlanConflict) error {
	for _, c := range conflicts {
		undone, err := between(ctx, wp, c.Path, c.Theirs, c.Base)
		if err != nil {
			return err
		}
		later, err := between(ctx, wp, c.Path, c.Base, c.Ours)
		if err != nil {
			return err
		}
		page.Conflicts = append(page.Conflicts, conflictView{c.Path, undone, later})
	}
	return nil
}

// between returns the change from one version of a file to another.
func between(ctx context.Context, wp *workplace.Workplace, path string, from, to restore.PlanSide) (view.Diff, error) {
	if from.Mode == 0 || to.Mode == 0 || from.OID == to.OID {
		f := view.DiffFile{Path: path, Action: patch.Write, Note: "nothing changed"}
		switch {
		case from.Mode == 0 && to.Mode != 0:
			f.Note = "the file was created"
		case to.Mode == 0 && from.Mode != 0:
			f.Note = "the file was removed"
		}
		return view.Diff{Files: []view.DiffFile{f}}, nil
	}
	text, err := wp.Repo.Run(ctx, "diff", "--no-ext-diff", "--no-textconv", "--no-color", from.OID.String(), to.OID.String())
	if err != nil {
		return view.Diff{}, err
	}
	files, err := patch.Parse(text)
	for i := range files {
		files[i].Old, files[i].New = path, path
	}
	show := view.Shower{More: func(string, int, int) string { return "" }}
	return show.Show(files, 0, 0), err
}

// do carries out what a preview has shown.
func (p *Pages) do(read func(*http.Request) (rewindlib.Request, error), show maker) http.HandlerFunc {
	return p.action(func(ctx context.Context, r *http.Request) (*answer, error) {
		req, err := read(r)
		if err != nil {
			return nil, err
		}
		mark := r.PostFormValue("mark")
		if mark == "" {
			return nil, cliui.Failf("open the page and look at the preview first", "the form names no preview")
		}
		done, err := rewindlib.Do(ctx, p.env, req, mark)
		if errors.Is(err, rewindlib.ErrPlanChanged) || errors.Is(err, restore.ErrWorktreeMoved) {
			a, err := show(ctx, r)
			if err == nil {
				page := a.body.(rewindPage)
				page.Moved = "Nothing was done: the files have changed since this preview was made. This is a new one."
				a.body, a.status = page, http.StatusConflict
			}
			return a, err
		}
		if err != nil {
			return nil, err
		}
		p.past.forgetPresent()
		return &answer{template: "done", title: done.Words, section: "timeline", body: done}, nil
	})
}

// action returns the handler of a POST. An action that has begun is not broken off when its browser goes.
func (p *Pages) action(do maker) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		a, err := do(context.WithoutCancel(r.Context()), r)
		if err != nil {
			p.fail(w, r, err)
			return
		}
		p.give(w, r, a)
	}
}

// label shows the form that saves the worktree under a name.
func (p *Pages) label(context.Context, *http.Request) (*answer, error) {
	return &answer{template: "label", title: "Save the present", section: "timeline", body: map[string]string{"command": `entire save "NAME"`}}, nil
}

func (p *Pages) saveLabel(w http.ResponseWriter, r *http.Request) {
	point, err := rewindlib.SaveLabel(context.WithoutCancel(r.Context()), p.env, r.PostFormValue("label"))
	if err != nil {
		p.fail(w, r, err)
		return
	}
	http.Redirect(w, r, p.o.Links.At(point.ID), http.StatusSeeOther)
}
