//go:build clients && linux

package clients

import (
	"testing"

	. "entire/internal/fakemodel" //nolint:staticcheck // a script reads as one
)

const promptScript = "Do it all in one script"

// TestPiRunsScripts: the model writes a script that calls pi's tools, and commits in it. The transcript has these calls only
// when the script has ended; blame knows at once who wrote what was committed.
func TestPiRunsScripts(t *testing.T) {
	cache := withClients(t, "pi")
	client := pi()
	plain := client.command
	client.command = func(w *World, prompt string) []string { return append(plain(w, prompt), "-t", "+codemode") }
	code := `await tools.write({path: "first.py", content: "first = compute_the_answer(1)\n"});
await tools.bash({command: "git add first.py && git commit -q -m 'Add the first'"});
await tools.write({path: "second.py", content: "second = compute_the_answer(2)\n"});
await tools.bash({command: "echo 'third = compute_the_answer(3)' > third.py"});`
	runScript(t, cache, client, Action{Verb: Tool, Name: "codemode", Args: map[string]any{"code": code}})
}

// TestCodexRunsScripts: Codex offers its newer models only a tool that runs their scripts.
func TestCodexRunsScripts(t *testing.T) {
	cache := withClients(t, "codex")
	client := codex()
	plain := client.command
	client.command = func(w *World, prompt string) []string { return append(plain(w, prompt), "-m", "gpt-6-sol") }
	code := `await tools.apply_patch("*** Begin Patch\n*** Add File: first.py\n+first = compute_the_answer(1)\n*** End Patch");
await tools.exec_command({cmd: "git add first.py && git commit -q -m 'Add the first'"});
await tools.apply_patch("*** Begin Patch\n*** Add File: second.py\n+second = compute_the_answer(0)\n*** End Patch");
await tools.apply_patch("*** Begin Patch\n*** Update File: second.py\n@@\n-second = compute_the_answer(0)\n+second = compute_the_answer(2)\n*** End Patch");
await tools.exec_command({cmd: "echo 'third = compute_the_answer(3)' > third.py"});`
	runScript(t, cache, client, Action{Verb: Tool, Name: "exec", Args: map[string]any{"input": code}})
}

// runScript has the model run a script that writes three files and commits the first, and asks who wrote them.
func runScript(t *testing.T, cache string, client Client, script Action) {
	t.Helper()
	p := newPlay(t, buildEntire(t), cache, client, Script{{Match: promptScript, Steps: []Step{do(script), {Say: "All of it is there."}}}}, &cell{})
	p.ask(promptScript)
	p.file("third.py", "third = compute_the_answer(3)\n")
	p.save("mine.py", "mine = 1\n")
	p.commit("Commit the rest")
	for _, file := range []string{"first.py", "second.py", "third.py"} {
		p.owner(file, 1, promptScript)
	}
	p.owner("mine.py", 1, person)
	p.linked("HEAD~1", promptScript)
	p.said(p.session(), promptScript)
	p.tokens(p.session())
	p.healthy()
}
