//go:build clients && linux

package clients

import (
	"os"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	. "entire/internal/fakemodel" //nolint:staticcheck // a script reads as one
)

// A scenario is one row of the list: a script for the model, and what happens.
type scenario struct {
	number int
	name   string
	script func(Client) Script
	play   func(*play)
}

func scenarios() []scenario {
	return []scenario{
		{1, "two turns, a person between, commits", workScript, work},
		{2, "subagents", subagentScript, subagents},
		{3, "rewind, undo, resume", rewindScript, rewindAndResume},
		{4, "the next day", nextDayScript, nextDay},
		{5, "killed in mid-turn", killedScript, killed},
		{6, "two agents, one commit", twoScript, two},
	}
}

func do(actions ...Action) Step { return Step{Do: actions} }

const (
	promptGreet    = "Add a greeting module"
	promptLoud     = "Make the greeting loud"
	promptFarewell = "Add farewell and commit it yourself"
)

func workScript(Client) Script {
	return Script{
		{Match: promptGreet, Steps: []Step{
			{Say: "I write the greeting.", Do: []Action{{Verb: Write, Path: "greet.py", Text: "def greet(name):\n    text = 'hello'\n    return text + name\n"}}},
			do(Action{Verb: Shell, Command: "printf 'made by the shell\\nin two lines\\n' > made.txt"}),
			do(Action{Verb: Read, Path: "greet.py"}),
			do(Action{Verb: Edit, Path: "greet.py", Old: "    text = 'hello'", New: "    text = 'good morning '"}),
			{Say: "The greeting is there."}}},
		{Match: promptLoud, Steps: []Step{
			do(Action{Verb: Read, Path: "greet.py"}),
			do(Action{Verb: Edit, Path: "greet.py", Old: "    return text + name", New: "    return (text + name).upper()"}),
			do(Action{Verb: Write, Path: "loud.py", Text: "LOUD = True\n"}),
			{Say: "The greeting is loud."}}},
		{Match: promptFarewell, Steps: []Step{
			do(Action{Verb: Write, Path: "bye.py", Text: "def bye(name):\n    return 'bye ' + name\n"}),
			do(Action{Verb: Shell, Command: "git add bye.py && git commit -q -m 'Add farewell'"}),
			do(Action{Verb: Write, Path: "after.txt", Text: "after the commit\n"}),
			{Say: "Farewell is committed; after.txt is not."}}},
	}
}

func work(p *play) {
	p.ask(promptGreet)
	p.file("greet.py", "def greet(name):\n    text = 'good morning '\n    return text + name\n")
	p.file("made.txt", "made by the shell\nin two lines\n")
	// The person, between the turns.
	p.save("greet.py", "# greets\ndef greet(name):\n    text = 'good morning '\n    return text + name\n")
	p.save("mine.txt", "a note of mine\n")
	p.goOn(promptLoud)
	p.file("greet.py", "# greets\ndef greet(name):\n    text = 'good morning '\n    return (text + name).upper()\n")
	p.commit("Add greeting")
	session := p.session()
	p.linked("HEAD", promptGreet, promptLoud)
	if !strings.Contains(p.git("log", "-1", "--format=%B"), "Entire-Checkpoint: ") {
		p.wrong("the person's commit has no trailer")
	}
	for line, prompt := range []string{person, promptGreet, promptGreet, promptLoud} {
		p.owner("greet.py", line+1, prompt)
	}
	p.owner("made.txt", 1, promptGreet)
	p.owner("made.txt", 2, promptGreet)
	p.owner("mine.txt", 1, person)
	p.owner("loud.py", 1, promptLoud)
	p.credit("HEAD", 6, 2)
	p.goOn(promptFarewell)
	p.file("after.txt", "after the commit\n")
	p.commit("Add what came after")
	if p.subject("HEAD~1") != "Add farewell" {
		p.stop("the agent's commit is not there")
	}
	p.linked("HEAD~1", promptFarewell)
	p.linked("HEAD", promptFarewell)
	p.owner("bye.py", 1, promptFarewell)
	p.owner("bye.py", 2, promptFarewell)
	p.owner("after.txt", 1, promptFarewell)
	p.credit("HEAD~2..HEAD", 3, 0)
	p.said(session, promptGreet, promptLoud, promptFarewell)
	p.tokens(session)
	p.healthy()
}

// healthy checks that `entire status` has nothing to complain about.
func (p *play) healthy() {
	p.t.Helper()
	status := p.entire("status", "--json")
	for _, problem := range gjson.Get(status, "problems").Array() {
		p.wrong("status has a problem: %s", problem.Raw)
	}
}

const (
	promptHelper = "Let a helper write the notes"
	promptSide   = "Let a helper work on the side"
)

