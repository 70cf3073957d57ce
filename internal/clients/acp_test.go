//go:build clients && linux

package clients

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tidwall/gjson"

	"entire/internal/fakemodel"
)

// speaksACP names how a program is started that an editor is to drive by the Agent Client Protocol. Cline speaks it too,
// but wants a login at its maker's first.
var speaksACP = map[string][]string{
	"gemini":   {"gemini", "--acp", "--yolo"},
	"opencode": {"opencode", "acp"},
	"qwen":     {"qwen", "--acp", "--yolo"},
	"copilot":  {"copilot", "--acp", "--allow-all-tools", "--allow-all-paths"},
	"kilo":     {"kilo", "acp"},
}

// partlyTold are the programs that do not tell all tokens by the protocol.
var partlyTold = map[string]func(is, want fakemodel.Usage, all []fakemodel.Answer) bool{
	"opencode": lastAnswers, "kilo": lastAnswers,
	// It does not tell what of the input came from the cache.
	"gemini": func(is, want fakemodel.Usage, _ []fakemodel.Answer) bool {
		return is == fakemodel.Usage{Input: want.Input + want.CacheRead, Output: want.Output}
	},
	// It asks the model for more when a turn has ended, and does not tell of that.
	"qwen": func(is, _ fakemodel.Usage, all []fakemodel.Answer) bool {
		var once fakemodel.Usage
		for i, answer := range all {
			if i == 0 || answer.Exchange != all[i-1].Exchange || answer.Step != all[i-1].Step {
				once = sum(once, answer.Usage)
			}
		}
		return is == once
	},
}

// lastAnswers is for programs that tell the tokens of a turn's last answer only.
func lastAnswers(is, want fakemodel.Usage, _ []fakemodel.Answer) bool {
	return is.Input > 0 && is.Input < want.Input && is.Output > 0 && is.Output < want.Output
}

// An editor is the client's side of the Agent Client Protocol: it asks, allows everything, and writes files for the agent.
type editor struct {
	t     *testing.T
	in    io.Writer
	out   *bufio.Scanner
	next  int
	wrote []string // files that the agent had the editor write
}

// request sends a request and answers the agent's own requests until the reply comes.
func (e *editor) request(method string, params any) gjson.Result {
	e.t.Helper()
	e.next++
	e.send(map[string]any{"jsonrpc": "2.0", "id": e.next, "method": method, "params": params})
	for e.out.Scan() {
		message := gjson.ParseBytes(append([]byte(nil), e.out.Bytes()...))
		switch {
		case message.Get("method").Exists() && message.Get("id").Exists():
			e.send(map[string]any{"jsonrpc": "2.0", "id": json.RawMessage(message.Get("id").Raw), "result": e.serve(message)})
		case !message.Get("method").Exists() && int(message.Get("id").Int()) == e.next:
			if message.Get("error").Exists() {
				e.t.Fatalf("%s: %s", method, message.Get("error").Raw)
			}
			return message.Get("result")
		}
	}
	e.t.Fatalf("%s: the agent ended without an answer", method)
	return gjson.Result{}
}

func (e *editor) send(message any) {
	text, err := json.Marshal(message)
	if err == nil {
		_, err = e.in.Write(append(text, '\n'))
	}
	if err != nil {
		e.t.Fatalf("write to the agent: %v", err)
	}
}

func (e *editor) serve(message gjson.Result) any {
	params := message.Get("params")
	switch message.Get("method").String() {
	case "session/request_permission":
		option := params.Get(`options.#(kind=="allow_once").optionId`)
		if !option.Exists() {
			option = params.Get("options.0.optionId")
		}
		return map[string]any{"outcome": map[string]any{"outcome": "selected", "optionId": option.String()}}
	case "fs/read_text_file":
		content, _ := os.ReadFile(params.Get("path").String())
		return map[string]any{"content": string(content)}
	case "fs/write_text_file":
		path := params.Get("path").String()
		e.wrote = append(e.wrote, filepath.Base(path))
		if err := os.WriteFile(path, []byte(params.Get("content").String()), 0o644); err != nil {
			e.t.Errorf("write what the agent wants: %v", err)
		}
	}
	return map[string]any{}
}

