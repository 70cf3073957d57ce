package gate

import (
	_ "embed"
	"html/template"
	"net/http"
	"strings"
)

// Paths outside the random folder. Whoever asks for them learns nothing of the repository.
const (
	doorPost   = "/enter"
	doorStyle  = "/door.css"
	doorScript = "/door.js"

	doorVisit = "/visit" // in the random folder
)

//go:embed door.html
var doorPage string

//go:embed door.css
var doorCSS string

//go:embed door.js
var doorJS string

func serveDoorFile(w http.ResponseWriter, r *http.Request) {
	text, kind := doorCSS, "text/css; charset=utf-8"
	if r.URL.Path == doorScript {
		text, kind = doorJS, "text/javascript; charset=utf-8"
	}
	w.Header().Set("Content-Type", kind)
	_, _ = w.Write([]byte(text))
}

// tellVisit says whether the browser has a visit, for a door that a person came to without a link.
func (g *Gate) tellVisit(w http.ResponseWriter, r *http.Request) {
	if _, ok := g.visits.of(r); ok {
		_, _ = w.Write([]byte("yes"))
	}
}

// A doorView is what the door shows.
type doorView struct {
	To   string // the page to go to
	Why  string // why a token was refused
	Post string
}

// door asks for a token, and afterwards shows the page at path.
func (g *Gate) door(w http.ResponseWriter, r *http.Request, status int, why, path string) {
	if r.URL.RawQuery != "" {
		path += "?" + r.URL.RawQuery
	}
	if strings.HasSuffix(r.URL.Path, ".json") {
		g.o.Refused(w, r, status, "Open the link that `entire web` printed in this browser first.")
		return
	}
	g.showDoor(w, status, doorView{To: local(path), Why: why, Post: doorPost})
}

func (g *Gate) showDoor(w http.ResponseWriter, status int, v doorView) {
	page, err := template.New("door").Parse(doorPage)
	if err != nil {
		panic(err)
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_ = page.Execute(w, v)
}

// enter exchanges a token for a cookie.
func (g *Gate) enter(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, 4096)
	to := local(r.PostFormValue("to"))
	// A person may have copied the whole link, or only what follows its sign.
	token := strings.TrimSpace(r.PostFormValue("token"))
	token = token[strings.LastIndexByte(token, '#')+1:]
	if !g.tokens.use(token, g.o.Now()) {
		g.showDoor(w, http.StatusForbidden, doorView{To: to, Post: doorPost,
			Why: "This link is not valid: it works once. The terminal shows one that has not been used."})
		return
	}
	cookie := g.secret()
	g.visits.add(cookie, g.secret())
	http.SetCookie(w, &http.Cookie{Name: cookieName, Value: cookie, Path: g.base + "/", HttpOnly: true, SameSite: http.SameSiteStrictMode})
	if g.o.Entered != nil {
		g.o.Entered()
	}
	http.Redirect(w, r, g.base+strings.TrimPrefix(to, g.base), http.StatusSeeOther)
}
