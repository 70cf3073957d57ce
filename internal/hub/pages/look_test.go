//go:build unix

package pages_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"entire/internal/hub/hubtest"
)

func TestMain(m *testing.M) { os.Exit(hubtest.Run(m)) }

// browser starts Chromium, or skips the test.
func browser(t *testing.T) context.Context {
	t.Helper()
	path := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "chrome"} {
		if found, err := exec.LookPath(name); err == nil {
			path = found
			break
		}
	}
	if path == "" {
		t.Skip("no Chromium is installed: chromium, chromium-browser or google-chrome on PATH")
	}
	dir, err := os.MkdirTemp("/tmp", "chromium") // a socket's path has to be short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) }) // its helpers may still write there
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.UserDataDir(filepath.Join(dir, "user")), chromedp.Env("TMPDIR="+dir),
		chromedp.WSURLReadTimeout(2*time.Minute), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.Flag("disable-dev-shm-usage", true))
	all, end := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(end)
	ctx, closed := chromedp.NewContext(all)
	t.Cleanup(closed)
	ctx, stop := context.WithTimeout(ctx, 5*time.Minute)
	t.Cleanup(stop)
	return ctx
}

func do(t *testing.T, ctx context.Context, actions ...chromedp.Action[chromedp.Void]) {
	t.Helper()
	if err := chromedp.Do(ctx, actions...); err != nil {
		t.Fatal(err)
	}
}

// hub serves two repositories with what a page can show.
func hub(t *testing.T) (*hubtest.Server, *hubtest.Repository) {
	t.Helper()
	shop, site := hubtest.NewRepository(t, "shop"), hubtest.NewRepository(t, "website")
	shop.Add(120)
	site.Add(60)
	s := hubtest.Serve(t, map[string]string{"shop": "file://" + shop.Dir, "website": "file://" + site.Dir}, hubtest.Options{})
	s.Await(map[string]int{"shop": 120, "website": 60})
	return s, shop
}

// TestPages: a person logs in with a token and sees every page, at three widths, light and dark: nothing is wider than
// the window, axe-core finds nothing that keeps people from using it, and nothing is asked for elsewhere. HUB_PICTURES is a
// folder for pictures of them.
func TestPages(t *testing.T) {
	axe, err := os.ReadFile(filepath.Join("..", "..", "cli", "web", "testdata", "axe", "axe.min.js"))
	if err != nil {
		t.Fatal(err)
	}
	s, shop := hub(t)
	ctx := browser(t)
	do(t, ctx, chromedp.Navigate(s.URL+"/usage?by=model"))
	wait(t, ctx, `document.querySelector("#token")`)
	do(t, ctx, chromedp.SendKeys("#token", s.Tokens["all"]), chromedp.Click("main button"))
	wait(t, ctx, `location.pathname === "/usage" && document.querySelector("h1")?.innerText === "Usage"`)
	for _, path := range []string{"/", "/search", "/search?q=invoice&team=web", "/search?q=zzzz", "/search?agent=Codex&until=2026-01-06", "/search?since=never", "/attribution", "/attribution?by=path&path=services", "/attribution?by=author", "/attribution?by=team",
		"/usage", "/usage?by=author", "/audit", "/audit?repository=shop", "/checkpoint/shop/" + shop.ID(0), "/checkpoint/shop/" + shop.ID(10), "/checkpoint/shop/000000000000", "/nothing", "/login"} {
		for width, themes := range map[int64][]string{360: {"light"}, 800: {"dark"}, 1400: {"light", "dark"}} {
			for _, theme := range themes {
				if _, err := chromedp.Call(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: theme}}}); err != nil {
					t.Fatal(err)
				}
				do(t, ctx, chromedp.EmulateViewport(width, 900), chromedp.Navigate(s.URL+path))
				wait(t, ctx, `document.readyState === "complete" && document.querySelector("h1")`)
				where := fmt.Sprintf("%s, %d pixels, %s", path, width, theme)
				if wide := value[float64](t, ctx, `document.documentElement.scrollWidth - document.documentElement.clientWidth`); wide > 0 {
					t.Errorf("%s: %v pixels wider than the window", where, wide)
				}
				picture(t, ctx, fmt.Sprintf("%s-%d-%s", strings.NewReplacer("/", "_", "?", "_", "&", "_").Replace(path), width, theme))
				if width == 800 {
					continue
				}
				for _, found := range violations(t, ctx, string(axe)) {
					t.Errorf("%s: %s", where, found)
				}
			}
		}
	}
	foreign := value[string](t, ctx, `performance.getEntriesByType("resource").map(e => e.name).filter(n => !n.startsWith(location.origin)).join(" ")`)
	if foreign != "" {
		t.Errorf("it asked for %s", foreign)
	}
	do(t, ctx, chromedp.Click(".who button"))
	wait(t, ctx, `document.querySelector("#token")`)
}

func violations(t *testing.T, ctx context.Context, axe string) (list []string) {
	t.Helper()
	value[any](t, ctx, axe+"\n;0")
	v, err := chromedp.Run(ctx, chromedp.Evaluate[string](`axe.run(document, { resultTypes: ["violations"] }).then(r => JSON.stringify(r.violations))`, chromedp.EvalAwaitPromise))
	if err != nil {
		t.Fatal(err)
	}
	var found []struct {
		ID, Help string
		Nodes    []struct{ HTML string }
	}
	if err := json.Unmarshal([]byte(v), &found); err != nil {
		t.Fatal(err)
	}
	for _, f := range found {
		list = append(list, fmt.Sprintf("%s (%s): %s", f.Help, f.ID, f.Nodes[0].HTML))
	}
	return list
}

func value[T any](t *testing.T, ctx context.Context, expression string) T {
	t.Helper()
	v, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// wait waits for an expression to be true, also over the loading of another page.
func wait(t *testing.T, ctx context.Context, expression string) {
	t.Helper()
	for end := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		ok, err := chromedp.Run(ctx, chromedp.Evaluate[bool]("!!("+expression+")"))
		if ok {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("waited for %s: %v", expression, err)
		}
	}
}

// picture keeps what the browser shows.
func picture(t *testing.T, ctx context.Context, name string) {
	dir := os.Getenv("HUB_PICTURES")
	if dir == "" {
		return
	}
	data, err := chromedp.Run(ctx, chromedp.FullScreenshot(100))
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, name+".png"), data, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}
