package tui

import (
	"io"
	"os"
	"runtime"
	"slices"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"entire/internal/cli/cliui"
	"entire/internal/cli/tui/facts"
	"entire/internal/cli/tui/tuitest"
)

// labVar names a folder that internal/benchmark/ui has made; without it the story of the tests is measured.
const labVar = "ENTIRE_BENCH_LAB"

// BenchmarkKey measures how long the program takes from a key to the frame that it changes, with what it
// reads meanwhile beside it, as in a terminal, but without one: by the clock, which also shows what else the
// machine does, and in processor time of the one thread that takes keys and makes frames. The renderer then waits
// for its next turn, at most 8 ms, and writes what differs.
func BenchmarkKey(b *testing.B) {
	for _, walk := range []struct {
		name       string
		open, keys []string
	}{
		{"timeline-down", nil, []string{"down"}},
		{"timeline-page", nil, []string{"pgdown"}},
		{"timeline-point", nil, []string{"space", "backspace"}},
		{"states", []string{"s"}, []string{"left"}},
		{"conversation", []string{"3", "enter"}, []string{"up"}},
		{"sessions", []string{"3"}, []string{"down", "up"}},
		{"files", []string{"2"}, []string{"down"}},
		{"search", []string{"/"}, []string{"r", "e", "t", "r", "y", "backspace", "backspace", "backspace", "backspace", "backspace"}},
	} {
		b.Run(walk.name, func(b *testing.B) { benchKeys(b, walk.open, walk.keys) })
	}
}

func benchKeys(b *testing.B, open, keys []string) {
	src, err := facts.Open(b.Context(), benchWorld(b), nil, "")
	if err != nil {
		b.Fatal(err)
	}
	defer src.Close()
	app := newApp(b.Context(), src, Options{Zone: time.UTC, Rest: 60 * time.Millisecond})
	defer app.close()
	in, hold, err := os.Pipe()
	if err != nil {
		b.Fatal(err)
	}
	defer hold.Close()
	program := tea.NewProgram(&paced{app}, tea.WithInput(in), tea.WithOutput(io.Discard), tea.WithWindowSize(120, 36), tea.WithFPS(framesPerSecond),
		tea.WithEnvironment([]string{"TERM=xterm-256color", "COLORTERM=truecolor"}), tea.WithContext(b.Context()))
	ended := make(chan struct{})
	go func() {
		runtime.LockOSThread() // for its processor time; the thread ends with the goroutine
		defer close(ended)
		_, _ = program.Run()
	}()
	press := func(key string) (clock, cpu time.Duration) {
		begun, from, to := time.Now(), make(chan time.Duration, 1), make(chan time.Duration, 1)
		program.Send(reached{from})
		program.Send(keyPress(key))
		program.Send(reached{to}) // taken once the frame of the key is made
		cpu = -<-from + <-to
		return time.Since(begun), cpu
	}
	time.Sleep(time.Second)
	for _, key := range open {
		press(key)
		time.Sleep(time.Second)
	}
	var clock, cpu []time.Duration
	for b.Loop() {
		c, p := press(keys[len(clock)%len(keys)])
		clock, cpu = append(clock, c), append(cpu, p)
	}
	program.Quit()
	<-ended
	for name, took := range map[string][]time.Duration{"clock": clock, "cpu": cpu} {
		slices.Sort(took)
		b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, name+"-p50-ms")
		b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, name+"-p99-ms")
	}
}

// benchWorld returns the surroundings of the lab or, without one, of the tests' story.
func benchWorld(b *testing.B) *cliui.Env {
	lab := os.Getenv(labVar)
	if lab == "" {
		return tuitest.Shop(b).World()
	}
	return &cliui.Env{In: os.Stdin, Out: io.Discard, Err: io.Discard, Environ: []string{"HOME=" + lab + "/home", "PATH=" + os.Getenv("PATH")},
		Getwd: func() (string, error) { return lab + "/repo", nil }, Now: time.Now}
}

// reached asks for the thread's processor time once every message before it has been taken.
type reached struct{ at chan time.Duration }

// paced is the program, which also takes reached.
type paced struct{ *App }

func (p *paced) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	if r, ok := msg.(reached); ok {
		r.at <- onThread()
		return p, nil
	}
	_, cmd := p.App.Update(msg)
	return p, cmd
}
