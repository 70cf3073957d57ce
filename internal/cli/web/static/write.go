package static

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"entire/internal/cli/cliui"
	"entire/internal/cli/web/pages"
	"entire/internal/cli/web/view"
	"entire/internal/durable"
	"entire/internal/redact"
)

// PagesMax is how many pages a folder gets if nobody says otherwise.
const PagesMax = 20_000

// Options are what a person chooses.
type Options struct {
	Dir   string // absolute
	Pages int    // at most
	Zone  *time.Location
	Tell  func(done, known int) // how far it has come; nil for nothing
}

// Written is what was written.
type Written struct {
	Pages int
	Bytes int64
	Left  int // links that lead to no page, because there are too many
}

// listName is the file that lists what was written. A folder with it may be written again.
const listName = ".entire-site"

// Write writes the pages of the repository around the current directory.
func Write(ctx context.Context, env *cliui.Env, o Options) (w Written, err error) {
	if err := prepare(o.Dir); err != nil {
		return w, err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s := &site{names: map[string]string{}, max: o.Pages}
	var p *pages.Pages
	links := view.Links{Name: s.name, Part: func(id string, message int) int { return p.Part(id, message) }}
	views := view.New(view.Options{Links: links, Zone: o.Zone, Now: env.Now, ReadOnly: true})
	p, err = pages.Open(ctx, pages.Options{Env: env, Views: views, Links: links, ReadOnly: true, Static: true, Clean: redact.Text})
	if err != nil {
		return w, err
	}
	defer p.Close()
	defer cancel()
	shorten := shortener(p.Top(), env.Home())
	// A folder that has no room for all pages has these, and the lists that lead to others.
	links.Timeline(0)
	links.To("sessions")
	links.To("files")
	if err := p.Name(ctx, func() bool { return len(s.names) >= s.max }); err != nil {
		return w, err
	}
	for _, name := range []string{"app.css", "icon.svg"} {
		text, err := view.Asset(name)
		if err == nil {
			err = put(o.Dir, name, []byte(text), &w)
		}
		if err != nil {
			return w, err
		}
	}
	for len(s.queue) > 0 {
		if err := ctx.Err(); err != nil {
			return w, err
		}
		address := s.queue[0]
		s.queue = s.queue[1:]
		if err := write(ctx, p, s, address, o.Dir, shorten, &w); err != nil {
			return w, err
		}
		w.Pages++
		if o.Tell != nil {
			o.Tell(w.Pages, len(s.names))
		}
	}
	w.Left = s.left
	return w, list(o.Dir, s)
}

// write writes one page.
func write(ctx context.Context, p *pages.Pages, s *site, address, dir string, shorten *strings.Replacer, w *Written) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return err
	}
	got := &answer{header: http.Header{}}
	for { // a page that takes longer is asked for again
		p.ServeHTTP(got, r)
		if got.header.Get("Refresh") == "" || ctx.Err() != nil {
			break
		}
		got = &answer{header: http.Header{}}
	}
	text := got.body.Bytes()
	if strings.HasPrefix(got.header.Get("Content-Type"), "text/html") {
		text = clean(text, shorten)
	}
	return put(dir, s.names[address], text, w)
}

func put(dir, name string, text []byte, w *Written) error {
	w.Bytes += int64(len(text))
	return durable.WriteCache(filepath.Join(dir, name), text, 0o644)
}

// shortener shows paths below the repository from its top, and those below the home directory from there.
func shortener(top, home string) *strings.Replacer {
	pairs := []string{top + "/", "", top, "."}
	if home != "" {
		pairs = append(pairs, home+"/", "~/", home, "~")
	}
	return strings.NewReplacer(pairs...)
}

// prepare makes the folder, or removes what was written into it before.
func prepare(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) == 0 {
		return err
	}
	before, err := durable.ReadPlain(filepath.Join(dir, listName), 64<<20)
	if errors.Is(err, fs.ErrNotExist) {
		return cliui.Failf("name an empty folder, or one that this command has written before", "%s is not empty", cliui.ShownName(dir))
	}
	if err != nil {
		return err
	}
	for line := range strings.Lines(string(before)) {
		if name := strings.TrimRight(line, "\r\n"); name == filepath.Base(name) && !strings.HasPrefix(name, ".") {
			if err := os.Remove(filepath.Join(dir, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
	}
	return nil
}

// list writes the names of what was written.
func list(dir string, s *site) error {
	var b strings.Builder
	b.WriteString("app.css\nicon.svg\n")
	for _, name := range s.names {
		fmt.Fprintln(&b, name)
	}
	return durable.WriteCache(filepath.Join(dir, listName), []byte(b.String()), 0o644)
}

// answer keeps what the pages answer.
type answer struct {
	header http.Header
	body   bytes.Buffer
}

func (a *answer) Header() http.Header         { return a.header }
func (a *answer) Write(p []byte) (int, error) { return a.body.Write(p) }
func (a *answer) WriteHeader(int)             {}
