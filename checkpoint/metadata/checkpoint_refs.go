package metadata

import (
	"strings"

	"entire/checkpoint/shadow"
	"entire/id"
	"entire/internal/git"
)

// CheckpointRefs is the folder of refs that each store one checkpoint: <last two characters of
// the ID>/<ID>. The tree of such a ref's commit is what a checkpoint's folder is on the metadata
// branch; an update is a commit on top.
const CheckpointRefs = "refs/entire/checkpoints/"

// CheckpointRef returns the name of a checkpoint's own ref, which need not exist; cp is not none.
func CheckpointRef(cp id.CheckpointID) string {
	name := cp.String()
	return CheckpointRefs + name[max(len(name)-shardChars, 0):] + "/" + name
}

// shardChars is how many characters at the end of an ID name the folder of its ref.
const shardChars = 2

// ParseCheckpointRef returns the checkpoint of a ref; ok is false for any ref that CheckpointRef
// does not return.
func ParseCheckpointRef(ref string) (cp id.CheckpointID, ok bool) {
	rest, ok := strings.CutPrefix(ref, CheckpointRefs)
	if !ok {
		return cp, false
	}
	_, name, _ := strings.Cut(rest, "/")
	cp, err := id.NewCheckpointID(name)
	return cp, err == nil && CheckpointRef(cp) == ref
}

// FetchCommand returns the git command that fetches a checkpoint that somebody else has made.
func FetchCommand(cp id.CheckpointID) string {
	if cp.IsULID() {
		return "git fetch origin " + CheckpointRef(cp) + ":" + CheckpointRef(cp)
	}
	return "git fetch origin " + shadow.MetadataBranch + ":" + shadow.RemoteMetadataRef
}

// HistoryFolder is the folder of the metadata branch with the histories of refs that moved there, each in
// <last two characters>/<ID>.
const HistoryFolder = "ref-history"

// HistoryPath returns the path of a ref's history on the branch.
func HistoryPath(cp id.CheckpointID) string {
	return HistoryFolder + "/" + strings.TrimPrefix(CheckpointRef(cp), CheckpointRefs)
}

// RefFolder returns the folder of a checkpoint in a ref of its own, whose commit has that tree.
// Its entries are not known yet.
func RefFolder(cp id.CheckpointID, tree git.OID, detail Detail) *Folder {
	return &Folder{ID: cp, Tree: tree, InRef: true, detail: detail}
}

// TreeFolder returns the folder of a checkpoint whose tree is known, as on the branch. Its entries are not known yet.
func TreeFolder(cp id.CheckpointID, tree git.OID, detail Detail) *Folder {
	return &Folder{ID: cp, Tree: tree, detail: detail}
}
