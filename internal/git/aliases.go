package git

import (
	"context"
	"hash"
	"io/fs"
	"math/rand/v2"
	"time"

	"entire/internal/durable"
	"entire/internal/git/object"
	"entire/internal/git/process"
	"entire/internal/git/store"
	"entire/internal/git/worktree"
)

// What the rooms below give to other packages; their documentation is there.
type (
	Commit    = object.Commit
	OID       = object.OID
	Object    = object.Object
	Signature = object.Signature
	TreeEntry = object.TreeEntry

	Ancestor   = process.Ancestor
	Invocation = process.Invocation

	Edit        = store.Edit
	ExitError   = store.ExitError
	HashResult  = store.HashResult
	Quarantine  = store.Quarantine
	Reader      = store.Reader
	Ref         = store.Ref
	RefUpdate   = store.RefUpdate
	ReflogEntry = store.ReflogEntry
	Writer      = store.Writer

	Worktree = worktree.Worktree
)

// The modes of tree entries, and how old a lock is that nobody holds any more.
const (
	ModeExec    = object.ModeExec
	ModeFile    = object.ModeFile
	ModeGitlink = object.ModeGitlink
	ModeSymlink = object.ModeSymlink
	ModeTree    = object.ModeTree
	StaleLock   = store.StaleLock
)

// The errors that callers tell apart.
var (
	ErrMissing       = object.ErrMissing
	ErrNotRepository = store.ErrNotRepository
	ErrRefMoved      = store.ErrRefMoved
	ErrChanged       = worktree.ErrChanged
	ErrFolderStays   = worktree.ErrFolderStays
	ErrThroughLink   = worktree.ErrThroughLink
)

// ObjectOID returns the ID of an object with the given content, with a hash of the repository's kind.
func ObjectOID(h hash.Hash, kind string, data []byte) OID { return object.ObjectOID(h, kind, data) }

// SplitSignature returns a commit object without its signature, which is what was signed, and the armoured signature;
// "" for a commit that is not signed.
func SplitSignature(data []byte) (signed []byte, signature string) {
	return object.SplitSignature(data)
}

// ParseCommit parses a commit object. It skips unknown headers.
func ParseCommit(oid OID, data []byte) (Commit, error) { return object.ParseCommit(oid, data) }

// MustOID is ParseOID for constants; it panics on anything else.
func MustOID(s string) OID { return object.MustOID(s) }

// ParseOID parses 40 or 64 lowercase or uppercase hex digits. All zeros, with which git
// writes "no object", give the zero OID.
func ParseOID(s string) (OID, error) { return object.ParseOID(s) }

// ParseOIDs parses the words of a text, which are all object IDs.
func ParseOIDs(text []byte) ([]OID, error) { return object.ParseOIDs(text) }

// ParseTree parses a tree object whose IDs are hashLen bytes long (20 or 32).
func ParseTree(data []byte, hashLen int) ([]TreeEntry, error) { return object.ParseTree(data, hashLen) }

// OIDFromBytes returns the ID that tree objects have as bytes.
func OIDFromBytes(b []byte) OID { return object.OIDFromBytes(b) }

// ScanTree calls each with the entries of a tree object, in its order; data[from:to] is the name. An entry before a
// damaged one is passed, too.
func ScanTree(data []byte, hashLen int, each func(mode uint32, from, to int, oid []byte)) error {
	return object.ScanTree(data, hashLen, each)
}

// PossiblePath returns why no file can have the path, on this or any system; nil if a file
// can.
func PossiblePath(path string) error { return object.PossiblePath(path) }

// ValidPath returns an error for a path that no tree may hold: one with empty, `.` or `..`
// components, a NUL, or any spelling of `.git` that some file system treats as the real
// one.
func ValidPath(path string) error { return object.ValidPath(path) }

// InvocationAbove returns the nearest git among the process pid and its ancestors. ok is
// false if there is none, or if the system does not show command lines.
func InvocationAbove(pid int) (in Invocation, ok bool) { return process.InvocationAbove(pid) }

// Ancestors returns the process pid and the processes above it, the nearest first; none if
// the system does not show them.
func Ancestors(pid int) []Ancestor { return process.Ancestors(pid) }

// NoGitAbove reports whether another program than git runs a hook: the ancestors of the process pid are seen, and none
// of them looks like a git that makes commits.
func NoGitAbove(pid int) bool { return process.NoGitAbove(pid) }

// MessageBoxAbove reports whether the nearest git above the process pid shows what prepare-commit-msg wrote before a
// person writes the message: git gui and git citool.
func MessageBoxAbove(pid int) bool { return process.MessageBoxAbove(pid) }

// CallerAbove returns the nearest process among pid and its ancestors that does more than
// run one command line: for a hook, the agent that called it. ok is false if the system does
// not show it.
func CallerAbove(pid int) (a Ancestor, ok bool) { return process.CallerAbove(pid) }

// ApartEnviron returns the environment in which [Discover] finds the repository gitDir
// with the folder top as its worktree.
func ApartEnviron(environ []string, gitDir, top string) []string {
	return process.ApartEnviron(environ, gitDir, top)
}

// ApartOf returns the folder whose files the repository gitDir stores, "" if it does not
// say.
func ApartOf(gitDir string) (string, error) { return process.ApartOf(gitDir) }

// CreateApart creates the repository gitDir, completely or not at all. It keeps an
// existing one.
func CreateApart(gitDir string) error { return process.CreateApart(gitDir) }

// SetApartOf stores the folder that ApartOf returns.
func SetApartOf(gitDir, top string) error { return process.SetApartOf(gitDir, top) }

// ParseReflog returns the entries of a reflog, oldest first. The first line may be cut off.
func ParseReflog(reflog []byte) []ReflogEntry { return store.ParseReflog(reflog) }

// PauseTry waits a random time, which grows with the number of tries, before a caller that lost a race
// tries again.
func PauseTry(ctx context.Context, try int) error {
	return durable.Pause(ctx, time.Duration(rand.IntN(10+5*min(try, 20)))*time.Millisecond)
}

// SameDevice reports whether two files are on the same file system, so that each may be
// renamed into the other's folder.
func SameDevice(a, b fs.FileInfo) bool { return worktree.SameDevice(a, b) }

// FoldConflicts returns the pairs of different paths that a file system which ignores
// case, or normalises Unicode, treats as equal: two files with one folded name, or a file
// and a folder above another. Pairs are sorted by path. Names that are not UTF-8 are
// compared by their ASCII letters.
func FoldConflicts(paths []string) [][2]string { return worktree.FoldConflicts(paths) }

// Occupied reports whether err means that a file, folder or link of somebody else is at
// the path, or at a folder above it.
func Occupied(err error) bool { return worktree.Occupied(err) }

// MakeDurable writes the given files through to the disk, with the folders that hold them.
// Links have no content of their own to write.
func MakeDurable(paths []string) error { return worktree.MakeDurable(paths) }
