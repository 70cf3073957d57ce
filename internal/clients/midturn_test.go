//go:build clients && linux

package clients

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	. "entire/internal/fakemodel" //nolint:staticcheck // a script reads as one
)

const (
	promptMiddle = "Write three files while I commit"
	heldFile     = "go" // a command of the agent's runs until it is there
)

func middleScript() Script {
	wait := "echo 'made by a command' > made.txt; until [ -e " + heldFile + " ]; do sleep 0.1; done"
	return Script{{Match: promptMiddle, Steps: []Step{
		do(Action{Verb: Write, Path: "first.py", Text: "first = 1\n"}),
		do(Action{Verb: Write, Path: "second.py", Text: "second = 2\n"}, Action{Verb: Shell, Command: wait}),
		{Gate: "middle", Say: "All of it is there."}}}}
}

// TestCommitInMidTurn: a person commits from an editor, twice, while a turn runs: while a command of the agent's runs
// beside a call that has ended, and while the model thinks. Blame knows at once what the agent's calls wrote, and what the
// person did.
func TestCommitInMidTurn(t *testing.T) {
	chosen := choose(t, os.Getenv("AGENTS"))
	var names []string
	for _, client := range chosen {
		names = append(names, client.Name)
	}
	cache := withClients(t, names...)
	bin := buildEntire(t)
	for _, client := range chosen {
		t.Run(client.Name, func(t *testing.T) {
			t.Parallel()
			p := newPlay(t, bin, cache, client, middleScript(), &cell{})
			run, err := p.w.Start(t.Context(), client, promptMiddle)
			if err != nil {
				t.Fatal(err)
			}
			for began := time.Now(); p.read("made.txt") == ""; time.Sleep(100 * time.Millisecond) {
				if time.Since(began) > 2*time.Minute {
					p.stop("the command did not run: %s", lastLines(run.said.String(), 5))
				}
			}
			p.save("mine.py", "mine = 1\n")
			p.commit("Commit while a command runs")
			p.owner("first.py", 1, promptMiddle)
			p.owner("second.py", 1, promptMiddle)
			p.owner("mine.py", 1, person)
			p.save(heldFile, "")
			p.reached("middle", run)
			if err := os.Remove(filepath.Join(p.w.Repo, heldFile)); err != nil {
				t.Fatal(err)
			}
			p.save("mine.py", "mine = 1\nmine = 2\n")
			p.commit("Commit while the model thinks")
			p.owner("mine.py", 2, person)
			p.w.Model.Open("middle")
			p.finish(run, nil)
			for _, file := range []string{"first.py", "second.py", "made.txt"} {
				p.owner(file, 1, promptMiddle)
			}
			p.owner("mine.py", 1, person)
			p.owner("mine.py", 2, person)
			p.linked("HEAD~1", promptMiddle)
		})
	}
}
