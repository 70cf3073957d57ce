package gate

import (
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"
)

const origin = "http://127.0.0.1:4321"

// A house is a gate before pages that say what they were asked for.
type house struct {
	*Gate
	t       *testing.T
	now     time.Time
	entered int
}

func newHouse(t *testing.T, readOnly bool) *house {
	h := &house{t: t, now: time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)}
	h.Gate = New(Options{Origin: origin, ReadOnly: readOnly, Now: func() time.Time { return h.now }, Entered: func() { h.entered++ }},
		http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprintf(w, "%s %s form=%s", r.Method, r.URL.Path, FormToken(r))
		}))
	return h
}

// ask sends a request as a browser does that shows a page of ours; change makes another of it.
func (h *house) ask(method, path, body string, change func(*http.Request)) *http.Response {
	r := httptest.NewRequest(method, origin+path, strings.NewReader(body))
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	if method == http.MethodPost {
		r.Header.Set("Origin", origin)
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	if change != nil {
		change(r)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Result()
}

func (h *house) token() string {
	_, token, ok := strings.Cut(h.Link("/", 0), "#")
	if !ok || len(token) < 40 {
		h.t.Fatalf("the link has the token %q", token)
	}
	return token
}

// enter returns the cookie for a new token.
func (h *house) enter(to string) (*http.Cookie, *http.Response) {
	res := h.ask("POST", "/enter", url.Values{"token": {h.token()}, "to": {to}}.Encode(), nil)
	if res.StatusCode != http.StatusSeeOther || len(res.Cookies()) != 1 {
		h.t.Fatalf("entered with %s and %d cookies", res.Status, len(res.Cookies()))
	}
	return res.Cookies()[0], res
}

func with(c *http.Cookie) func(*http.Request) {
	return func(r *http.Request) { r.AddCookie(c) }
}

func said(res *http.Response) string {
	b, _ := io.ReadAll(res.Body)
	return string(b)
}

func TestAToken(t *testing.T) {
	t.Parallel()
	h := newHouse(t, false)
	token := h.token()
	for i, want := range []int{http.StatusSeeOther, http.StatusForbidden} {
		res := h.ask("POST", "/enter", url.Values{"token": {token}, "to": {"/"}}.Encode(), nil)
		if res.StatusCode != want || (len(res.Cookies()) == 1) != (want == http.StatusSeeOther) {
			t.Errorf("use %d: %s with %d cookies", i+1, res.Status, len(res.Cookies()))
		}
	}
	if h.entered != 1 {
		t.Errorf("told of %d browsers", h.entered)
	}
	link := h.Link("/status?x=1", time.Minute)
	if !strings.HasPrefix(link, origin+"/status?x=1#") {
		t.Errorf("the link is %s", link)
	}
	h.now = h.now.Add(time.Minute)
	if res := h.ask("POST", "/enter", url.Values{"token": {link}}.Encode(), nil); res.StatusCode != http.StatusForbidden {
		t.Errorf("a token after its time: %s", res.Status)
	}
	if res := h.ask("POST", "/enter", url.Values{"token": {" " + h.Link("/", time.Minute) + "\n"}}.Encode(), nil); res.StatusCode != http.StatusSeeOther {
		t.Errorf("a whole link that was pasted: %s", res.Status)
	}
}

func TestTheCookie(t *testing.T) {
	t.Parallel()
	h := newHouse(t, false)
	c, res := h.enter("/point/abc?view=split")
	if !c.HttpOnly || c.SameSite != http.SameSiteStrictMode || c.Path != h.Base()+"/" || c.Domain != "" || len(h.Base()) < 12 {
		t.Errorf("the cookie is %+v", c)
	}
	if got := res.Header.Get("Location"); got != h.Base()+"/point/abc?view=split" {
		t.Errorf("goes on to %s", got)
	}
	if got := said(h.ask("GET", h.Base()+"/point/abc", "", with(c))); !strings.HasPrefix(got, "GET /point/abc form=") || len(got) < 60 {
		t.Errorf("the page says %q", got)
	}
	other := *c
	other.Value += "x"
	for name, change := range map[string]func(*http.Request){"none": nil, "another": with(&other)} {
		if res := h.ask("GET", h.Base()+"/point/abc", "", change); res.StatusCode != http.StatusUnauthorized || strings.Contains(said(res), "GET /point") {
			t.Errorf("%s cookie: %s", name, res.Status)
		}
	}
	// A program on another port may have set a cookie of the same name.
	if res := h.ask("GET", h.Base()+"/", "", func(r *http.Request) { r.AddCookie(&other); r.AddCookie(c) }); res.StatusCode != http.StatusOK {
		t.Errorf("two cookies: %s", res.Status)
	}
	if got := said(h.ask("GET", h.Base()+"/visit", "", with(c))) + said(h.ask("GET", h.Base()+"/visit", "", nil)); got != "yes" {
		t.Errorf("a door is told %q", got)
	}
}

func TestWhoIsRefused(t *testing.T) {
	t.Parallel()
	h := newHouse(t, false)
	c, _ := h.enter("/")
	page := said(h.ask("GET", h.Base()+"/", "", with(c)))
	form := url.Values{formField: {page[strings.Index(page, "form=")+5:]}}.Encode()
	for _, row := range []struct {
		name, method, body string
		change             func(*http.Request)
		want               int
	}{
		{"a page of ours", "GET", "", nil, 200},
		{"a person who typed the address", "GET", "", func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "none") }, 200},
		{"a browser that says nothing of the site", "GET", "", func(r *http.Request) { r.Header.Del("Sec-Fetch-Site") }, 200},
		{"a name that leads here", "GET", "", func(r *http.Request) { r.Host = "evil.example:4321" }, 421},
		{"localhost", "GET", "", func(r *http.Request) { r.Host = "localhost:4321" }, 421},
		{"another port", "GET", "", func(r *http.Request) { r.Host = "127.0.0.1:4322" }, 421},
		{"an image of another port's page", "GET", "", func(r *http.Request) {
			r.Header.Set("Sec-Fetch-Site", "same-site")
			r.Header.Set("Sec-Fetch-Dest", "image")
			r.Header.Set("Sec-Fetch-Mode", "no-cors")
		}, 403},
		{"a frame of another site", "GET", "", func(r *http.Request) {
			r.Header.Set("Sec-Fetch-Site", "cross-site")
			r.Header.Set("Sec-Fetch-Dest", "iframe")
			r.Header.Set("Sec-Fetch-Mode", "navigate")
		}, 403},
		{"a link of another site", "GET", "", func(r *http.Request) {
			r.Header.Set("Sec-Fetch-Site", "cross-site")
			r.Header.Set("Sec-Fetch-Dest", "document")
			r.Header.Set("Sec-Fetch-Mode", "navigate")
		}, 200},
		{"a form of ours", "POST", form, nil, 200},
		{"a form without its token", "POST", "a=b", nil, 403},
		{"a form of another origin", "POST", form, func(r *http.Request) { r.Header.Set("Origin", "http://127.0.0.1:3000") }, 403},
		{"a form without an origin", "POST", form, func(r *http.Request) { r.Header.Del("Origin") }, 403},
		{"a form of a page without an origin", "POST", form, func(r *http.Request) { r.Header.Set("Origin", "null") }, 403},
		{"another method", "DELETE", "", nil, 403},
	} {
		res := h.ask(row.method, h.Base()+"/", row.body, func(r *http.Request) {
			r.AddCookie(c)
			if row.change != nil {
				row.change(r)
			}
		})
		if res.StatusCode != row.want {
			t.Errorf("%s: %s, want %d", row.name, res.Status, row.want)
		}
		for name, want := range map[string]string{"X-Content-Type-Options": "nosniff", "Referrer-Policy": "same-origin", "Cache-Control": "no-store", "Cross-Origin-Resource-Policy": "same-origin"} {
			if got := res.Header.Get(name); got != want {
				t.Errorf("%s: %s is %q", row.name, name, got)
			}
		}
		if csp := res.Header.Get("Content-Security-Policy"); !strings.Contains(csp, "default-src 'none'") || strings.Contains(csp, "unsafe") {
			t.Errorf("%s: the policy is %q", row.name, csp)
		}
	}
	if res := h.ask("POST", "/enter", url.Values{"token": {h.token()}}.Encode(), func(r *http.Request) { r.Header.Set("Origin", "http://evil.example") }); res.StatusCode != 403 || len(res.Cookies()) > 0 {
		t.Errorf("another site enters: %s", res.Status)
	}
}

