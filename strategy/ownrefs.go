package strategy

import (
	"context"
	"regexp"
	"strings"

	"entire/checkpoint"
	"entire/id"
	"entire/internal/git"
)

// ownRefRoot is the folder of all our refs that are not branches. Other versions and programs keep
// refs there, too, some with the only copy of what they stored.
const ownRefRoot = "refs/entire/"

// ownRefs lists the folders below refs/entire/ that this program writes, each with a check of a
// ref's name and object. Any other ref is foreign: it may be read and listed, but never moved or
// deleted.
var ownRefs = map[string]func(name string, oid git.OID) bool{
	"backlog": namedForSession,
	"tasks":   namedForSession,
	"received": func(name string, _ git.OID) bool {
		return namedForSession(strings.TrimSuffix(name, "-head"), git.OID{})
	},
	"fetched":  formed(`[0-9a-f]{12}`),
	"teleport": formed(`[0-9a-f]{32}`),
	"labels":   formed(`[0-9a-f]{6}/OID`),
	"turns":    formed(`[0-9a-f]{6}/[0-9]{4}-[0-9]{2}-[0-9]{2}`),
	"undo":     formed(`[0-9a-f]{6}/[0-9]{6,}|OID`),
	"orphans":  formed(`[0-9a-f]{7,}(-[0-9a-f]{6})?-OID7(-OID)?`),
}

func namedForSession(name string, _ git.OID) bool {
	_, err := id.ParseSessionID(name)
	return err == nil
}

// formed returns a check for names that match a pattern. OID in it stands for the object that the
// ref points to, OID7 for its short form.
func formed(form string) func(string, git.OID) bool {
	return func(name string, oid git.OID) bool {
		exact := strings.NewReplacer("OID7", oid.Short(), "OID", oid.String()).Replace(form)
		return regexp.MustCompile("^(?:" + exact + ")$").MatchString(name)
	}
}

// ownRef reports whether a ref below refs/entire/ is certainly ours.
func ownRef(ref git.Ref) bool {
	dir, rest := refFolder(ref.Name)
	mine := ownRefs[dir]
	return mine != nil && mine(rest, ref.OID)
}

// refFolder splits a name below refs/entire/ into its folder and the rest.
func refFolder(ref string) (dir, rest string) {
	dir, rest, _ = strings.Cut(strings.TrimPrefix(ref, ownRefRoot), "/")
	return dir, rest
}

// refsBeside lists our refs below refs/entire/, and the foreign refs there, one entry for each
// foreign folder.
func (s *ManualCommitStrategy) refsBeside(ctx context.Context) (mine []git.Ref, foreign []KeptFile, err error) {
	mine, _, foreign, err = s.refsAndBranches(ctx)
	return mine, foreign, err
}

// refsAndBranches is refsBeside plus the branches that have names of shadow branches.
func (s *ManualCommitStrategy) refsAndBranches(ctx context.Context) (mine, branches []git.Ref, foreign []KeptFile, err error) {
	refs, err := s.repo.Refs(ctx, ownRefRoot, "refs/heads/"+checkpoint.ShadowBranchPrefix)
	if err != nil {
		return nil, nil, nil, err
	}
	var inFolder []git.Ref
	for _, ref := range refs {
		switch {
		case strings.HasPrefix(ref.Name, ownRefRoot):
			inFolder = append(inFolder, ref)
		case checkpoint.LooksLikeShadowRef(ref.Name):
			branches = append(branches, ref)
		}
	}
	mine, foreign = divideRefs(inFolder)
	return mine, branches, foreign, nil
}

func divideRefs(refs []git.Ref) (mine []git.Ref, foreign []KeptFile) {
	theirs := map[string]int{}
	var folders []string
	for _, ref := range refs {
		dir, rest := refFolder(ref.Name)
		switch {
		case ownRef(ref):
			mine = append(mine, ref)
			continue
		case rest != "" && ownRefs[dir] == nil:
			dir = ownRefRoot + dir + "/"
		default: // a foreign ref in a folder of ours is listed by its own name
			dir = ref.Name
		}
		if theirs[dir]++; theirs[dir] == 1 {
			folders = append(folders, dir)
		}
	}
	for _, dir := range folders {
		foreign = append(foreign, KeptFile{dir, foreignWhy(dir, theirs[dir])})
	}
	return mine, foreign
}

// foreignWhy describes the refs that another version or program made.
func foreignWhy(folder string, n int) string {
	if folder == ownRefRoot+"checkpoints/" {
		return counted(n, "checkpoint") + " of another version of Entire"
	}
	return counted(n, "ref") + " that this version of Entire did not make"
}
