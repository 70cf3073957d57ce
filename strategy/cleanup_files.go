package strategy

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"entire/id"
	"entire/session"
)

// tempAge is the age from which a file counts as left over that a killed process left half
// written, or that another tool made for one turn.
const tempAge = 24 * time.Hour

// tempMark is part of the names of half-written files; see package durable.
const tempMark = ".tmp-entire-"

// orphanFiles adds files of ours that nothing will read again.
func (s *ManualCommitStrategy) orphanFiles(ctx context.Context, sums []session.Summary, plan *CleanupPlan) error {
	sessions, own := s.store.Root(), s.store.OwnRoot()
	for _, place := range []struct{ dir, folderExt string }{{sessions, ".d"}, {own, ""}} {
		for _, e := range entriesOf(place.dir) {
			if sid, ok := s.loneFile(place.folderExt, e); ok {
				plan.add(Orphan{Kind: OrphanFile, Name: filepath.Join(place.dir, e.Name()), Why: "its session is gone", seen: session.Summary{ID: sid}})
			}
		}
	}
	for _, dir := range []string{sessions, own, filepath.Join(s.repo.CommonDir, "entire"), s.localDir()} {
		s.orphanTemps(plan, dir, func(name string) bool { return strings.Contains(name, tempMark) }, "it was never finished")
	}
	s.orphanTemps(plan, filepath.Join(s.repo.Top, ".entire", "tmp"), func(name string) bool { return filepath.Ext(name) != ".lock" }, "the turn it was for is over")
	return s.orphanChoice(ctx, plan)
}

func entriesOf(dir string) []fs.DirEntry {
	entries, _ := os.ReadDir(dir) // a folder that cannot be read proves nothing
	return entries
}

// loneFile recognises the lock of a session without a state, or its folder, which is named by the
// session and folderExt.
func (s *ManualCommitStrategy) loneFile(folderExt string, e fs.DirEntry) (id.SessionID, bool) {
	ext := ".lock"
	if e.IsDir() {
		ext = folderExt
	}
	stem, ok := strings.CutSuffix(e.Name(), ext)
	if !ok || exists(filepath.Join(s.store.Root(), stem+".json")) || !s.older(e, settleAge) {
		return id.SessionID{}, false
	}
	sid, err := id.ParseSessionID(stem)
	return sid, err == nil
}

// older reports whether a file or folder has not changed for age, by the time of its file system.
func (s *ManualCommitStrategy) older(e fs.DirEntry, age time.Duration) bool {
	info, err := e.Info()
	return err == nil && s.Now().Sub(info.ModTime()) > age
}

// orphanTemps adds the old files of dir whose name is wanted.
func (s *ManualCommitStrategy) orphanTemps(plan *CleanupPlan, dir string, want func(string) bool, why string) {
	for _, e := range entriesOf(dir) {
		if want(e.Name()) && !e.IsDir() && s.older(e, tempAge) {
			plan.add(Orphan{Kind: OrphanFile, Name: filepath.Join(dir, e.Name()), Why: why})
		}
	}
}

// orphanChoice adds the stored choice for a commit that was never made.
func (s *ManualCommitStrategy) orphanChoice(ctx context.Context, plan *CleanupPlan) error {
	info, err := os.Lstat(s.preparedPath())
	if err != nil || s.Now().Sub(info.ModTime()) < tempAge || s.inSequence() {
		return nil
	}
	head, _, err := s.repo.Reader(ctx).CommitOf("HEAD")
	if err != nil {
		return err
	}
	for _, prep := range s.choices() {
		if _, made, err := s.madeFor(ctx, prep, head); err != nil || made {
			return err
		}
	}
	plan.add(Orphan{Kind: OrphanFile, Name: s.preparedPath(), Why: "the commit it was for was not made"})
	return nil
}
