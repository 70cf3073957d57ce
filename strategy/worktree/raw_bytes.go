package worktree

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"entire/internal/durable"
	"entire/internal/git"
	"entire/strategy/sessionstate"
)

// RawDir is the folder of a step's tree with the very bytes of files for whose blobs git might write others.
// An entry is named by path and blob.
const RawDir = OwnFolder + "/raw"

// RawPath returns where a step holds the bytes of the file at path that git converts to a blob.
func RawPath(path string, blob git.OID) string {
	sum := sha256.Sum256([]byte(path))
	return RawDir + "/" + hex.EncodeToString(sum[:8]) + "-" + blob.String()
}

// rawMax bounds the size of files whose very bytes are stored beside a blob that line ends have made of them.
const rawMax = 8 << 20

// keepExact stores the very bytes of hashed files where line ends, `$Id$` or a filter that failed would make
// git write others. A file that changes meanwhile has none.
func keepExact(s *sessionstate.Env, res git.HashResult, snap *Snapshot) error {
	if len(res.OIDs) == 0 {
		return nil
	}
	ends, byGit := s.Repo.LineEnds(), SetOf(res.ByGit)
	for path, oid := range res.OIDs {
		if !byGit[path] && !ends.MayWriteCRLF(path) {
			continue
		}
		data, err := durable.ReadPlain(filepath.Join(s.Repo.Top, filepath.FromSlash(path)), rawMax)
		if err != nil {
			continue // too large, or gone: what git writes has to do
		}
		isBlob := func(text []byte) bool { return git.ObjectOID(s.Repo.NewHash(), "blob", text) == oid }
		if !ends.Changes(path, data, isBlob) {
			continue
		}
		if snap.Exact[path], err = s.Repo.Writer().Blob(data); err != nil {
			return err
		}
	}
	for _, path := range res.Raw { // git would write them through the other half of their filter
		snap.Exact[path] = res.OIDs[path]
	}
	return nil
}

// RawEdit returns the edit that gives a step's tree the bytes of the snapshot's files, and those of more,
// which count before them. It takes away what the tree had of an earlier step.
func RawEdit(ctx context.Context, s *sessionstate.Env, snap *Snapshot, more []git.Edit) (git.Edit, error) {
	entries := map[string]git.Edit{}
	for _, f := range snap.Files {
		if oid, ok := snap.Exact[f.Path]; ok && IsRegular(f.Mode) {
			name := strings.TrimPrefix(RawPath(f.Path, f.OID), RawDir+"/")
			entries[name] = git.Edit{Path: name, Mode: git.ModeFile, OID: oid}
		}
	}
	for _, e := range more {
		name := strings.TrimPrefix(e.Path, RawDir+"/")
		entries[name] = git.Edit{Path: name, Mode: e.Mode, OID: e.OID}
	}
	if len(entries) == 0 {
		return git.Edit{Path: RawDir}, nil
	}
	tree, err := s.Repo.EditTree(ctx, git.OID{}, slices.Collect(maps.Values(entries)))
	return git.Edit{Path: RawDir, Mode: git.ModeTree, OID: tree}, err
}
