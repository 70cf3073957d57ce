package review

import (
	"bytes"
	"context"
	"encoding/json"
	"html"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"
)

// lookPage opens the report in a frame of each width, unfolds all of it and writes
// down what it sees: what sticks out to the side, and texts that stand out too little
// from what is behind them.
const lookPage = `<!doctype html><title>look</title><body><iframe width="360" height="800"></iframe><iframe width="1400" height="800"></iframe><pre id="seen"></pre><script>
const luminance = c => { const [r, g, b] = c.map(v => { v /= 255; return v <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4 }); return .2126 * r + .7152 * g + .0722 * b }
const numbers = c => c.match(/[\d.]+/g).map(Number)
const behind = e => { for (; e; e = e.parentElement) { const c = numbers(e.ownerDocument.defaultView.getComputedStyle(e).backgroundColor); if (c.length < 4 || c[3] > 0) return c.slice(0, 3) } return [255, 255, 255] }
const all = []
for (const frame of document.querySelectorAll("iframe")) {
  frame.onload = () => {
    const doc = frame.contentDocument, view = doc.defaultView, width = doc.documentElement.clientWidth
    const seen = { width, texts: 0, wide: [], faint: [], alien: [], fetched: view.performance.getEntriesByType("resource").map(r => r.name) }
    for (const d of doc.querySelectorAll("details")) d.open = true
    seen.sticksOut = doc.documentElement.scrollWidth - width
    for (const e of doc.body.querySelectorAll("*")) {
      if (/script|iframe|img|h3|form|object/i.test(e.tagName)) seen.alien.push(e.tagName)
      if (e.getBoundingClientRect().right > width + 1 && !e.closest(".lines, .scroll")) seen.wide.push(e.tagName + ": " + e.textContent.slice(0, 60))
      if (![...e.childNodes].some(n => n.nodeType == 3 && n.data.trim())) continue
      seen.texts++
      const a = luminance(numbers(view.getComputedStyle(e).color).slice(0, 3)), b = luminance(behind(e))
      const contrast = (Math.max(a, b) + .05) / (Math.min(a, b) + .05)
      if (contrast < 4.5) seen.faint.push(e.tagName + "." + e.className + " " + contrast.toFixed(2) + ": " + e.textContent.slice(0, 40))
    }
    const shown = e => e.getClientRects().length > 0
    const rows = [...doc.querySelectorAll(".lines tr.by")]
    for (const choice of doc.querySelectorAll("input[name=owner]")) {
      choice.checked = true
      for (const r of rows) if (shown(r) != (choice.id == "everybody" || r.classList.contains(choice.id))) seen.alien.push(choice.id + " shows " + r.className)
    }
    doc.getElementById("everybody").checked = true
    for (const d of doc.querySelectorAll("details")) d.open = false
    const inside = r => { for (let d = r.closest("details"); d; d = d.parentElement.closest("details")) if (r.getBoundingClientRect().bottom > d.getBoundingClientRect().bottom + 1) return false; return true }
    seen.folded = rows.filter(r => !inside(r)).length
    doc.getElementById("all").checked = true
    seen.unfolded = rows.filter(inside).length
    seen.rows = rows.length
    seen.page = view.getComputedStyle(doc.body).backgroundColor
    all.push(seen)
    document.getElementById("seen").textContent = JSON.stringify(all)
  }
  frame.src = "/report"
}
</script>`

type look struct {
	Width, Texts, SticksOut int
	Rows, Folded, Unfolded  int // changed lines: all, those hidden at first, those seen once all is expanded
	Wide, Faint, Alien      []string
	Fetched                 []string
	Page                    string
}

