package step

import (
	"context"
	"regexp"
	"strings"

	"entire/checkpoint/metadata"
	"entire/checkpoint/shadow"
	"entire/id"
	"entire/internal/git"
	"entire/strategy/sessionstate"
	"entire/strategy/worktree"
)

// OwnRefRoot is the folder of all our refs that are not branches. Other versions and programs keep
// refs there, too, some with the only copy of what they stored.
const OwnRefRoot = "refs/entire/"

// OwnRefs lists the folders below refs/entire/ that this program writes, each with a check of a
// ref's name and object. Any other ref is foreign: it may be read and listed, but never moved or
// deleted.
var OwnRefs = map[string]func(name string, oid git.OID) bool{
	"backlog": namedForSession,
	"tasks":   namedForSession,
	"received": func(name string, _ git.OID) bool {
		return namedForSession(strings.TrimSuffix(name, "-head"), git.OID{})
	},
	"fetched":  matchesForm(`[0-9a-f]{12}`),
	"teleport": matchesForm(`[0-9a-f]{32}`),
	"labels":   matchesForm(`[0-9a-f]{6}/OID`),
	"turns":    matchesForm(`[0-9a-f]{6}/[0-9]{4}-[0-9]{2}-[0-9]{2}`),
	"undo":     matchesForm(`[0-9a-f]{6}/[0-9]{6,}|OID`),
	"orphans":  matchesForm(`[0-9a-f]{7,}(-[0-9a-f]{6})?-OID7(-OID)?`),
}

// storedRefs are the folders of refs that store checkpoints, like the metadata branch: they are ours, and no
// command that removes what is temporary lists them.
var storedRefs = map[string]func(name string, oid git.OID) bool{
	"epochs": matchesForm(`[0-9]{4}-[0-9]{2}`),
	"bodies": matchesForm(`[0-9]{4}-[0-9]{2}`),
	"inbox":  matchesForm(`[0-9a-f]{32}`),
}

// IsStored reports whether a ref has the name of one that stores checkpoints beside the metadata branch.
func IsStored(ref string) bool {
	dir, rest := SplitOwnRef(ref)
	check := storedRefs[dir]
	return check != nil && check(rest, git.OID{})
}

func namedForSession(name string, _ git.OID) bool {
	_, err := id.ParseSessionID(name)
	return err == nil
}

// matchesForm returns a check for names that match a pattern. OID in it stands for the object that the
// ref points to, OID7 for its short form.
func matchesForm(form string) func(string, git.OID) bool {
	return func(name string, oid git.OID) bool {
		exact := strings.NewReplacer("OID7", oid.Short(), "OID", oid.String()).Replace(form)
		return regexp.MustCompile("^(?:" + exact + ")$").MatchString(name)
	}
}

// IsOwnRef reports whether a ref below refs/entire/ is certainly ours.
func IsOwnRef(ref git.Ref) bool {
	dir, rest := SplitOwnRef(ref.Name)
	mine := OwnRefs[dir]
	return mine != nil && mine(rest, ref.OID)
}

// SplitOwnRef splits a name below refs/entire/ into its folder and the rest.
func SplitOwnRef(ref string) (dir, rest string) {
	dir, rest, _ = strings.Cut(strings.TrimPrefix(ref, OwnRefRoot), "/")
	return dir, rest
}

// ListOwnRefs lists our refs below refs/entire/ that are temporary, and the foreign refs there, one entry for each
// foreign folder.
func ListOwnRefs(ctx context.Context, s *sessionstate.Env) (mine []git.Ref, foreign []sessionstate.KeptFile, err error) {
	mine, _, foreign, err = ListRefsAndBranches(ctx, s)
	return mine, foreign, err
}

// ListRefsAndBranches is ListOwnRefs plus the branches that have names of shadow branches.
func ListRefsAndBranches(ctx context.Context, s *sessionstate.Env) (mine, branches []git.Ref, foreign []sessionstate.KeptFile, err error) {
	refs, err := s.Repo.Refs(ctx, OwnRefRoot, "refs/heads/"+shadow.BranchPrefix)
	if err != nil {
		return nil, nil, nil, err
	}
	var inFolder []git.Ref
	for _, ref := range refs {
		switch {
		case strings.HasPrefix(ref.Name, OwnRefRoot):
			inFolder = append(inFolder, ref)
		case shadow.LooksLikeShadowRef(ref.Name):
			branches = append(branches, ref)
		}
	}
	mine, foreign = divideRefs(inFolder)
	return mine, branches, foreign, nil
}

// divideRefs returns our refs, and those in our folders that other programs wrote, counted by folder. Stored
// checkpoints are neither.
func divideRefs(refs []git.Ref) (mine []git.Ref, foreign []sessionstate.KeptFile) {
	type group struct {
		path string
		read bool // checkpoints that are read and written here, too
	}
	theirs := map[group]int{}
	var groups []group
	for _, ref := range refs {
		dir, rest := SplitOwnRef(ref.Name)
		g := group{path: ref.Name} // a foreign ref in a folder of ours is listed by its own name
		stored := storedRefs[dir]
		switch {
		case stored != nil && stored(rest, ref.OID):
			continue
		case IsOwnRef(ref):
			mine = append(mine, ref)
			continue
		case rest != "" && OwnRefs[dir] == nil:
			g.path = OwnRefRoot + dir + "/"
			_, g.read = metadata.ParseCheckpointRef(ref.Name)
		}
		if theirs[g]++; theirs[g] == 1 {
			groups = append(groups, g)
		}
	}
	for _, g := range groups {
		foreign = append(foreign, sessionstate.KeptFile{Path: g.path, Why: foreignReason(g.path, theirs[g], g.read)})
	}
	return mine, foreign
}

// foreignReason describes refs that are left alone: checkpoints, which people may not have
// elsewhere, and what another version or program made.
func foreignReason(folder string, n int, read bool) string {
	switch {
	case read && n == 1:
		return "1 checkpoint, in a ref of its own"
	case read:
		return worktree.Counted(n, "checkpoint") + ", each in a ref of its own"
	case folder == metadata.CheckpointRefs:
		return worktree.Counted(n, "checkpoint") + " of another version of Entire"
	}
	return worktree.Counted(n, "ref") + " that this version of Entire did not make"
}
