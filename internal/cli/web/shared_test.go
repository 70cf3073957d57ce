package web_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/spf13/cobra"

	"entire/internal/cli/clitest"
	"entire/internal/cli/cliui"
	"entire/internal/cli/sharecmd"
	"entire/internal/cli/teleportcmd"
	"entire/internal/teleport"
	"entire/internal/timeline"
)

// shared runs `entire share` at a time, and returns the file that it wrote.
func (s *story) shared(now time.Time, args ...string) string {
	s.t.Helper()
	file := filepath.Join(s.t.TempDir(), "shared.html")
	env := s.env()
	env.Now = func() time.Time { return now }
	cmd := sharecmd.Command(env)
	cmd.SetArgs(append(args, "--yes", "--output", file))
	s.ok(cmd.ExecuteContext(s.t.Context()))
	return file
}

func (b *tab) openFile(path string) {
	b.t.Helper()
	b.mu.Lock()
	b.files = true
	b.mu.Unlock()
	b.do(chromedp.Navigate("file://" + path))
	b.until(`document.readyState === "complete"`)
}

// TestShared writes a session, a turn and a commit each as one page, and reads it in a browser: before its expiry
// everything is there but secrets, at every width; afterwards nothing is.
func TestShared(t *testing.T) {
	s := newLedger(t)
	s.prompt(rounding, "Use the token <script>alert(1)</script>")
	s.writes(rounding, "config.go", "package ledger\n\nconst token = \""+clitest.Secret+"\"\nconst key = `-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEAvxFzFnuRnVZHtGmXW0i7T7dYh4kQAAAAAAAAAAAAAAAAAAAA\nc3VyZWx5IG5vdCBhIHJlYWwga2V5IGJ1dCBsb25nIGVub3VnaCB0byBiZSBvbmU=\n-----END RSA PRIVATE KEY-----`\n")
	s.stops(rounding, "It is in config.go.")
	turn := s.points(timeline.Turn)[0]
	s.commit("Use the token")
	b := s.serve(true).tab()
	for _, row := range []struct{ name, id, has, changes string }{
		{"session", rounding, "Read reads entries from CSV", ""},
		{"turn", turn, "It is in config.go.", "config.go"},
		{"commit", "HEAD~1", "Read reads entries from CSV", "csv.go"},
		{"secrets", "HEAD", "It is in config.go.", "config.go"},
	} {
		page := s.shared(time.Now(), row.id)
		data, err := os.ReadFile(page)
		s.ok(err)
		for what, text := range map[string]string{"a secret": clitest.Secret, "a key": "c3VyZWx5IG5vdCBh", "the home directory": s.Home, "the folder of the repository": s.Dir, "a script of the conversation": "<script>alert"} {
			if strings.Contains(string(data), text) {
				t.Errorf("the %s has %s", row.name, what)
			}
		}
		for _, theme := range themes {
			for _, width := range widths {
				b.look(width, theme)
				b.openFile(page)
				b.until(`!document.querySelector("#shared").hidden && document.querySelector("#notice").hidden`)
				if got := b.text("main"); !strings.Contains(got, row.has) || !strings.Contains(got, row.changes) {
					t.Errorf("the %s lacks %q or %q: %s", row.name, row.has, row.changes, got)
				}
				if wide := value[int](b, `document.documentElement.scrollWidth - innerWidth`); wide > 0 {
					t.Errorf("the %s is %d pixels wider than a window of %d", row.name, wide, width)
				}
				b.keepPicture(row.name, width, theme)
				b.accessible(row.name)
			}
		}
	}
}

// accessible lets axe-core look for what keeps people from using the page.
func (b *tab) accessible(name string) {
	b.t.Helper()
	axe, err := os.ReadFile(filepath.Join("testdata", "axe", "axe.min.js"))
	b.ok(err)
	b.await(`for (const d of document.querySelectorAll("details")) d.open = true`)
	b.await(string(axe) + "\n;0")
	if found := b.await(`axe.run(document, { resultTypes: ["violations"] }).then(r => r.passes.length < 5 ? "axe-core has hardly looked" : r.violations.map(v => v.id + ": " + v.help + " " + v.nodes[0].html).join("\n"))`); found != "" {
		b.t.Errorf("the %s: %s", name, found)
	}
}

