package shadow

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// Names that reach disk.
const (
	// BranchPrefix begins the name of every shadow branch.
	BranchPrefix = "entire/"

	// HashLength is how many hex digits of the base commit are in a shadow branch's
	// name.
	HashLength = 7

	// WorktreeIDHashLength is how many hex digits of the hashed worktree ID are in a shadow
	// branch's name.
	WorktreeIDHashLength = 6

	// MetadataBranch is the branch that holds committed checkpoints.
	MetadataBranch = "entire/checkpoints/v1"

	// MetadataRef is the full name of MetadataBranch.
	MetadataRef = "refs/heads/" + MetadataBranch

	// RemoteMetadataRef is read for what the local branch does not have.
	RemoteMetadataRef = "refs/remotes/origin/" + MetadataBranch

	// LegacyRef and LegacyRemoteRef held checkpoints before MetadataBranch existed. They are
	// only read.
	LegacyRef       = "refs/heads/entire/sessions"
	LegacyRemoteRef = "refs/remotes/origin/entire/sessions"
)

// HashWorktreeID returns the short hash that identifies a worktree in the names of its shadow
// branches. The main worktree's ID is the empty string.
func HashWorktreeID(worktreeID string) string {
	sum := sha256.Sum256([]byte(worktreeID))
	return hex.EncodeToString(sum[:])[:WorktreeIDHashLength]
}

// BranchName returns the name, without refs/heads/, of the shadow branch for a
// base commit in a worktree: entire/<7 hex>-<6 hex>. A base commit shorter than seven
// characters is used whole.
func BranchName(baseCommit, worktreeID string) string {
	if len(baseCommit) > HashLength {
		baseCommit = baseCommit[:HashLength]
	}
	return BranchPrefix + baseCommit + "-" + HashWorktreeID(worktreeID)
}

// Ref returns BranchName as a full ref name.
func Ref(baseCommit, worktreeID string) string {
	return "refs/heads/" + BranchName(baseCommit, worktreeID)
}

// ParseShadowBranchName splits a shadow branch's name at its last dash. A name without a dash
// is the older form and has an empty worktree hash. The metadata branch and anything outside
// entire/ are not shadow branches.
//
// A name is no proof: a branch is ours only if we recorded its object ID.
func ParseShadowBranchName(branchName string) (commitPrefix, worktreeHash string, ok bool) {
	rest, found := strings.CutPrefix(branchName, BranchPrefix)
	if !found || rest == "" || branchName == MetadataBranch {
		return "", "", false
	}
	dash := strings.LastIndexByte(rest, '-')
	if dash < 0 {
		return rest, "", true
	}
	return rest[:dash], rest[dash+1:], true
}

// LooksLikeShadow reports whether a name has the exact form of the shadow branches that this
// package makes, or the older one without a worktree hash.
func LooksLikeShadow(branchName string) bool {
	commit, worktree, ok := ParseShadowBranchName(branchName)
	if !ok || len(commit) < HashLength || !isHex(commit) {
		return false
	}
	return worktree == "" && !strings.HasSuffix(branchName, "-") ||
		len(worktree) == WorktreeIDHashLength && isHex(worktree)
}

// LooksLikeShadowRef reports whether a full ref name has the exact form of a shadow branch's,
// whoever made it.
func LooksLikeShadowRef(ref string) bool {
	name, ok := strings.CutPrefix(ref, "refs/heads/")
	return ok && LooksLikeShadow(name)
}

func isHex(s string) bool {
	for i := range len(s) {
		c := s[i]
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') && (c < 'A' || c > 'F') {
			return false
		}
	}
	return s != ""
}
