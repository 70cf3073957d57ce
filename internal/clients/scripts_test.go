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
	p := newPlay(t, buildEntire(t), cache, client, Script{{Match: promptScript, Steps: []Step{
		do(Action{Verb: Tool, Name: "codemode", Args: map[string]any{"code": code}}),
		{Say: "All of it is there."}}}}, &cell{})
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
