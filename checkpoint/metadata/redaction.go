package metadata

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"entire/id"
	"entire/internal/git"
)

// redactionFolder has a file for each version of a checkpoint from which secrets were taken out after it was stored. No
// shard can have this name.
const redactionFolder = "redacted"

// RedactionVersion is the version of the file's content.
const RedactionVersion = 1

// maxRedaction bounds such a file.
const maxRedaction = 1 << 20

// A Redaction says that secrets were taken out of a version of a checkpoint: its folder Old became New. It names
// objects, and contains nothing of them.
type Redaction struct {
	Version int             `json:"version"`
	ID      id.CheckpointID `json:"checkpoint_id"`
	When    time.Time       `json:"redacted_at"`
	Old     string          `json:"old"`
	New     string          `json:"new"`

	// Files are the files and folders directly in the checkpoint's that changed, the new object for each old one.
	Files map[string]string `json:"files"`
}

// RedactionPath returns the path of the file about a version.
func RedactionPath(old git.OID) string { return redactionFolder + "/" + old.String() }

// Redactions are the redacted versions of checkpoints: the new folder for each old one.
type Redactions struct {
	Folders map[id.CheckpointID]map[git.OID]git.OID
	Files   map[string]string // the new object for each old one directly in a checkpoint
}

// Len returns the number of checkpoints.
func (r Redactions) Len() int { return len(r.Folders) }

// Sorted returns the checkpoints.
func (r Redactions) Sorted() []id.CheckpointID {
	f := Forgotten{}
	for cp := range r.Folders {
		f[cp] = true
	}
	return f.Sorted()
}

// Add adds what one file says.
func (r *Redactions) Add(cp id.CheckpointID, old, new git.OID, files map[string]string) {
	if r.Folders == nil {
		r.Folders, r.Files = map[id.CheckpointID]map[git.OID]git.OID{}, map[string]string{}
	}
	if r.Folders[cp] == nil {
		r.Folders[cp] = map[git.OID]git.OID{}
	}
	r.Folders[cp][old] = new
	maps.Copy(r.Files, files)
}

// Of returns the folder that takes the place of a checkpoint's folder; the folder itself if none does.
func (r Redactions) Of(cp id.CheckpointID, folder git.OID) git.OID {
	for range 8 { // a folder may have been redacted several times
		next, ok := r.Folders[cp][folder]
		if !ok || next == folder {
			break
		}
		folder = next
	}
	return folder
}

// ReadRedactions reads the redactions below trees of the metadata branch; it skips zero trees, and what it cannot
// read or use: where the new folder is not there, the old one stays. If there are none, it costs one round trip.
func ReadRedactions(rd *git.Reader, roots ...git.OID) (r Redactions, err error) {
	specs, err := redactionFiles(rd, roots)
	if err != nil {
		return r, fmt.Errorf("read redactions: %w", err)
	}
	if len(specs) == 0 {
		return r, nil
	}
	objects, err := rd.Small(maxRedaction, specs...)
	if err != nil {
		return r, fmt.Errorf("read redactions: %w", err)
	}
	for _, o := range objects {
		one, old, new, ok := decodeRedaction(o.Data)
		if o.Large || o.Type != "blob" || !ok {
			continue
		}
		if there, err := rd.Small(1, new.String()); err != nil || there[0].Type != "tree" {
			continue
		}
		r.Add(one.ID, old, new, one.Files)
	}
	return r, nil
}

// redactionFiles lists the files about redactions below trees of the branch.
func redactionFiles(rd *git.Reader, roots []git.OID) (files []string, err error) {
	tops, err := rd.Trees(slices.DeleteFunc(slices.Clone(roots), git.OID.IsZero)...)
	if err != nil {
		return nil, err
	}
	var folders []git.OID
	for _, e := range slices.Concat(tops...) {
		if e.Name == redactionFolder && e.Mode == git.ModeTree {
			folders = append(folders, e.OID)
		}
	}
	if len(folders) == 0 {
		return nil, nil
	}
	lists, err := rd.Trees(folders...)
	for _, e := range slices.Concat(lists...) {
		if e.Mode != git.ModeTree {
			files = append(files, e.OID.String())
		}
	}
	return files, err
}

// decodeRedaction reads a redaction; false for what is none.
func decodeRedaction(data []byte) (one Redaction, old, new git.OID, ok bool) {
	if json.Unmarshal(data, &one) != nil || one.Version != RedactionVersion || one.ID.IsZero() {
		return one, old, new, false
	}
	old, oerr := git.ParseOID(one.Old)
	new, nerr := git.ParseOID(one.New)
	return one, old, new, oerr == nil && nerr == nil && !old.IsZero() && !new.IsZero()
}
