package view

import (
	"embed"
	"fmt"
	"html/template"
	"io"
	"time"

	"entire/internal/legible"
)

//go:embed templates/*.html
var templates embed.FS

// Options are what the pages of one server or one folder have in common.
type Options struct {
	Links    Links
	Zone     *time.Location
	Now      func() time.Time
	ReadOnly bool // no page offers to change anything
}

// Views are the templates of all pages.
type Views struct {
	o     Options
	pages *template.Template
}

// New parses the templates.
func New(o Options) *Views {
	if o.Zone == nil {
		o.Zone = time.UTC
	}
	v := &Views{o: o}
	v.pages = template.Must(template.New("").Funcs(v.functions()).ParseFS(templates, "templates/*.html"))
	return v
}

// A Frame is what surrounds a page.
type Frame struct {
	Title      string
	Section    string // the part of the navigation that the page belongs to
	Repository string
	Branch     string
	Theme      string // "light" or "dark"; "" for that of the system
	Form       string // the token of forms; "" where a page may change nothing
	JSON       string // the address of the page's values as JSON; "" for none
	Here       string // the page's own address, to come back to
	Note       string // at the end of a page that is one file
	Older      string // the address of the page before, and of the page after
	Newer      string
	Alone      bool      // the page is one file, with its style within it and without script
	Expires    time.Time // when a page that is one file stops to show its content, by a script within it; zero for never
	Static     bool      // the page is one of a folder of files, without script
	Live       bool      // the page is brought up to date while it is shown
	Begun      bool      // its beginning was sent already
}

// framed is what a template gets.
type framed struct {
	Frame
	Body     any
	ReadOnly bool
}

// Begin writes the beginning of a page, up to its content, for one that is Begun afterwards.
func (v *Views) Begin(w io.Writer, f Frame) error { return v.Render(w, "head", f, nil) }

// Render writes the page that the template called name makes of body.
func (v *Views) Render(w io.Writer, name string, f Frame, body any) error {
	out := legible.NewWriter(w, "")
	if err := v.pages.ExecuteTemplate(out, name, framed{f, body, v.o.ReadOnly || f.Form == ""}); err != nil {
		return fmt.Errorf("render the page %q: %w", name, err)
	}
	return out.Flush()
}