// TestACP drives programs that speak the Agent Client Protocol through `entire acp`, as an editor would.
func TestACP(t *testing.T) {
	cache, err := Cache()
	if err != nil {
		t.Fatal(err)
	}
	bin := buildEntire(t)
	if said, err := exec.CommandContext(t.Context(), filepath.Join(bin, "entire"), "acp", "--help").CombinedOutput(); err != nil && os.Getenv("ACP_BARE") == "" {
		t.Skipf("this entire has no proxy: %s", said)
	}
	for _, client := range choose(t, os.Getenv("AGENTS")) {
		command := speaksACP[client.Name]
		if command == nil {
			continue
		}
		t.Run(client.Name, func(t *testing.T) {
			t.Parallel()
			if err := Install(t.Context(), cache, client.Name); err != nil {
				t.Fatal(err)
			}
			p := newWorld(t, bin, cache, client, workScript(client), &cell{})
			if err := p.w.Prepare(t.Context(), client); err != nil {
				t.Fatal(err)
			}
			p.entire("enable", "--agent", "generic")
			p.git("add", "-A")
			p.git("commit", "-q", "-m", "Use Entire")
			if os.Getenv("ACP_BARE") == "" {
				command = append([]string{"entire", "acp", "--"}, command...)
			}
			ctx, cancel := context.WithTimeout(t.Context(), turnLimit)
			defer cancel()
			cmd := p.w.start(ctx, client, command)
			var said strings.Builder
			cmd.Stderr = &said
			e, end := newEditor(t, cmd)
			e.request("initialize", map[string]any{"protocolVersion": 1, "clientCapabilities": map[string]any{"fs": map[string]any{"readTextFile": true, "writeTextFile": true}, "terminal": false}})
			session := e.request("session/new", map[string]any{"cwd": p.w.Repo, "mcpServers": []any{}}).Get("sessionId").String()
			for _, prompt := range []string{promptGreet, promptLoud} {
				e.request("session/prompt", map[string]any{"sessionId": session, "prompt": []any{map[string]any{"type": "text", "text": prompt}}})
			}
			end()
			t.Logf("%s wrote through the editor: %v", client.Title, e.wrote)
			p.file("greet.py", "def greet(name):\n    text = 'good morning '\n    return (text + name).upper()\n")
			p.file("made.txt", "made by the shell\nin two lines\n")
			if os.Getenv("ACP_BARE") != "" {
				return
			}
			p.commit("Add greeting")
			p.linked("HEAD", promptGreet, promptLoud)
			recorded := p.sessions()
			if len(recorded) != 1 {
				p.stop("there are %d sessions, not 1: %s", len(recorded), titles(recorded))
			}
			p.agent = recorded[0].Get("agent").String()
			p.owner("greet.py", 1, promptGreet)
			p.owner("greet.py", 2, promptGreet)
			p.owner("greet.py", 3, promptLoud)
			p.owner("loud.py", 1, promptLoud)
			p.owner("made.txt", 1, promptGreet)
			p.credit("HEAD", 6, 0)
			session = recorded[0].Get("session_id").String()
			p.said(session, promptGreet, promptLoud)
			is, want, answers := p.used(session)
			if right := partlyTold[client.Name]; right == nil && is != want || right != nil && !right(is, want, p.w.Model.Ledger()) {
				t.Errorf("the session's tokens are %+v; the model reported %+v in %d answers", is, want, answers)
			}
			if model := recorded[0].Get("model").String(); model == "" && client.Name != "copilot" { // which names none that is not its own
				t.Error("the session has no model")
			}
			p.healthy()
		})
	}
}

// newEditor starts the agent; end closes its input and waits for it.
func newEditor(t *testing.T, cmd *exec.Cmd) (*editor, func()) {
	t.Helper()
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.WaitDelay = 2 * time.Second
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 64<<20)
	t.Cleanup(func() {
		_ = cmd.Cancel()
		if t.Failed() {
			t.Log(fmt.Sprint(cmd.Stderr))
		}
	})
	return &editor{t: t, in: in, out: lines}, func() {
		_ = in.Close()
		ended := make(chan struct{})
		go func() { _ = cmd.Wait(); close(ended) }()
		select {
		case <-ended:
		case <-time.After(10 * time.Second): // some stay although their editor has gone
			_ = cmd.Cancel()
			<-ended
		}
	}
}
