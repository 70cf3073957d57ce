//go:build clients && linux

package clients

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"entire/internal/fakemodel"
)

// TestCodexTrust sees Codex skip hooks in silence, and run them after a person went through its dialogue.
func TestCodexTrust(t *testing.T) {
	cache := withClients(t, "codex")
	client := codex()
	prepare := client.prepare
	client.prepare = func(w *World) map[string]string { // neither the folder nor the hooks are trusted, and no model is offered
		files := prepare(w)
		config, _, _ := strings.Cut(files[".codex/config.toml"], "[projects.")
		files[".codex/config.toml"] = config + "[notice.model_migrations]\n\"gpt-5.5\" = \"gpt-6-sol\"\n"
		return files
	}
	script := fakemodel.Script{{Match: "Skip the hooks", Steps: []fakemodel.Step{{Say: "Skipped."}}}, {Match: "Run the hooks", Steps: []fakemodel.Step{{Say: "They ran."}}}}
	p := newPlay(t, buildEntire(t), cache, client, script, &cell{})
	client.prepare = nil // Codex writes to its settings now

	run, err := p.w.run(t.Context(), client, []string{"codex", "exec", "--dangerously-bypass-approvals-and-sandbox", "Skip the hooks"})
	if err != nil {
		t.Fatal(err)
	}
	if said, err := run.Wait(); err != nil || !strings.Contains(said, "Skipped.") {
		t.Fatalf("%v: %s", err, said)
	}
	if said := p.entire("status"); !strings.Contains(said, "hooks installed, never heard: Codex skips new hooks in silence") {
		t.Errorf("status before the hooks are trusted: %s", said)
	}

	hands(t, p.w, client, []string{"codex"}, []stroke{
		{shown: "Trust this folder?", keys: "\r"}, {shown: "Trust all and continue", keys: "2"}, {keys: "\r"}, {shown: "for shortcuts", keys: "Run the hooks"},
		{keys: "\r"}, {shown: "They ran.", keys: "\x03"}, {keys: "\x03"},
	})
	said := p.entire("status")
	if !strings.Contains(said, "Codex: hooks installed, heard ") || !strings.Contains(said, "Run the hooks") {
		t.Errorf("status after the hooks were trusted: %s", said)
	}
	if config, err := os.ReadFile(filepath.Join(p.w.Home, ".codex/config.toml")); err != nil || strings.Count(string(config), "trusted_hash") != 9 {
		t.Errorf("Codex's settings: %v\n%s", err, config)
	}
}

// A stroke is keys that a person presses when the screen has shown a text; "" is at once. Then they wait until that is met.
type stroke struct {
	shown, keys string
	met         func() bool
}

// control matches what moves the cursor or colours a terminal, and space, for which a program may move the cursor.
var control = regexp.MustCompile(`\x1b\[[0-9;?<>=]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(\x07|\x1b\\)|\x1b[=>78()].?|\s`)

// hands runs a program in a terminal and presses keys, each when the screen has shown its text, and waits until it ends.
func hands(t *testing.T, w *World, client Client, command []string, strokes []stroke) {
	t.Helper()
	master, slave, err := openTerminal()
	if err != nil {
		t.Fatal(err)
	}
	defer master.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	cmd := w.start(ctx, client, command)
	cmd.Env = append(cmd.Env, "TERM=xterm-256color")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = slave, slave, slave
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_ = slave.Close()
	shows := &screen{}
	go func() {
		buffer := make([]byte, 4096)
		for {
			n, err := master.Read(buffer)
			_, _ = shows.Write(buffer[:n])
			if strings.Contains(string(buffer[:n]), "\x1b[6n") {
				_, _ = master.WriteString("\x1b[1;1R") // where the cursor is
			}
			if err != nil {
				return
			}
		}
	}()
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	seen := 0
	for _, s := range strokes {
		for {
			text, shown := control.ReplaceAllString(shows.String(), ""), control.ReplaceAllString(s.shown, "")
			if _, after, found := strings.Cut(text[min(seen, len(text)):], shown); found {
				seen = len(text) - len(after)
				break
			}
			select {
			case err := <-ended:
				t.Fatalf("%s ended before it showed %q: %v\n%s", command[0], s.shown, err, text)
			case <-ctx.Done():
				t.Fatalf("%s never showed %q:\n%s", command[0], s.shown, text)
			case <-time.After(100 * time.Millisecond):
			}
		}
		time.Sleep(time.Second) // it draws its screen before it reads keys
		_, _ = master.WriteString(s.keys)
		for s.met != nil && !s.met() {
			select {
			case err := <-ended:
				t.Fatalf("%s ended after %q: %v\n%s", command[0], s.keys, err, control.ReplaceAllString(shows.String(), ""))
			case <-ctx.Done():
				t.Fatalf("%s: nothing followed %q:\n%s", command[0], s.keys, control.ReplaceAllString(shows.String(), ""))
			case <-time.After(200 * time.Millisecond):
			}
		}
	}
	select {
	case <-ended:
	case <-time.After(10 * time.Second):
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		<-ended
	}
}