// complete ends a subagent of Gemini CLI, which has a tool for it; the other clients skip the step.
var complete = do(Action{Verb: Tool, Name: "complete_task", Args: map[string]any{"result": map[string]any{"response": "All of it is written."}}})

// wait waits for a subagent of Codex, all of which run in the background; the other clients skip the step.
var wait = do(Action{Verb: Tool, Name: "wait_agent", Args: map[string]any{"timeout_ms": 20000}})

func subagentScript(c Client) Script {
	return Script{
		{Match: promptHelper, Steps: []Step{
			do(Action{Verb: Write, Path: "main.py", Text: "print('main')\n"}),
			do(Action{Verb: Task, Kind: c.Subagents, Prompt: "HELPWORK: write the notes of the greeting"}),
			wait,
			{Say: "The notes are there."}}},
		{Match: "HELPWORK", Steps: []Step{
			do(Action{Verb: Write, Path: "notes.md", Text: "# Notes\nby a helper\n"}),
			do(Action{Verb: Shell, Command: "echo 'by the shell of a helper' >> notes.md"}),
			complete,
			{Say: "Notes are written."}}},
		{Match: promptSide, Steps: []Step{
			do(Action{Verb: Write, Path: "front.py", Text: "print('front')\n"}),
			do(Action{Verb: Task, Kind: c.Subagents, Prompt: "SIDEWORK: write the side file", Background: true}),
			{Say: "A helper is at work."}}},
		{Match: "SIDEWORK", Steps: []Step{
			{Gate: "side", Do: []Action{{Verb: Write, Path: "side.md", Text: "# Side\nwritten late\n"}}},
			complete,
			{Say: "The side file is written."}}},
	}
}

func subagents(p *play) {
	if p.client.Subagents == "" {
		p.cannot("it has no subagents that the model can start")
		p.cell.none = true
		return
	}
	p.ask(promptHelper)
	p.file("main.py", "print('main')\n")
	p.file("notes.md", "# Notes\nby a helper\nby the shell of a helper\n")
	p.commit("Add notes")
	session := p.session()
	p.linked("HEAD", promptHelper)
	p.owner("main.py", 1, promptHelper)
	for line := range 3 {
		p.owner("notes.md", line+1, promptHelper)
	}
	p.credit("HEAD", 4, 0)
	p.background(session)
}

// background is the second half: the helper writes after the turn of its parent has ended.
func (p *play) background(session string) {
	run, err := p.w.Continue(p.t.Context(), p.client, "", promptSide)
	if err != nil {
		p.finish(run, err)
	}
	select {
	case <-p.w.Model.Reached("side"):
	case <-run.done:
		p.cannot("headless, it ends with its turn, before a background subagent has begun")
		p.finish(run, nil)
		p.said(session, promptHelper, promptSide)
		return
	}
	parentDone := false
	for deadline := time.Now().Add(8 * time.Second); !parentDone && time.Now().Before(deadline); time.Sleep(100 * time.Millisecond) {
		for _, answer := range p.w.Model.Ledger() {
			parentDone = parentDone || answer.Exchange == 2 && answer.Last
		}
	}
	if !parentDone {
		p.cannot("a subagent runs in the foreground only")
	} else {
		time.Sleep(time.Second) // its hooks at the turn's end have run
		p.save("mine.txt", "a note of mine\n")
	}
	p.w.Model.Open("side")
	if _, err := run.Wait(); err != nil {
		p.stop("%v", err)
	}
	if p.read("side.md") == "" && parentDone {
		p.cannot("headless, it ends with its turn and its background subagent with it")
		p.said(session, promptHelper, promptSide)
		return
	}
	p.file("side.md", "# Side\nwritten late\n")
	p.commit("Add the side file")
	p.linked("HEAD", promptSide)
	p.owner("front.py", 1, promptSide)
	p.owner("side.md", 1, promptSide)
	p.owner("side.md", 2, promptSide)
	if parentDone {
		p.owner("mine.txt", 1, person)
	}
	p.said(session, promptHelper, promptSide)
	p.tokens(session)
	p.healthy()
}

const (
	promptFirst  = "Write the first file"
	promptSecond = "Write the second file, xyzzyplugh"
	promptThird  = "Write the third file"
)

func rewindScript(Client) Script {
	return Script{
		{Match: promptFirst, Steps: []Step{
			do(Action{Verb: Write, Path: "a.py", Text: "a = 1\n"}),
			{Say: "The first file is there."}}},
		{Match: promptSecond, Steps: []Step{
			do(Action{Verb: Write, Path: "b.py", Text: "b = 2\n"}),
			do(Action{Verb: Shell, Command: "echo 'a = 3' >> a.py"}),
			{Say: "The second file is there."}}},
		{Match: promptThird, Steps: []Step{
			do(Action{Verb: Write, Path: "c.py", Text: "c = 3\n"}),
			{Say: "The third file is there."}}},
	}
}

