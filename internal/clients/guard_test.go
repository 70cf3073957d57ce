//go:build clients && linux

package clients

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/tidwall/gjson"

	. "entire/internal/fakemodel" //nolint:staticcheck // a script reads as one
)

const (
	promptReset = "Throw the work away"
	workInHand  = "work that is not committed"
)

func resetScript() Script {
	return Script{{Match: promptReset, Steps: []Step{
		do(Action{Verb: Shell, Command: "echo '" + workInHand + "' >> README.md"}),
		do(Action{Verb: Shell, Command: "git reset --hard"}),
		{Say: "It is gone."}}}}
}

var noteInRequest = regexp.MustCompile(`Entire saved the files before this command \(git reset --hard\) as ([0-9a-f]+); undo with: entire rewind [0-9a-f]+ --code`)

// TestGuardInClients: the real programs run `git reset --hard`; the model is told, in its next request, which point
// has the files, and they come back. With guard.deny the command does not run, and the model is told why.
func TestGuardInClients(t *testing.T) {
	told := map[string]bool{"claude-code": true, "codex": true} // Qwen Code gives its model a refusal only
	cache := withClients(t, "claude-code", "codex", "qwen")
	bin := buildEntire(t)
	for _, client := range []Client{claudeCode(), codex(), qwen()} {
		t.Run(client.Name+"/note", func(t *testing.T) {
			t.Parallel()
			p := newPlay(t, bin, cache, client, resetScript(), &cell{})
			p.ask(promptReset)
			p.file("README.md", "# A project\n")
			id := ""
			for _, answer := range p.w.Model.Ledger() {
				if m := noteInRequest.FindSubmatch(answer.Body); m != nil {
					id = string(m[1])
				}
			}
			if told[client.Name] != (id != "") {
				t.Fatalf("the model was told of %q", id)
			}
			if id == "" {
				id = gjson.Get(p.entire("rewind", "--list"), `#(why%"before command*").id`).String()
			}
			p.entire("rewind", id, "--code", "--yes")
			p.file("README.md", "# A project\n"+workInHand+"\n")
		})
		t.Run(client.Name+"/refusal", func(t *testing.T) {
			t.Parallel()
			p := newWorld(t, bin, cache, client, resetScript(), &cell{})
			settings := filepath.Join(p.w.Repo, ".entire", "settings.local.json")
			if err := os.MkdirAll(filepath.Dir(settings), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(settings, []byte(`{"strategy_options": {"guard": {"deny": ["git reset --hard"]}}}`), 0o644); err != nil {
				t.Fatal(err)
			}
			p.agent = p.enable(client)
			p.git("add", "-A")
			p.git("commit", "-q", "-m", "Use Entire")
			p.ask(promptReset)
			p.file("README.md", "# A project\n"+workInHand+"\n")
			heard := false
			for _, answer := range p.w.Model.Ledger() {
				heard = heard || bytes.Contains(answer.Body, []byte("This command is refused here"))
			}
			if !heard {
				t.Error("no request to the model says that the command was refused")
			}
		})
	}
}
