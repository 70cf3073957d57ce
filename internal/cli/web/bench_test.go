package web_test

import (
	"bufio"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/performance"
	"github.com/chromedp/chromedp"
)

// The folder that internal/benchmark/ui has made, and the program that shows it.
const (
	labVar     = "ENTIRE_BENCH_LAB"
	programVar = "ENTIRE_BENCH_PROGRAM"
)

// BenchmarkPages loads each kind of page of a large repository in Chromium, and measures the time until its
// first paint, its size on the way, and the memory of the server, which is a process of its own.
func BenchmarkPages(b *testing.B) {
	if os.Getenv(labVar) == "" {
		b.Skip("make bench-ui makes the repository")
	}
	p := startProgram(b)
	turn := p.await(`fetch(document.body.dataset.base + "/timeline.json").then(r => r.json()).then(t => t.points.find(p => p.kind === "turn").id)`)
	session := p.await(`fetch(document.body.dataset.base + "/sessions.json").then(r => r.json()).then(s => s.sessions[0].session_id)`)
	head, err := exec.CommandContext(b.Context(), "git", "-C", filepath.Join(os.Getenv(labVar), "repo"), "rev-parse", "HEAD").Output()
	if err != nil {
		b.Fatal(err)
	}
	commit := strings.TrimSpace(string(head))
	for _, page := range []struct{ name, path string }{
		{"timeline", "/timeline"}, {"timeline-old", "/timeline?from=49000"}, {"turn", "/point/" + turn}, {"commit", "/point/" + commit}, {"files", "/files"},
		{"file", "/file?path=src/p1/f1.go"}, {"why", "/why?path=src/p1/f1.go&line=3"}, {"diff", "/diff?a=" + turn}, {"sessions", "/sessions"},
		{"session", "/session/" + session}, {"session-middle", "/session/" + session + "?from=4000"}, {"session-find", "/session/" + session + "?find=retimo"},
		{"search", "/search?q=retimo"}, {"review", "/review?range=HEAD~20..HEAD"}, {"status", "/status"}, {"rewind", "/rewind?what=files&to=" + turn},
	} {
		b.Run(page.name, func(b *testing.B) { p.measure(b, page.path) })
	}
	b.Run("memory", func(b *testing.B) {
		for b.Loop() {
		}
		most, now := p.memory()
		b.ReportMetric(most, "MB-at-most")
		b.ReportMetric(now, "MB-now")
	})
}

// A program serves the pages of the large repository as a process of its own.
type program struct {
	*tab
	pid int
}

func startProgram(b *testing.B) *program {
	lab := os.Getenv(labVar)
	cmd := exec.CommandContext(b.Context(), os.Getenv(programVar), "web", "--no-open")
	cmd.Dir, cmd.Env = filepath.Join(lab, "repo"), []string{"HOME=" + filepath.Join(lab, "home"), "PATH=" + os.Getenv("PATH"), "LANG=C.UTF-8", "GIT_CONFIG_NOSYSTEM=1"}
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		_ = cmd.Wait()
	})
	link, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		b.Fatal(err)
	}
	u, err := url.Parse(link[:len(link)-1])
	if err != nil {
		b.Fatal(err)
	}
	w := &site{t: b, at: u.Scheme + "://" + u.Host}
	p := &program{w.tab(), cmd.Process.Pid}
	p.do(chromedp.Navigate(u.String()))
	p.until(`document.body?.dataset.base && ` + complete)
	w.at += value[string](p.tab, `document.body.dataset.base`)
	p.look(1400, "light")
	return p
}

// measure loads a page again and again.
func (p *program) measure(b *testing.B, path string) {
	var paints, answers []float64
	size, before := 0.0, p.processor()
	for b.Loop() {
		p.open(path)
		p.until(`performance.getEntriesByName("first-contentful-paint").length`)
		seen := value[[]float64](p.tab, `(n => [performance.getEntriesByName("first-contentful-paint")[0].startTime, n.responseEnd, n.encodedBodySize])(performance.getEntriesByType("navigation")[0])`)
		paints, answers, size = append(paints, seen[0]), append(answers, seen[1]), seen[2]
	}
	slices.Sort(paints)
	slices.Sort(answers)
	b.ReportMetric(paints[0], "ms-to-paint-min") // what the page takes when the machine does nothing else
	b.ReportMetric(paints[len(paints)/2], "ms-to-paint")
	b.ReportMetric(answers[0], "ms-to-answer-min")
	b.ReportMetric((p.processor()-before)/float64(len(paints)), "ms-of-processor")
	b.ReportMetric(size/1024, "KB")
}

// processor returns how much processor time the server has had, in milliseconds.
func (p *program) processor() float64 {
	text, _ := os.ReadFile(filepath.Join("/proc", strconv.Itoa(p.pid), "stat"))
	_, rest, _ := strings.Cut(string(text), ") ")
	fields, sum := strings.Fields(rest), 0.0
	for _, i := range []int{11, 12, 13, 14} { // its own, and that of the programs that it has waited for
		if i < len(fields) {
			ticks, _ := strconv.ParseFloat(fields[i], 64)
			sum += ticks * 10
		}
	}
	return sum
}

// memory returns the resident memory of the server in megabytes: at most, and now. It is 0 where there is no
// /proc.
func (p *program) memory() (most, now float64) {
	status, _ := os.ReadFile(filepath.Join("/proc", strconv.Itoa(p.pid), "status"))
	of := func(name string) float64 {
		m := regexp.MustCompile(name + `:\s+(\d+) kB`).FindSubmatch(status)
		if m == nil {
			return 0
		}
		kb, _ := strconv.ParseFloat(string(m[1]), 64)
		return kb / 1024
	}
	return of("VmHWM"), of("VmRSS")
}

// metric returns a figure of the browser's about the tab.
func (b *tab) metric(name string) float64 {
	found, err := chromedp.Call(b.ctx, performance.GetMetrics, cdp.Empty{})
	b.ok(err)
	for _, m := range found.Metrics {
		if m.Name == name {
			return m.Value
		}
	}
	return 0
}

// BenchmarkScroll scrolls through a session of 50,000 messages by 300 pixels in each frame, and measures the time
// from frame to frame.
func BenchmarkScroll(b *testing.B) {
	s := newLongSession(b)
	t := s.serve(true).tab().enter("/session/" + rounding)
	t.look(1400, "light")
	call(t, performance.Enable, performance.EnableParams{TimeDomain: performance.EnableTimeDomainThreadTicks})
	var frames []float64
	processor := 0.0
	for b.Loop() {
		t.open("/session/" + rounding + "?from=20000")
		t.until(complete)
		begun := t.metric("TaskDuration")
		t.await(`(async () => {
			window.frames = []
			let before = await new Promise(requestAnimationFrame)
			for (let i = 0; i < 600; i++) {
				scrollBy(0, 300)
				const now = await new Promise(requestAnimationFrame)
				frames.push(now - before)
				before = now
			}
		})()`)
		frames, processor = append(frames, value[[]float64](t, "frames")...), processor+t.metric("TaskDuration")-begun
	}
	b.ReportMetric(1000*processor/float64(len(frames)), "ms-of-processor/frame")
	slices.Sort(frames)
	b.ReportMetric(frames[len(frames)/2], "ms-frame")
	b.ReportMetric(frames[len(frames)*99/100], "ms-frame-p99")
	b.ReportMetric(frames[len(frames)-1], "ms-frame-max")
	last := value[int](t, `+document.querySelector("#talk").lastElementChild.id.slice(1)`)
	b.ReportMetric(float64(last-20000), "messages-passed")
}