func rewindAndResume(p *play) {
	p.ask(promptFirst)
	p.goOn(promptSecond)
	p.file("a.py", "a = 1\na = 3\n")
	session := p.session()
	point := ""
	for _, one := range gjson.Parse(p.entire("rewind", "--list", "--json")).Array() {
		if one.Get("turn").Int() == 1 {
			point = one.Get("id").String()
		}
	}
	if point == "" {
		p.stop("`entire rewind --list` has no point of turn 1")
	}
	plan := p.entire("rewind", point, "--dry-run", "--json")
	done := p.entire("rewind", point, "--yes", "--json")
	p.file("a.py", "a = 1\n")
	p.file("b.py", "")
	p.entire("undo", "--yes")
	p.file("a.py", "a = 1\na = 3\n")
	p.file("b.py", "b = 2\n")
	p.entire("rewind", point, "--yes")
	p.file("b.py", "")
	if !gjson.Get(plan, "conversation").Bool() {
		if gjson.Get(plan, "warnings.#").Int() == 0 {
			p.wrong("rewind does not say before anything happens that the conversation stays")
		}
		p.cannot("only the files go back, which rewind says before anything happens; the program still knows what was taken back")
		return
	}
	resume := strings.Fields(gjson.Get(done, "resume_command").String())
	if len(resume) == 0 {
		p.stop("rewind names no command that continues the session")
	}
	if _, id, ok := strings.Cut(resume[len(resume)-1], "="); ok {
		session = id
	} else {
		session = resume[len(resume)-1]
	}
	before := len(p.w.Model.Ledger())
	p.resume(session, promptThird)
	p.file("c.py", "c = 3\n")
	for _, answer := range p.w.Model.Ledger()[before:] {
		if answer.Exchange < 0 {
			continue
		}
		if strings.Contains(string(answer.Body), "xyzzyplugh") {
			p.wrong("the program still knows the turn that was cut")
			break
		}
		if !strings.Contains(string(answer.Body), promptFirst) {
			p.wrong("the program does not know the turn that was kept")
			break
		}
	}
	p.commit("Add a and c")
	p.linked("HEAD", promptFirst, promptThird)
	p.owner("a.py", 1, promptFirst)
	p.owner("c.py", 1, promptThird)
	p.said(p.sessions()[len(p.sessions())-1].Get("session_id").String(), promptFirst, promptThird)
	p.healthy()
}

const (
	promptEvening = "Write the evening file"
	promptMorning = "Write the morning file"
	promptNoon    = "Write the noon file"
)

func nextDayScript(Client) Script {
	file := func(prompt, name string) Exchange {
		return Exchange{Match: prompt, Steps: []Step{
			do(Action{Verb: Write, Path: name, Text: "written in the " + strings.TrimSuffix(name, ".txt") + "\n"}),
			{Say: "The file " + name + " is there."}}}
	}
	return Script{file(promptEvening, "evening.txt"), file(promptMorning, "morning.txt"), file(promptNoon, "noon.txt")}
}

func nextDay(p *play) {
	p.ask(promptEvening)
	p.file("evening.txt", "written in the evening\n")
	p.commit("End the day")
	for _, file := range p.w.Transcripts(p.client) {
		yesterday := time.Now().Add(-20 * time.Hour)
		if err := os.Chtimes(file, yesterday, yesterday); err != nil {
			p.stop("%v", err)
		}
	}
	p.goOn(promptMorning)
	p.file("morning.txt", "written in the morning\n")
	session := p.session()
	files := p.w.Transcripts(p.client)
	if len(files) == 0 {
		p.cannot("it keeps its conversations in a database, of which it deletes none")
	}
	for _, file := range files {
		if err := os.Remove(file); err != nil {
			p.stop("%v", err)
		}
	}
	if len(files) > 0 {
		p.entire("sessions", "resume", session)
		if len(p.w.Transcripts(p.client)) == 0 {
			p.wrong("`entire sessions resume` did not bring the transcript back")
		}
	}
	before := len(p.w.Model.Ledger())
	p.resume(session, promptNoon)
	p.file("noon.txt", "written in the noon\n")
	for _, answer := range p.w.Model.Ledger()[before:] {
		if answer.Exchange >= 0 && (!strings.Contains(string(answer.Body), promptEvening) || !strings.Contains(string(answer.Body), promptMorning)) {
			p.wrong("the program does not know the turns before")
			break
		}
	}
	p.commit("Go on")
	p.linked("HEAD~1", promptEvening)
	p.linked("HEAD", promptMorning, promptNoon)
	p.owner("evening.txt", 1, promptEvening)
	p.owner("morning.txt", 1, promptMorning)
	p.owner("noon.txt", 1, promptNoon)
	p.credit("HEAD~2..HEAD", 3, 0)
	p.said(session, promptEvening, promptMorning, promptNoon)
	p.tokens(session)
	p.healthy()
}

