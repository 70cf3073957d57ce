//go:build clients && linux

package clients

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tidwall/gjson"

	"entire/internal/fakemodel"
	"entire/internal/testrepo"
)

// A play is one scenario with one client: its world, and what was seen in it.
type play struct {
	t      *testing.T
	w      *World
	client Client
	agent  string // what `entire` calls it
	cell   *cell
}

// A cell is the outcome of a play.
type cell struct {
	wrong []string // what the scenario did not do
	looks []string // what blame, why, search, show, attribution or the tokens got wrong
	why   string   // why the client cannot do the scenario, or a part of it
	none  bool     // it can do no part of it
	ended bool     // the scenario came to its end, or to a reason
}

// newPlay makes a world with a repository in which the client's agent is enabled.
func newPlay(t *testing.T, bin, cache string, client Client, script fakemodel.Script, c *cell) *play {
	t.Helper()
	p := newWorld(t, bin, cache, client, script, c)
	p.agent = p.enable(client)
	p.git("add", "-A")
	p.git("commit", "-q", "--allow-empty", "-m", "Use Entire")
	return p
}

// newWorld makes a world with a repository.
func newWorld(t *testing.T, bin, cache string, client Client, script fakemodel.Script, c *cell) *play {
	t.Helper()
	dir, err := os.MkdirTemp("", "clients-"+client.Name+"-")
	if err != nil {
		t.Fatal(err)
	}
	w := &World{Home: filepath.Join(dir, "home"), Repo: filepath.Join(dir, "repo"), Bin: bin, Cache: cache}
	p := &play{t: t, w: w, client: client, cell: c}
	t.Cleanup(func() {
		if w.Model != nil {
			w.Model.Close()
		}
		w.Sweep()
		if t.Failed() {
			t.Logf("kept: %s", dir)
		} else if err := os.RemoveAll(dir); err != nil {
			t.Logf("remove the world: %v", err)
		}
	})
	for _, folder := range []string{w.Home, w.Repo} {
		if err := os.MkdirAll(folder, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if w.Model, err = fakemodel.Start(script, w.Repo); err != nil {
		t.Fatal(err)
	}
	config := "[user]\n\tname = Dana\n\temail = dana@example.com\n[init]\n\tdefaultBranch = main\n"
	if err := os.WriteFile(filepath.Join(w.Home, ".gitconfig"), []byte(config), 0o644); err != nil {
		t.Fatal(err)
	}
	p.git("init", "-q")
	p.save("README.md", "# A project\n")
	p.git("add", "-A")
	p.git("commit", "-q", "-m", "Begin")
	return p
}

// enable makes the client ready in the world and installs the hooks of its agent. It returns the agent's title.
func (p *play) enable(client Client) string {
	p.t.Helper()
	if err := p.w.Prepare(p.t.Context(), client); err != nil {
		p.stop("%v", err)
	}
	before := gjson.Get(p.entire("status", "--json"), "agents").Array()
	p.entire("enable", "--agent", client.Name)
	for _, agent := range gjson.Get(p.entire("status", "--json"), "agents").Array() {
		title := agent.String()
		if agent.IsObject() {
			title = agent.Get("name").String()
		}
		if !slices.ContainsFunc(before, func(b gjson.Result) bool { return b.Raw == agent.Raw || b.Get("name").String() == title }) {
			return title
		}
	}
	p.stop("`entire status` does not list the agent after `entire enable --agent %s`", client.Name)
	return ""
}

// wrong notes what the scenario did not do.
func (p *play) wrong(format string, args ...any) {
	p.t.Helper()
	p.t.Errorf(format, args...)
	p.cell.wrong = append(p.cell.wrong, fmt.Sprintf(format, args...))
}

// misread notes what a command that looks at the record says wrongly.
func (p *play) misread(format string, args ...any) {
	p.t.Helper()
	p.t.Errorf(format, args...)
	p.cell.looks = append(p.cell.looks, fmt.Sprintf(format, args...))
}

// stop ends the scenario: what follows needs what went wrong.
func (p *play) stop(format string, args ...any) {
	p.t.Helper()
	p.wrong(format, args...)
	p.t.FailNow()
}

// cannot ends the scenario, or notes a part of it, that the client cannot do; that is no failure.
func (p *play) cannot(reason string) { p.cell.why = reason }

// git is the person at the terminal, with git.
func (p *play) git(args ...string) string { p.t.Helper(); return p.command("git", args...) }

// commit is the person who commits all but the settings of tools, which some programs write anew.
func (p *play) commit(message string) {
	p.t.Helper()
	p.git("add", "-A", "--", ".", ":!.*")
	p.git("commit", "-q", "-m", message)
}

// entire runs a command of ours at the person's terminal.
func (p *play) entire(args ...string) string { p.t.Helper(); return p.command("entire", args...) }

func (p *play) command(name string, args ...string) string {
	p.t.Helper()
	out, said, err := p.try(name, args...)
	if err != nil {
		p.stop("%s %s: %v: %s", name, strings.Join(args, " "), err, lastLines(out+said, 4))
	}
	return out
}

func (p *play) try(name string, args ...string) (string, string, error) {
	ctx, cancel := context.WithTimeout(p.t.Context(), time.Minute)
	defer cancel()
	env := p.w.Env()
	cmd := exec.CommandContext(ctx, lookIn(env, name), args...)
	cmd.Dir, cmd.Env = p.w.Repo, env
	var said strings.Builder
	cmd.Stderr = &said
	out, err := cmd.Output()
	return string(out), said.String(), err
}

// save is the person's editor.
func (p *play) save(file, content string) {
	p.t.Helper()
	if err := os.WriteFile(filepath.Join(p.w.Repo, file), []byte(content), 0o644); err != nil {
		p.stop("%v", err)
	}
}

func (p *play) read(file string) string {
	content, err := os.ReadFile(filepath.Join(p.w.Repo, file))
	if err != nil {
		return ""
	}
	return string(content)
}

// ask runs a turn in a new session.
func (p *play) ask(prompt string) {
	p.t.Helper()
	p.finish(p.w.Start(p.t.Context(), p.client, prompt))
}

// goOn runs a turn in the session that there is.
func (p *play) goOn(prompt string) { p.t.Helper(); p.resume("", prompt) }

// resume runs a turn in the session with that ID.
func (p *play) resume(id, prompt string) {
	p.t.Helper()
	p.finish(p.w.Continue(p.t.Context(), p.client, id, prompt))
}

func (p *play) finish(run *Run, err error) {
	p.t.Helper()
	if errors.Is(err, ErrNoContinuation) {
		p.cell.why, p.cell.ended = err.Error(), true
		p.t.SkipNow()
	}
	if err != nil {
		p.stop("%v", err)
	}
	if _, err := run.Wait(); err != nil {
		p.stop("%v", err)
	}
	p.t.Logf("a turn of %s took %v", run.Command[0], time.Since(run.began).Round(100*time.Millisecond))
}

// reached waits until the model waits at the gate.
func (p *play) reached(gate string, run *Run) {
	p.t.Helper()
	select {
	case <-p.w.Model.Reached(gate):
	case <-run.done:
		p.stop("%s ended before it asked for the answer at %q: %s", p.client.Title, gate, lastLines(run.said.String(), 5))
	}
}

// file checks that a turn left the file as the script says; what follows makes no sense otherwise.
func (p *play) file(name, content string) {
	p.t.Helper()
	if is := p.read(name); is != content {
		p.stop("%s holds %q, not %q", name, is, content)
	}
}

// sessions returns the sessions that `entire` knows here, the newest last.
func (p *play) sessions() []gjson.Result {
	p.t.Helper()
	list := gjson.Parse(p.entire("sessions", "list", "--json")).Array()
	slices.Reverse(list)
	return list
}

// session returns the ID of the one session that there should be.
func (p *play) session() string {
	p.t.Helper()
	list := p.sessions()
	if len(list) != 1 {
		p.stop("`entire sessions list` shows %d sessions, not 1: %s", len(list), titles(list))
	}
	return list[0].Get("session_id").String()
}

func titles(list []gjson.Result) string {
	var all []string
	for _, session := range list {
		all = append(all, fmt.Sprintf("%s %q (%s)", session.Get("session_id"), session.Get("title"), session.Get("agent")))
	}
	return strings.Join(all, ", ")
}

// linked checks that a commit leads to the sessions' conversation, by trailer or on our side.
func (p *play) linked(commit string, prompts ...string) {
	p.t.Helper()
	out, said, err := p.try("entire", "explain", "--json", commit)
	if err != nil {
		p.wrong("explain says of %q: %s", p.subject(commit), lastLines(out+said, 2))
		return
	}
	for _, prompt := range prompts {
		if !strings.Contains(out, prompt) {
			p.wrong("explain of %q does not show the prompt %q", p.subject(commit), prompt)
		}
	}
}

func (p *play) subject(commit string) string {
	return strings.TrimSpace(p.git("log", "-1", "--format=%s", commit))
}

// withClients installs clients, and returns the folder in which they are: CLIENTS_CACHE, or the one in the user's cache.
func withClients(t *testing.T, names ...string) string {
	t.Helper()
	cache := os.Getenv("CLIENTS_CACHE")
	if cache == "" {
		var err error
		if cache, err = Cache(); err != nil {
			t.Fatal(err)
		}
	}
	if err := Install(t.Context(), cache, names...); err != nil {
		t.Fatal(err)
	}
	return cache
}

// buildEntire builds the programs into a folder of its own. CLIENTS_ENTIRE names another build of `entire`,
// beside which entire-mcp lies.
func buildEntire(t *testing.T) string {
	t.Helper()
	built := os.Getenv("CLIENTS_ENTIRE")
	if built == "" {
		return testrepo.Build(t, "entire", "entire-mcp")
	}
	bin := t.TempDir()
	for _, name := range []string{"entire", "entire-mcp"} {
		if err := os.Symlink(filepath.Join(filepath.Dir(built), name), filepath.Join(bin, name)); err != nil {
			t.Fatal(err)
		}
	}
	return bin
}
