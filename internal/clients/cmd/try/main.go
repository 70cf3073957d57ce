//go:build linux

// Try runs one turn of a real program against the scripted model, in a repository of yours:
//
//	go run ./internal/clients/cmd/try -agent codex -dir REPO -prompt "Add a greeting module"
//
// The program's home is REPO/../home-AGENT and is kept, so that -continue goes on in the same session.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"entire/internal/clients"
	"entire/internal/fakemodel"
)

func main() {
	var t try
	flag.StringVar(&t.agent, "agent", "claude-code", "which program")
	flag.StringVar(&t.dir, "dir", ".", "the repository")
	flag.StringVar(&t.prompt, "prompt", "Add a greeting module", "what to ask; without -script, this or \"Make the greeting loud\"")
	flag.BoolVar(&t.again, "continue", false, "continue the newest session")
	flag.StringVar(&t.resume, "resume", "", "continue the session with this ID")
	flag.StringVar(&t.script, "script", "", "a file with the model's script, as JSON")
	flag.StringVar(&t.entire, "entire", "", "a build of entire to put first on PATH")
	flag.BoolVar(&t.bodies, "bodies", false, "print the requests, too")
	flag.Parse()
	if err := t.run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "try:", err)
		os.Exit(1)
	}
}

type try struct {
	agent, dir, prompt, resume, script, entire string
	again, bodies                              bool
}

func (t try) run(ctx context.Context) error {
	client, err := clients.Find(t.agent)
	if err != nil {
		return err
	}
	script, err := t.readScript()
	if err != nil {
		return err
	}
	w, err := t.world(ctx, script)
	if err != nil {
		return err
	}
	defer w.Model.Close()
	defer w.Sweep()
	if err := w.Prepare(ctx, client); err != nil {
		return err
	}
	var run *clients.Run
	if t.again || t.resume != "" {
		run, err = w.Continue(ctx, client, t.resume, t.prompt)
	} else {
		run, err = w.Start(ctx, client, t.prompt)
	}
	if err != nil {
		return err
	}
	said, err := run.Wait()
	fmt.Print(said)
	for _, answer := range w.Model.Ledger() {
		fmt.Printf("%s exchange %d step %d, %+v, no tool for %v\n", answer.Protocol, answer.Exchange, answer.Step, answer.Usage, answer.Lacking)
		if t.bodies {
			fmt.Printf("%s\n", answer.Body)
		}
	}
	return err
}

func (t try) world(ctx context.Context, script fakemodel.Script) (*clients.World, error) {
	repo, err := filepath.Abs(t.dir)
	if err != nil {
		return nil, fmt.Errorf("find the repository: %w", err)
	}
	cache, err := clients.Cache()
	if err != nil {
		return nil, err
	}
	if err := clients.Install(ctx, cache, t.agent); err != nil {
		return nil, err
	}
	w := &clients.World{Repo: repo, Home: filepath.Join(filepath.Dir(repo), "home-"+t.agent), Cache: cache}
	if t.entire != "" {
		w.Bin = filepath.Join(w.Home, "bin")
		if err := link(t.entire, filepath.Join(w.Bin, "entire")); err != nil {
			return nil, err
		}
	}
	w.Model, err = fakemodel.Start(script, repo)
	return w, err
}

func link(program, at string) error {
	full, err := exec.LookPath(program)
	if err == nil {
		full, err = filepath.Abs(full)
	}
	if err == nil {
		err = os.MkdirAll(filepath.Dir(at), 0o755)
	}
	if err != nil {
		return fmt.Errorf("put entire on PATH: %w", err)
	}
	_ = os.Remove(at)
	if err := os.Symlink(full, at); err != nil {
		return fmt.Errorf("put entire on PATH: %w", err)
	}
	return nil
}

func (t try) readScript() (fakemodel.Script, error) {
	if t.script == "" {
		return greeting, nil
	}
	text, err := os.ReadFile(t.script)
	if err != nil {
		return nil, fmt.Errorf("read the script: %w", err)
	}
	var script fakemodel.Script
	if err := json.Unmarshal(text, &script); err != nil {
		return nil, fmt.Errorf("read the script %s: %w", t.script, err)
	}
	return script, nil
}

var greeting = fakemodel.Script{
	{Match: "Add a greeting module", Steps: []fakemodel.Step{
		{Say: "I write the greeting.", Do: []fakemodel.Action{{Verb: fakemodel.Write, Path: "greet.py", Text: "def greet(name):\n    return 'hello ' + name\n"}}},
		{Do: []fakemodel.Action{{Verb: fakemodel.Shell, Command: "printf 'made by the shell\\n' > made.txt"}}},
		{Do: []fakemodel.Action{{Verb: fakemodel.Read, Path: "greet.py"}}},
		{Do: []fakemodel.Action{{Verb: fakemodel.Edit, Path: "greet.py", Old: "    return 'hello ' + name", New: "    return 'good morning ' + name"}}},
		{Say: "The greeting is there."}}},
	{Match: "Make the greeting loud", Steps: []fakemodel.Step{
		{Do: []fakemodel.Action{{Verb: fakemodel.Read, Path: "greet.py"}}},
		{Do: []fakemodel.Action{{Verb: fakemodel.Edit, Path: "greet.py", Old: "    return 'good morning ' + name", New: "    return 'good morning '.upper() + name"}}},
		{Say: "The greeting is loud."}}},
}
