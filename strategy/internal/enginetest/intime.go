package enginetest

import (
	"context"
	"strings"
	"time"

	"entire/strategy/sessionstate"
)

// InHook gives the events from now on the time of a hook, of which within may be read.
func (w *World) InHook(within time.Duration) {
	ctx, cancel := context.WithTimeout(w.Ctx, 10*time.Minute)
	w.T.Cleanup(cancel)
	w.Ctx, w.Now = ctx, time.Now().Add(time.Minute) // when no file is too young to be trusted
	w.Tune = func(o *sessionstate.Options) { o.ReadWithin = within }
}

// Slowly makes git take its time for each file of a folder.
func (w *World) Slowly(folder string) {
	w.Write(".gitattributes", folder+"/* filter=slow\n")
	w.Git("config", "filter.slow.clean", "sleep 0.02; cat")
	w.Commit("slow files")
}

// StepOwners says of each file that a step on the shadow branch brought who saved it.
func (w *World) StepOwners() map[string]string {
	w.T.Helper()
	owners := map[string]string{}
	for _, ref := range w.Shadows() {
		kind := ""
		for _, line := range strings.Split(w.Git("log", "--reverse", "--root", "--name-only", "--no-renames", "--format=#%(trailers:key=Entire-Step,valueonly)", ref, "--", "many"), "\n") {
			if rest, ok := strings.CutPrefix(line, "#"); ok {
				kind = rest
			} else if line != "" && owners[line] == "" {
				owners[line] = kind
			}
		}
	}
	return owners
}

// WantRewindsTo makes sure that a point brings all files back.
func (w *World) WantRewindsTo(point string) {
	w.T.Helper()
	before := w.Snapshot(".entire")
	w.Remove("many")
	w.Rewind(point)
	after := w.Snapshot(".entire")
	for path, text := range before.Contents() {
		if got, ok := after.Contents()[path]; !ok || got != text {
			w.T.Errorf("%s is %q after the rewind, want %q", path, got, text)
		}
	}
}

// StoredTalk is what is stored of a session's conversation, wherever.
func (w *World) StoredTalk(sid string) string {
	var out strings.Builder
	for _, tree := range append(w.Shadows(), "refs/entire/backlog/"+sid) {
		files, err := w.TryGit("ls-tree", "-r", "--name-only", tree)
		if err != nil {
			continue
		}
		for _, name := range strings.Fields(files) {
			if strings.Contains(name, "full.jsonl") {
				out.WriteString(w.Git("show", tree+":"+name))
			}
		}
	}
	return out.String()
}
