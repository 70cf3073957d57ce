package pages

import (
	"net/http"
	"slices"
	"strings"
)

// preferences are what a browser remembers of how pages are shown, and the values of each. Another value
// stands for none.
func preferences() map[string][]string {
	return map[string][]string{"theme": {"light", "dark"}, "diff": {"split"}}
}

// prefer sets a preference in a cookie, and goes back to a page.
func (p *Pages) prefer(w http.ResponseWriter, r *http.Request) {
	for name, values := range preferences() {
		if !r.URL.Query().Has(name) {
			continue
		}
		c := &http.Cookie{Name: name, Value: r.FormValue(name), Path: p.o.Links.Base + "/", HttpOnly: true, SameSite: http.SameSiteStrictMode}
		if !slices.Contains(values, c.Value) {
			c.Value, c.MaxAge = "", -1
		}
		http.SetCookie(w, c)
	}
	back := r.FormValue("back")
	if !strings.HasPrefix(back, "/") || strings.HasPrefix(back, "//") || strings.ContainsAny(back, "\\\r\n") {
		back = "/timeline"
	}
	http.Redirect(w, r, p.o.Links.Base+back, http.StatusSeeOther)
}

// preference returns a preference, "" for none.
func preference(r *http.Request, name string, values ...string) string {
	if c, err := r.Cookie(name); err == nil && slices.Contains(values, c.Value) {
		return c.Value
	}
	return ""
}