func TestReadOnly(t *testing.T) {
	t.Parallel()
	h := newHouse(t, true)
	c, _ := h.enter("/")
	page := said(h.ask("GET", h.Base()+"/", "", with(c)))
	form := url.Values{formField: {page[strings.Index(page, "form=")+5:]}}.Encode()
	if res := h.ask("POST", h.Base()+"/", form, with(c)); res.StatusCode != 403 || !strings.Contains(said(res), "--read-only") {
		t.Errorf("a form: %s", res.Status)
	}
}

func TestTheDoor(t *testing.T) {
	t.Parallel()
	h := newHouse(t, false)
	res := h.ask("GET", "/search?q=%22%3E%3Cscript%3E", "", nil)
	page := said(res)
	if res.StatusCode != http.StatusOK || !strings.Contains(page, `name="to" value="/search?q=%22%3E%3Cscript%3E"`) {
		t.Errorf("%s:\n%s", res.Status, page)
	}
	if strings.Contains(page, h.Base()) {
		t.Error("the door shows the folder of the pages")
	}
	if res := h.ask("GET", h.Base()+"/timeline.json", "", nil); res.StatusCode != http.StatusUnauthorized || strings.Contains(said(res), "<form") {
		t.Errorf("JSON without a visit: %s", res.Status)
	}
	for _, name := range []string{"/door.css", "/door.js"} {
		if res := h.ask("GET", name, "", nil); res.StatusCode != 200 || !strings.HasPrefix(res.Header.Get("Content-Type"), "text/") {
			t.Errorf("%s: %s", name, res.Status)
		}
	}
	for _, target := range []string{"//evil.example/", "http://evil.example/", `/\evil.example`, "javascript:alert(1)", "x", "", "/\tx"} {
		if got := local(target); got != "/" {
			t.Errorf("%q leads to %q", target, got)
		}
	}
}