// TestHTMLInABrowser looks at the page, with hostile names in it, in Chromium: light
// and dark, on a telephone and on a desk.
func TestHTMLInABrowser(t *testing.T) {
	t.Parallel()
	browser := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			browser = path
			break
		}
	}
	if browser == "" {
		t.Skip("no Chromium here")
	}
	d := hostileOrder()
	d.Group("file")
	var report bytes.Buffer
	if err := d.HTML(&report); err != nil {
		t.Fatal(err)
	}
	for _, scheme := range []string{"dark", "light"} {
		t.Run(scheme, func(t *testing.T) {
			looks := lookAt(t, browser, report.Bytes(), scheme)
			if len(looks) != 2 || looks[0].Width == looks[1].Width {
				t.Fatalf("looked %d times: %+v", len(looks), looks)
			}
			for _, seen := range looks {
				if light := seen.Page == "rgb(255, 255, 255)"; light != (scheme == "light") {
					t.Errorf("the page is %s", seen.Page)
				}
				if seen.Rows == 0 || seen.Folded != seen.Rows || seen.Unfolded != seen.Rows {
					t.Errorf("of %d lines %d are folded away, and %d seen when all is expanded", seen.Rows, seen.Folded, seen.Unfolded)
				}
				if seen.Texts < 100 || seen.SticksOut > 0 || len(seen.Wide)+len(seen.Faint)+len(seen.Alien)+len(seen.Fetched) > 0 {
					t.Errorf("%d pixels: %d texts; it is %d too wide by %q; hardly to be read: %q; not ours: %q; fetched: %q",
						seen.Width, seen.Texts, seen.SticksOut, seen.Wide, seen.Faint, seen.Alien, seen.Fetched)
				}
			}
		})
	}
}

// itsOwn are the hosts that Chromium would like to tell that it was started. It gets no
// further than to the test, which is its proxy.
var itsOwn = regexp.MustCompile(`^[a-z0-9.-]+\.(google|googleapis|gvt1|gstatic)\.com[:/]`)

// lookAt is what the browser sees. It must ask for nothing but the page, and have
// nothing to complain of.
func lookAt(t *testing.T, browser string, report []byte, scheme string) []look {
	var mu sync.Mutex
	var asked []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		asked = append(asked, r.Host+r.URL.Path)
		mu.Unlock()
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		switch r.URL.Path {
		case "/look":
			_, _ = w.Write([]byte(lookPage))
		case "/report":
			_, _ = w.Write(report)
		case "/favicon.ico": // of the page around it
			w.WriteHeader(http.StatusNotFound)
		}
	}))
	defer server.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	preferred := map[string]string{"dark": "0", "light": "1"}[scheme]
	dir, err := os.MkdirTemp("/tmp", "chromium") // a socket's path has to be short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) }) // its helpers may still write there
	cmd := exec.CommandContext(ctx, browser, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
		"--disable-background-networking", "--user-data-dir="+filepath.Join(dir, "user"), "--enable-logging=stderr", "--window-size=1600,1000",
		"--blink-settings=preferredColorScheme="+preferred, "--proxy-server="+server.Listener.Addr().String(), "--proxy-bypass-list=<-loopback>",
		"--virtual-time-budget=10000", "--dump-dom", server.URL+"/look")
	cmd.Env, cmd.WaitDelay = append(os.Environ(), "TMPDIR="+dir), time.Minute
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, said.String())
	}
	var console []string
	for line := range strings.Lines(said.String()) {
		if strings.Contains(line, "CONSOLE") && !strings.Contains(line, "favicon.ico") {
			console = append(console, line)
		}
	}
	if len(console) > 0 {
		t.Errorf("the console says %q", console)
	}
	mu.Lock()
	defer mu.Unlock()
	for _, what := range asked {
		path, here := strings.CutPrefix(what, server.Listener.Addr().String())
		if here && path != "/look" && path != "/report" && path != "/favicon.ico" || !here && !itsOwn.MatchString(what) {
			t.Errorf("it asked for %s", what)
		}
	}
	m := regexp.MustCompile(`<pre id="seen">([^<]*)</pre>`).FindSubmatch(out)
	if m == nil {
		t.Fatalf("nothing was seen:\n%s", out)
	}
	var seen []look
	if err := json.Unmarshal([]byte(html.UnescapeString(string(m[1]))), &seen); err != nil {
		t.Fatalf("%v in %q", err, m[1])
	}
	return seen
}
