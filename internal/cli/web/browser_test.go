package web_test

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"entire/internal/cli/web"
)

// One Chromium serves all tests; each opens tabs of its own.
var chromium struct {
	once sync.Once
	ctx  context.Context
	end  []context.CancelFunc
	why  string // it cannot be used
	dir  string
}

func startChromium() {
	path := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "chrome"} {
		if found, err := exec.LookPath(name); err == nil {
			path = found
			break
		}
	}
	if path == "" {
		chromium.why = "no Chromium is installed: chromium, chromium-browser or google-chrome on PATH"
		return
	}
	var err error
	if chromium.dir, err = os.MkdirTemp("", "chromium"); err != nil {
		chromium.why = err.Error()
		return
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.UserDataDir(chromium.dir), chromedp.WSURLReadTimeout(2*time.Minute), chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.Flag("disable-background-networking", true), chromedp.Flag("disable-component-update", true), chromedp.Flag("disable-dev-shm-usage", true),
		chromedp.Flag("force-device-scale-factor", "1"), chromedp.Flag("font-render-hinting", "none"))
	all, end := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, close := chromedp.NewContext(all)
	chromium.ctx, chromium.end = ctx, []context.CancelFunc{close, end}
	if err := chromedp.Do(ctx); err != nil {
		chromium.why = "Chromium does not start: " + err.Error()
	}
}

func stopChromium() {
	for _, end := range chromium.end {
		end()
	}
	if chromium.dir != "" {
		_ = os.RemoveAll(chromium.dir)
	}
}

// A site is the pages of a story on a port of this machine.
type site struct {
	*web.Server
	t  testing.TB
	at string // origin and folder of the pages
}

// serve serves the pages of a story until the test ends.
func (s *story) serve(readOnly bool) *site {
	s.t.Helper()
	ctx, cancel := context.WithCancel(s.t.Context())
	server, err := web.Start(ctx, s.env(), web.Options{ReadOnly: readOnly, Zone: time.UTC})
	s.ok(err)
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(ctx) }()
	s.t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			s.t.Error(err)
		}
	})
	return &site{Server: server, t: s.t, at: server.Origin + server.Base()}
}

// A tab shows pages of a site in Chromium. At the end of its test it has asked for nothing elsewhere, and its
// console has said nothing but what was expected.
type tab struct {
	*site
	ctx      context.Context
	mu       sync.Mutex
	console  []string
	asked    []string
	expected string // part of what the console may say
	files    bool   // it may open files of the test
	noScript bool
}

func (w *site) tab() *tab {
	w.t.Helper()
	chromium.once.Do(startChromium)
	if chromium.why != "" {
		w.t.Skip(chromium.why)
	}
	ctx, end := chromedp.NewContext(chromium.ctx, chromedp.WithNewBrowserContext())
	w.t.Cleanup(end)
	ctx, stop := context.WithTimeout(ctx, 10*time.Minute)
	w.t.Cleanup(stop)
	b := &tab{site: w, ctx: ctx}
	b.ok(chromedp.Listen(ctx, b.hear))
	w.t.Cleanup(b.check)
	call(b, network.Enable, network.EnableParams{})
	call(b, runtime.Enable, cdp.Empty{})
	return b
}

func (b *tab) ok(err error) {
	b.t.Helper()
	if err != nil {
		b.t.Fatal(err)
	}
}

// call sends a command to the browser.
func call[P, R any](b *tab, cmd cdp.Command[P, R], params P) {
	b.t.Helper()
	_, err := chromedp.Call(b.ctx, cmd, params)
	b.ok(err)
}

// look sets the width of the window and the theme of the system.
func (b *tab) look(width int64, theme string) {
	b.t.Helper()
	call(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: theme}}})
	b.do(chromedp.EmulateViewport(width, 900))
}

// scriptless lets pages run no script.
func (b *tab) scriptless() *tab {
	b.noScript = true
	call(b, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
	return b
}

func (b *tab) hear(ev any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch ev := ev.(type) {
	case *runtime.EventExceptionThrown:
		why := ""
		if e := ev.ExceptionDetails.Exception; e != nil {
			why = e.Description
		}
		b.console = append(b.console, fmt.Sprintf("%s at %s: %s", ev.ExceptionDetails.Text, ev.ExceptionDetails.URL, why))
	case *runtime.EventConsoleAPICalled:
		b.console = append(b.console, fmt.Sprint(ev.Type))
	case *network.EventRequestWillBeSent:
		b.asked = append(b.asked, ev.Request.URL)
	case *network.EventResponseReceived:
		if ev.Response.Status >= 400 {
			b.console = append(b.console, fmt.Sprintf("%d for %s", int(ev.Response.Status), ev.Response.URL))
		}
	}
}

func (b *tab) check() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, said := range b.console {
		if b.expected == "" || !strings.Contains(said, b.expected) {
			b.t.Errorf("the console says %s", said)
		}
	}
	origin, err := url.Parse(b.at)
	if err != nil {
		b.t.Fatal(err)
	}
	for _, asked := range b.asked {
		u, err := url.Parse(asked)
		if err != nil || u.Host != origin.Host && u.Scheme != "data" && !(b.files && u.Scheme == "file") {
			b.t.Errorf("it asked for %s", asked)
		}
	}
}