func TestManyBrowsers(t *testing.T) {
	t.Parallel()
	h := newHouse(t, false)
	first, _ := h.enter("/")
	var last *http.Cookie
	for range visitsMax {
		last, _ = h.enter("/")
	}
	if a, b := h.ask("GET", h.Base()+"/", "", with(first)), h.ask("GET", h.Base()+"/", "", with(last)); a.StatusCode != 401 || b.StatusCode != 200 {
		t.Errorf("the first has %s, the last %s", a.Status, b.Status)
	}
}

// TestServe uses a real listener: what is compressed, what is not, and that all ends with the context.
func TestServe(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	l, at, err := Listen(ctx, "0")
	if err != nil {
		t.Fatal(err)
	}
	if ip := l.Addr().(*net.TCPAddr).IP; !ip.IsLoopback() {
		t.Errorf("listens at %s", ip)
	}
	begun := make(chan bool)
	g := New(Options{Origin: at, Now: time.Now}, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/events":
			w.Header().Set("Content-Type", "text/event-stream")
			w.WriteHeader(http.StatusOK)
			_ = http.NewResponseController(w).Flush()
			close(begun)
			<-r.Context().Done()
		default:
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			_, _ = io.WriteString(w, strings.Repeat("many words ", 1000))
		}
	}))
	served := make(chan error, 1)
	go func() { served <- Serve(ctx, l, g, nil) }()
	jar, _ := cookiejar.New(nil)
	client := &http.Client{Jar: jar, Transport: &http.Transport{DisableCompression: true}}
	post, _ := http.NewRequest("POST", at+"/enter", strings.NewReader(url.Values{"token": {g.Link("/", 0)}, "to": {"/"}}.Encode()))
	post.Header.Set("Origin", at)
	post.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	post.Header.Set("Accept-Encoding", "gzip")
	res, err := client.Do(post)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if res.Header.Get("Content-Encoding") != "gzip" {
		t.Fatalf("%s with %v", res.Status, res.Header)
	}
	zip, err := gzip.NewReader(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	if text, err := io.ReadAll(zip); err != nil || len(text) != 11000 {
		t.Errorf("read %d bytes: %v", len(text), err)
	}
	go func() {
		get, _ := http.NewRequest("GET", at+g.Base()+"/events", nil)
		get.Header.Set("Accept-Encoding", "gzip")
		if res, err := client.Do(get); err == nil {
			if res.Header.Get("Content-Encoding") != "" {
				t.Error("events are compressed")
			}
			res.Body.Close()
		}
	}()
	<-begun
	cancel()
	if err := <-served; err != nil {
		t.Errorf("ended with %v", err)
	}
	if _, err := net.Dial("tcp4", l.Addr().String()); err == nil {
		t.Error("still listens")
	}
}

// TestFlushSendsTheBeginning reads the beginning of a compressed answer while the handler waits with the rest.
func TestFlushSendsTheBeginning(t *testing.T) {
	t.Parallel()
	seen := make(chan struct{})
	server := httptest.NewServer(Compress(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, "the beginning")
		if err := http.NewResponseController(w).Flush(); err != nil {
			t.Error(err)
		}
		<-seen
		_, _ = io.WriteString(w, ", the rest")
	})))
	defer server.Close()
	res, err := http.Get(server.URL) // which decompresses
	if err != nil {
		close(seen)
		t.Fatal(err)
	}
	defer res.Body.Close()
	begin := make([]byte, len("the beginning"))
	_, err = io.ReadFull(res.Body, begin)
	close(seen)
	rest, err2 := io.ReadAll(res.Body)
	if err != nil || err2 != nil || string(begin)+string(rest) != "the beginning, the rest" || !res.Uncompressed {
		t.Errorf("%q and %q, %v, %v, compressed: %v", begin, rest, err, err2, res.Uncompressed)
	}
}
