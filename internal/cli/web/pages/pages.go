package pages

import (
	"context"
	"io"
	"net/http"
	"path/filepath"
	"strings"

	"entire/internal/cli/cliui"
	"entire/internal/cli/rewindlib"
	"entire/internal/cli/sessionlib"
	"entire/internal/cli/statuslib"
	"entire/internal/cli/web/view"
	"entire/internal/cli/workplace"
	"entire/strategy/condense"
)

// Options are what the pages need.
type Options struct {
	Env      *cliui.Env
	Views    *view.Views
	Links    view.Links
	ReadOnly bool
	Static   bool                // the pages become files of a folder
	Clean    func(string) string // takes secrets out of the text of files; nil for none
	// Form returns the token that the forms of a page for this request carry; nil for none.
	Form func(*http.Request) string
}

// Pages is the handler of all pages of a worktree.
type Pages struct {
	o         Options
	env       *cliui.Env
	past      *past
	changes   *changes
	mux       *http.ServeMux
	works     works
	readings  readings
	indexing  job[struct{}]
	using     job[struct{}]
	reviews   reviews
	parts     map[string][]int // where the parts of sessions begin, of pages that become files
	reader    sessionlib.PartReader
	examining job[*statuslib.Diagnosis]
	top       string
}

// Open opens the worktree around the current directory and finishes what a crash interrupted.
func Open(ctx context.Context, o Options) (*Pages, error) {
	env := quiet(o.Env)
	past, err := openPast(ctx, env, o.Env)
	if err != nil {
		return nil, err
	}
	p := &Pages{o: o, env: env, past: past, mux: http.NewServeMux(), top: past.places[0].Place.Top}
	p.works.ctx = ctx
	p.changes = watch(ctx, past)
	p.routes()
	return p, nil
}

// Close ends the reading. The context of Open has ended before.
func (p *Pages) Close() {
	p.works.Wait()
	p.changes.wait()
	p.past.close()
}

// quiet is the world of the requests: nobody can be asked, and what commands print beside their result is not
// shown to anybody.
func quiet(env *cliui.Env) *cliui.Env {
	out := *env
	out.In, out.Out, out.Err = strings.NewReader(""), io.Discard, io.Discard
	return &out
}

func (p *Pages) routes() {
	p.mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, p.o.Links.Timeline(0), http.StatusSeeOther)
	})
	p.mux.HandleFunc("GET /assets/{file}", p.o.Views.ServeAsset)
	p.mux.HandleFunc("GET /prefer", p.prefer)
	p.mux.HandleFunc("GET /events", p.events)
	p.page("/timeline", p.timeline)
	p.page("/point/{id}", p.point)
	p.page("/sessions", p.sessions)
	p.page("/session/{id}", p.session)
	p.mux.HandleFunc("GET /session/{id}/image", p.image)
	p.mux.HandleFunc("GET /session/{id}/point", p.pointOf)
	p.page("/review", p.review)
	p.page("/search", p.search)
	p.page("/usage", p.usage)
	p.page("/status", p.status)
	p.page("/doctor", p.doctor)
	p.page("/files", p.files)
	p.page("/file", p.file)
	p.page("/why", p.why)
	p.page("/diff", p.diff)
	p.page("/present", p.present)
	p.page("/keys", p.keys)
	if p.changing() {
		p.actions()
	}
	p.mux.HandleFunc("/", p.none)
}

// changing reports whether pages offer to change something.
func (p *Pages) changing() bool { return !p.o.ReadOnly && p.o.Form != nil }

// actions adds the pages that change something. Each shows first what it would do.
func (p *Pages) actions() {
	p.page("/rewind", p.rewind)
	p.page("/undo", p.back(condense.RewindUndo))
	p.page("/redo", p.back(condense.RewindRedo))
	p.page("/label", p.label)
	p.mux.HandleFunc("POST /rewind", p.do(request, p.rewind))
	for path, kind := range map[string]condense.RewindKind{"/undo": condense.RewindUndo, "/redo": condense.RewindRedo} {
		p.mux.HandleFunc("POST "+path, p.do(func(r *http.Request) (rewindlib.Request, error) { return backRequest(kind, r), nil }, p.back(kind)))
	}
	p.mux.HandleFunc("POST /label", p.saveLabel)
	p.mux.HandleFunc("POST /doctor", p.action(p.mend))
	p.mux.HandleFunc("POST /session/{id}/title", p.rename)
}

// Top returns the folder of the worktree.
func (p *Pages) Top() string { return p.top }

// repository returns the name of the repository.
func (p *Pages) repository() string { return filepath.Base(p.top) }

func (p *Pages) branch(ctx context.Context) string {
	if name := workplace.BranchAt(ctx, p.env.Environ, p.top); name != "?" {
		return name
	}
	return ""
}