func (b *tab) do(actions ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	b.ok(chromedp.Do(b.ctx, actions...))
}

// enter uses a link as a person does.
func (b *tab) enter(page string) *tab {
	b.t.Helper()
	b.do(chromedp.Navigate(b.Link(page, 0)))
	b.until(`location.pathname.startsWith("` + b.Base() + `") && document.readyState === "complete"`)
	return b
}

// until waits for an expression to be true, also over the loading of another page.
func (b *tab) until(expression string) {
	b.t.Helper()
	b.wait(expression, func() (bool, error) { return chromedp.Run(b.ctx, chromedp.Evaluate[bool]("!!("+expression+")")) })
}

// wait waits for a state. While another page is loading there is none to look at, so an error is no answer.
func (b *tab) wait(what string, holds func() (bool, error)) {
	b.t.Helper()
	for end := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		ok, err := holds()
		if ok {
			return
		}
		if time.Now().After(end) {
			b.t.Fatalf("waited for %s: %v; the page says:\n%s", what, err, b.text("body"))
		}
	}
}

// patience is how long a state is waited for. A machine that does other work, too, needs many times as long as one
// that does not.
const patience = 3 * time.Minute

// text returns the text of the first element that a selector finds, "" for none. The browser may not have laid out files
// that are far down the page, and would leave them out.
func (b *tab) text(selector string) string {
	b.t.Helper()
	const laidOut = `document.querySelectorAll(".file").forEach(f => f.style.contentVisibility = "visible")`
	return value[string](b, fmt.Sprintf(`(%s, document.querySelector(%q)?.innerText ?? "")`, laidOut, selector))
}

// value returns the value of an expression.
func value[T any](b *tab, expression string) T {
	b.t.Helper()
	v, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](expression))
	b.ok(err)
	return v
}

// open goes to a page of the site.
func (b *tab) open(page string) {
	b.t.Helper()
	b.do(chromedp.Navigate(b.at + page))
}

// key presses keys, once the page listens to them.
func (b *tab) key(keys string) {
	b.t.Helper()
	b.until(complete)
	b.do(chromedp.KeyEvent(keys))
}

// await runs a script to the end of its promise and returns its value, if that is a text.
func (b *tab) await(script string) string {
	b.t.Helper()
	v, err := chromedp.Run(b.ctx, chromedp.Evaluate[any](script, chromedp.EvalAwaitPromise, chromedp.EvalAsValue))
	b.ok(err)
	text, _ := v.(string)
	return text
}

// click clicks on the first element that a selector finds, once it stands still and nothing covers it. A page that is
// brought up to date, or laid out further, between the two may take the element from under the mouse: it clicks again.
func (b *tab) click(selector string) {
	b.t.Helper()
	place := fmt.Sprintf(`(e => {
		if (!e || !(`+complete+`)) return []
		e.scrollIntoView({ block: "center", inline: "nearest" })
		const r = e.getClientRects()[0]
		if (!r) return []
		const x = r.x + r.width / 2, y = r.y + r.height / 2, on = document.elementFromPoint(x, y)
		return e.contains(on) ? [x, y] : []
	})(document.querySelector(%q))`, selector)
	look := fmt.Sprintf(`(s => {
		window.missed = true
		document.addEventListener("click", e => { window.missed = !e.target.closest(s) }, { capture: true, once: true })
	})(%q)`, selector)
	var before []float64
	b.wait("that "+selector+" can be clicked", func() (bool, error) {
		at, err := chromedp.Run(b.ctx, chromedp.Evaluate[[]float64](place))
		still := len(at) == 2 && slices.Equal(at, before)
		before = at
		if !still || err != nil {
			return false, err
		}
		if !b.noScript {
			chromedp.Run(b.ctx, chromedp.Evaluate[any](look))
		}
		b.do(chromedp.MouseClickXY(at[0], at[1]))
		if b.noScript {
			return true, nil
		}
		missed, err := chromedp.Run(b.ctx, chromedp.Evaluate[bool]("!!window.missed"))
		return !missed || err != nil, nil // an error: it is leaving for another page
	})
}

// follow clicks on a link or a button that leads to another page, and waits for that.
func (b *tab) follow(selector string) {
	b.t.Helper()
	b.until(fmt.Sprintf(`document.querySelector(%q) && (document.documentElement.dataset.left = "yes")`, selector))
	b.click(selector)
	b.until(`!document.documentElement.dataset.left && ` + complete)
}

// focus puts the focus on the first element that a selector finds.
func (b *tab) focus(selector string) {
	b.t.Helper()
	b.until(complete + fmt.Sprintf(` && (e => e && (e.focus(), e === document.activeElement))(document.querySelector(%q))`, selector))
}

// fill types into the first element that a selector finds, in place of what is there.
func (b *tab) fill(selector, text string) {
	b.t.Helper()
	b.focus(selector)
	b.until("document.activeElement.select() === undefined")
	b.do(chromedp.KeyEvent(text))
}
