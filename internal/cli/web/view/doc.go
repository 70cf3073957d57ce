// Package view turns values into pages of HTML.
//
// Its nouns: a [Frame] is what surrounds every page: its title, the navigation, the theme. [Views] are
// the templates of all pages, made once; Render writes one page. [Links] are the addresses of the
// pages, for a server or for a folder of files. A Row is a point as the timeline shows it.
//
//	v := view.New(view.Options{Links: view.Links{Base: base}, Zone: time.Local})
//	err := v.Render(w, "timeline", frame, body)
//
// What it guarantees: whatever a page shows has passed html/template, and the whole page
// [legible.Writer], so that text of others is text: no markup, no control character, no character
// that turns the order of what follows. Pages need no script, have no script or style within them,
// and ask for nothing from elsewhere.
//
// It gathers no data and knows no requests.
package view
