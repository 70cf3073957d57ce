package maintain

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"entire/id"
	"entire/session"
	"entire/strategy/githead"
	"entire/strategy/handoff"
	"entire/strategy/link"
	"entire/strategy/sessionstate"
	"entire/strategy/step"
)

// tempAge is the age from which a file counts as left over that a killed process left half
// written, or that another tool made for one turn.
const tempAge = 24 * time.Hour

// tempMark is part of the names of half-written files; see package durable.
const tempMark = ".tmp-entire-"

// orphanFiles adds files of ours that nothing will read again.
func orphanFiles(ctx context.Context, s *sessionstate.Env, plan *handoff.CleanupPlan) error {
	sessions, own := s.Store.Root(), s.Store.OwnRoot()
	for _, place := range []struct{ dir, folderExt string }{{sessions, ".d"}, {own, ""}} {
		for _, e := range entriesOf(place.dir) {
			if sid, ok := orphanedSessionFile(s, place.folderExt, e); ok {
				plan.Add(handoff.Orphan{Kind: handoff.OrphanFile, Name: filepath.Join(place.dir, e.Name()), Why: "its session is gone", Seen: session.Summary{ID: sid}})
			}
		}
	}
	for _, dir := range []string{sessions, own, filepath.Join(s.Repo.CommonDir, "entire"), s.LocalDir()} {
		orphanTemps(s, plan, dir, func(name string) bool { return strings.Contains(name, tempMark) }, "it was never finished")
	}
	orphanTemps(s, plan, filepath.Join(s.Repo.Top, ".entire", "tmp"), func(name string) bool { return filepath.Ext(name) != ".lock" }, "the turn it was for is over")
	return orphanChoice(ctx, s, plan)
}

func entriesOf(dir string) []fs.DirEntry {
	entries, _ := os.ReadDir(dir) // a folder that cannot be read proves nothing
	return entries
}

// orphanedSessionFile recognises the lock of a session without a state, or its folder, which is named by the
// session and folderExt.
func orphanedSessionFile(s *sessionstate.Env, folderExt string, e fs.DirEntry) (id.SessionID, bool) {
	ext := ".lock"
	if e.IsDir() {
		ext = folderExt
	}
	stem, ok := strings.CutSuffix(e.Name(), ext)
	if !ok || sessionstate.PathExists(filepath.Join(s.Store.Root(), stem+".json")) || !isOlder(s, e, step.OrphanAge) {
		return id.SessionID{}, false
	}
	sid, err := id.ParseSessionID(stem)
	return sid, err == nil
}

// isOlder reports whether a file or folder has not changed for age, by the time of its file system.
func isOlder(s *sessionstate.Env, e fs.DirEntry, age time.Duration) bool {
	info, err := e.Info()
	return err == nil && s.Now().Sub(info.ModTime()) > age
}

// orphanTemps adds the old files of dir whose name is wanted.
func orphanTemps(s *sessionstate.Env, plan *handoff.CleanupPlan, dir string, want func(string) bool, why string) {
	for _, e := range entriesOf(dir) {
		if want(e.Name()) && !e.IsDir() && isOlder(s, e, tempAge) {
			plan.Add(handoff.Orphan{Kind: handoff.OrphanFile, Name: filepath.Join(dir, e.Name()), Why: why})
		}
	}
}

// orphanChoice adds the stored choice for a commit that was never made.
func orphanChoice(ctx context.Context, s *sessionstate.Env, plan *handoff.CleanupPlan) error {
	info, err := os.Lstat(githead.ChoicesPath(s))
	if err != nil || s.Now().Sub(info.ModTime()) < tempAge || githead.InSequence(ctx, s) {
		return nil
	}
	head, _, err := s.Repo.Reader(ctx).CommitOf("HEAD")
	if err != nil {
		return err
	}
	for _, prep := range githead.WaitingChoices(s) {
		if _, made, err := link.CommitMadeFor(ctx, s, prep, head); err != nil || made {
			return err
		}
	}
	plan.Add(handoff.Orphan{Kind: handoff.OrphanFile, Name: githead.ChoicesPath(s), Why: "the commit it was for was not made"})
	return nil
}
