package attribsuite

import (
	"fmt"
	"hash/fnv"
	"path/filepath"
	"strings"

	"entire/internal/histories"
)

// Letters of sessions that are not like the others, which are of Claude Code.
const (
	gemini = "G" // of Gemini CLI, whose transcript is one document
	quiet  = "Q" // of Claude Code, with records without IDs of requests
	shows  = "A" // whose results of calls show what they added, as Claude Code's do; the others' do not, unless the world has results
)

// session is the session of a letter.
func (w *world) session(name string) *histories.Session {
	if k := w.sessions[name]; k != nil {
		return k
	}
	sum := fnv.New32a()
	sum.Write([]byte(name))
	k := &histories.Session{Host: w, Name: name, Turns: map[int]int{}, ID: fmt.Sprintf("%08x-0000-4000-8000-000000000001", sum.Sum32()), Quiet: name == quiet, Results: &w.results}
	if name == shows {
		yes := true
		k.Results = &yes
	}
	dialect := histories.Claude
	switch {
	case name == gemini:
		dialect = histories.Gemini
	case w.agent != "":
		dialect = histories.DialectOf(w.agent)
	}
	dialect.Begin(k, w.Home)
	w.t.Cleanup(k.Close)
	w.sessions[name] = k
	return k
}

// talk is the session of a letter, which begins if it has not yet.
func (w *world) talk(name string) *histories.Session {
	k := w.session(name)
	if w.talks[name] == nil {
		w.talks[name] = k
		k.Start("startup")
	}
	return k
}

// Dir is the folder where sessions work.
func (w *world) Dir(int) string { return w.Repo.Dir }

// Hook is one call of ours by an agent; it must not fail, nor say anything but at the beginning.
func (w *world) Hook(s *histories.Session, verb string, payload map[string]any) {
	r := w.run(histories.Encode(payload), filepath.Join(bin, "entire"), "hooks", s.Agent(), verb)
	back := strings.HasPrefix(r.out, `{"removed":[`) // a plug-in is told what a rewind took back
	if r.code != nil || r.out != "" && verb != "session-start" && !back {
		histories.Fail("hook", "%s: %v, says %q %q", verb, r.code, r.out, r.err)
	}
}

// AsAgent does something as an agent's shell would: nobody is at a terminal.
func (w *world) AsAgent(do func()) {
	w.Setenv("ENTIRE_TEST_TTY", "0")
	do()
	w.Setenv("ENTIRE_TEST_TTY", "1")
}

// put makes a file what it shall be by the tool that writes whole files.
func (w *world) put(k *histories.Session, path, text string) {
	k.Write(path, w.was(path), text, func() { w.Write(path, text) })
}

// edit does so by the tool that replaces a part of it.
func (w *world) edit(k *histories.Session, path, text string) {
	k.Edit(path, w.was(path), text, func() { w.Write(path, text) })
}

func (w *world) was(path string) string {
	if !w.Exists(path) {
		return ""
	}
	return w.Read(path)
}