// keepPicture writes what the tab shows into the folder that a person names, to be looked at.
func (b *tab) keepPicture(name string, width int64, theme string) {
	dir := os.Getenv("ENTIRE_TEST_PICTURES")
	if dir == "" {
		return
	}
	shot, err := chromedp.Run(b.ctx, chromedp.FullScreenshot(100))
	b.ok(err)
	b.ok(os.WriteFile(filepath.Join(dir, strings.Join([]string{name, theme, time.Duration(width).String()}, "-")+".png"), shot, 0o600))
}

// TestSharedExpires shows that a page shows nothing after its expiry, or without its script.
func TestSharedExpires(t *testing.T) {
	s := newLedger(t)
	b := s.serve(true).tab()
	b.openFile(s.shared(s.now, rounding, "--expires", "2h")) // in the past
	b.until(`document.querySelector("#notice").innerText === "This page has expired."`)
	if got := b.text("body"); strings.Contains(got, "CSV") || value[bool](b, `!!document.querySelector("#shared")`) || value[string](b, "document.title") != "This page has expired." {
		t.Errorf("the page shows %q", got)
	}
	// While it is shown, the clock passes the expiry.
	page := s.shared(time.Now(), rounding)
	b.openFile(page)
	b.until(`!document.querySelector("#shared").hidden`)
	value[int](b, `(Date.now = () => Number.MAX_SAFE_INTEGER, dispatchEvent(new Event("pageshow")), 1)`)
	b.until(`!document.querySelector("#shared")`)
	quiet := s.serve(true).tab().scriptless()
	quiet.openFile(page)
	if got := quiet.text("body"); strings.Contains(got, "CSV") || !strings.Contains(got, "has to look at the clock") {
		t.Errorf("without script it shows %q", got)
	}
}

// TestSharedPreview says what would go in, and writes nothing.
func TestSharedPreview(t *testing.T) {
	s := newLedger(t)
	file := filepath.Join(t.TempDir(), "x.html")
	env, out, told := clitest.NewWorld(s.Dir, s.Env...)
	env.Now = func() time.Time { return s.now }
	cmd := sharecmd.Command(env)
	cmd.SetArgs([]string{"HEAD", "--dry-run", "--json", "--output", file})
	s.ok(cmd.ExecuteContext(t.Context()))
	env.Flush()
	var v struct {
		Kind     string
		Turns    int
		Files    []struct{ Path string }
		Sessions []string `json:"session_ids"`
		Bytes    int
		Written  bool
	}
	s.ok(json.Unmarshal(out.Bytes(), &v))
	if v.Kind != "checkpoint" || v.Turns != 2 || len(v.Files) != 2 || len(v.Sessions) != 2 || v.Bytes < 10_000 || v.Written {
		t.Errorf("the preview is %+v", v)
	}
	if _, err := os.Stat(file); err == nil {
		t.Error("it has written the file")
	}
	if told.Len() > 0 && !strings.Contains(told.String(), "HTML") {
		t.Errorf("it says %q", told)
	}
}

// TestSharedParcel shows that a parcel can be received until it expires, and not afterwards.
func TestSharedParcel(t *testing.T) {
	s := newLedger(t)
	file := filepath.Join(t.TempDir(), "x.teleport")
	run := func(now time.Time, cmd func(*cliui.Env) *cobra.Command, args ...string) (string, error) {
		env, out, _ := clitest.NewWorld(s.Dir, s.Env...)
		env.Now = func() time.Time { return now }
		c := cmd(env)
		c.SetArgs(args)
		err := c.ExecuteContext(t.Context())
		env.Flush()
		return out.String(), err
	}
	if _, err := run(s.now, sharecmd.Command, "HEAD", "--format", "parcel", "--expires", "2d", "--yes", "--output", file); err == nil {
		t.Error("a parcel of two sessions")
	}
	out, err := run(s.now, sharecmd.Command, rounding, "--format", "parcel", "--expires", "2d", "--yes", "--output", file)
	s.ok(err)
	_, code, _ := strings.Cut(out, "Code: ")
	code, _, _ = strings.Cut(code, "\n")
	if _, err = run(s.now.Add(49*time.Hour), teleportcmd.Former, "receive", file, code, "--yes"); !errors.Is(err, teleport.ErrExpired) {
		t.Errorf("after its expiry: %v", err)
	}
	if _, err = run(s.now.Add(47*time.Hour), teleportcmd.Former, "receive", file, code, "--yes"); err != nil {
		t.Errorf("before its expiry: %v", err)
	}
}
