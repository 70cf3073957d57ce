package ingest

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"entire/checkpoint/chunk"
	"entire/checkpoint/metadata"
	"entire/checkpoint/records"
	"entire/checkpoint/statement"
	"entire/internal/attribution"
	"entire/internal/git"
	"entire/internal/hub/rows"
)

// load reads versions. What is damaged in one is left out of its rows and hides no other.
func load(ctx context.Context, m *git.Mirror, versions []records.Version) ([]rows.Stored, error) {
	rd := m.Repo.Reader(ctx)
	rd.Trim(20_000)
	folders, err := trees(rd, m, versions)
	if err != nil {
		return nil, err
	}
	if err := metadata.FillFolders(rd, folders, m.Repo.HashLen()); err != nil {
		return nil, err
	}
	return contents(rd, folders)
}

// trees returns the folders of versions with their entries, and nothing else.
func trees(rd *git.Reader, m *git.Mirror, versions []records.Version) ([]*metadata.Folder, error) {
	folders := make([]*metadata.Folder, len(versions))
	specs := make([]string, len(versions))
	for i, v := range versions {
		specs[i] = v.Tree.String()
	}
	objects, err := rd.Objects(specs...)
	if err != nil {
		return nil, err
	}
	for i, o := range objects {
		if o.Type != "tree" {
			return nil, fmt.Errorf("the tree of checkpoint %s: %w", versions[i].ID, git.ErrMissing)
		}
		f := &metadata.Folder{ID: versions[i].ID, Tree: versions[i].Tree}
		if f.Entries, err = git.ParseTree(o.Data, m.Repo.HashLen()); err != nil {
			return nil, fmt.Errorf("the tree of checkpoint %s: %w", f.ID, err)
		}
		folders[i] = f
	}
	return folders, nil
}

// bring fetches the files that rows are made from, for a mirror that has only trees: those of many versions in one
// request.
func bring(ctx context.Context, m *git.Mirror, versions []records.Version) error {
	if m.URL == "" {
		return nil
	}
	var files []git.OID
	for some := range slices.Chunk(versions, readBatch) {
		rd := m.Repo.Reader(ctx)
		rd.Trim(20_000)
		folders, err := trees(rd, m, some)
		if err != nil {
			return err
		}
		var slots []git.OID
		for _, f := range folders {
			for _, e := range f.Entries {
				if _, ok := metadata.SlotNumber(e); ok {
					slots = append(slots, e.OID)
				} else if e.Mode != git.ModeTree && wanted(e.Name) {
					files = append(files, e.OID)
				}
			}
		}
		inside, err := rd.Trees(slots...)
		if err != nil {
			return err
		}
		for _, tree := range inside {
			for _, e := range tree {
				if e.Mode != git.ModeTree && wanted(e.Name) {
					files = append(files, e.OID)
				}
			}
		}
	}
	return m.Files(ctx, files)
}

// wanted reports whether rows are made from a file of a checkpoint.
func wanted(name string) bool {
	switch name {
	case metadata.FileName, metadata.PromptName, records.AttributionName:
		return true
	}
	return strings.HasPrefix(name, "statement-") || strings.HasPrefix(name, "messages-") && strings.HasSuffix(name, ".json")
}

// contents reads the files that a folder does not have decoded.
func contents(rd *git.Reader, folders []*metadata.Folder) ([]rows.Stored, error) {
	stored := make([]rows.Stored, len(folders))
	var ask chunk.Batch
	for i, f := range folders {
		s := &stored[i]
		s.Folder, s.Prompts, s.SignedBy = f, make([][]string, len(f.Slots)), map[string]bool{}
		for n := range f.Slots {
			if e, ok := f.Slots[n].File(metadata.PromptName); ok {
				ask.Add(e.OID.String(), func(o git.Object) error {
					s.Prompts[n] = metadata.SplitPrompts(string(o.Data))
					return nil
				})
			}
		}
		for _, e := range f.Entries {
			if e.Mode != git.ModeTree {
				request(&ask, s, e)
			}
		}
	}
	return stored, ask.Run(rd)
}

// request asks for the file of one entry, if rows are made from it.
func request(ask *chunk.Batch, s *rows.Stored, e git.TreeEntry) {
	if e.Name == records.AttributionName {
		ask.Add(e.OID.String(), func(o git.Object) error {
			if rec, err := attribution.DecodeRecord(o.Data); err == nil {
				s.Record = rec
			}
			return nil
		})
		return
	}
	switch clone, ok := statement.CloneOf(e.Name); {
	case !ok:
	case e.Name == statement.SignatureName(clone):
		s.SignedBy[clone] = true
	default:
		ask.Add(e.OID.String(), func(o git.Object) error {
			if st, err := statement.Decode(o.Data); err == nil && st.Predicate.Chain.Clone == clone {
				s.Statements, s.Digests = append(s.Statements, st), append(s.Digests, statement.Digest(o.Data))
			}
			return nil
		})
	}
}