const (
	promptDies  = "Write a file and die"
	promptLives = "Write what is missing"
	// killedLine, aliveLine and firstLine are long enough to prove who wrote them: a line such as "k = 1" is too common.
	killedLine = "written_before_the_kill = compute_the_answer(40, 2)"
	aliveLine  = "written_after_the_kill = compute_the_answer(20, 1)"
	firstLine  = "answer_of_the_first_agent = add_all_numbers(1, 2, 3)"
)

func killedScript(Client) Script {
	return Script{
		{Match: promptDies, Steps: []Step{
			do(Action{Verb: Write, Path: "killed.py", Text: killedLine + "\n"}),
			do(Action{Verb: Shell, Command: "echo half > half.txt"}),
			{Gate: "killed", Say: "Nobody reads this."}}},
		{Match: promptLives, Steps: []Step{
			do(Action{Verb: Write, Path: "alive.py", Text: aliveLine + "\n"}),
			{Say: "All is there."}}},
	}
}

func killed(p *play) {
	run, err := p.w.Start(p.t.Context(), p.client, promptDies)
	if err != nil {
		p.stop("%v", err)
	}
	p.reached("killed", run)
	run.Kill()
	p.w.Sweep()
	p.file("killed.py", killedLine+"\n")
	told := p.tells("written_before_the_kill")
	p.goOn(promptLives)
	p.file("alive.py", aliveLine+"\n")
	p.commit("Commit what a killed agent and its successor wrote")
	p.owner("alive.py", 1, promptLives)
	if !told {
		p.cannot("it writes late: killed, it keeps no call and no tokens of the turn, and may begin anew; its lines are unknown")
		p.unknown("killed.py", 1)
		p.unknown("half.txt", 1)
		return
	}
	p.linked("HEAD", promptDies, promptLives)
	p.said(p.session(), promptDies, promptLives)
	p.owner("killed.py", 1, promptDies)
	p.unknown("half.txt", 1) // no event told the end of the turn: a person may have made the shell's file
	p.tokens(p.session())
	p.healthy()
}

// tells reports whether the program's own record of its conversations has the text, as it is written in JSON.
func (p *play) tells(text string) bool {
	if !p.client.KeepsFiles() {
		return true // a database is asked for the conversation when it is needed
	}
	for _, file := range p.w.Transcripts(p.client) {
		content, err := os.ReadFile(file)
		if err == nil && strings.Contains(string(content), text) {
			return true
		}
	}
	return false
}

const (
	promptOne = "Write the file of the one"
	promptTwo = "Write the file of the other"
)

func twoScript(Client) Script {
	return Script{
		{Match: promptOne, Steps: []Step{
			do(Action{Verb: Write, Path: "one.py", Text: firstLine + "\n"}),
			{Gate: "one", Do: []Action{{Verb: Write, Path: "one2.py", Text: "one = 11\n"}}},
			{Say: "The one is done."}}},
		{Match: promptTwo, Steps: []Step{
			do(Action{Verb: Write, Path: "two.py", Text: "two = 2\n"}),
			{Say: "The other is done."}}},
	}
}

// two runs the client's turn, and within it a turn of a client of another kind.
func two(p *play) {
	other := claudeCode()
	if p.client.Name == other.Name {
		other = geminiCLI()
	}
	title := p.enable(other)
	run, err := p.w.Start(p.t.Context(), p.client, promptOne)
	if err != nil {
		p.stop("%v", err)
	}
	p.reached("one", run)
	p.finish(p.w.Start(p.t.Context(), other, promptTwo))
	p.w.Model.Open("one")
	p.finish(run, nil)
	p.file("one.py", firstLine+"\n")
	p.file("one2.py", "one = 11\n")
	p.file("two.py", "two = 2\n")
	p.commit("Commit the work of two")
	p.linked("HEAD", promptOne, promptTwo)
	p.owner("one.py", 1, promptOne)
	p.owner("one2.py", 1, promptOne)
	p.ownedBy("two.py", 1, title, promptTwo)
	for _, session := range p.sessions() {
		id, exchange, prompt := session.Get("session_id").String(), 0, promptOne
		if session.Get("agent").String() == title {
			exchange, prompt = 1, promptTwo
		}
		p.said(id, prompt)
		p.tokens(id, exchange)
	}
	if n := len(p.sessions()); n != 2 {
		p.wrong("there are %d sessions, not 2: %s", n, titles(p.sessions()))
	}
	p.healthy()
}
