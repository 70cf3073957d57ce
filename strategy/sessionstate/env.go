package sessionstate

import (
	"context"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"entire/agent"
	"entire/agent/conversation"
	"entire/checkpoint/chunk"
	"entire/checkpoint/metadata"
	"entire/checkpoint/trailer"
	"entire/id"
	"entire/internal/git"
	"entire/internal/redact"
	"entire/session"
)

// HeadMove records that a shadow branch was renamed from one commit to another because HEAD
// moved. by is the session whose event renamed it.
type HeadMove struct {
	From, To git.OID
	Session  id.SessionID
}

// autoState is what auto-commit remembers of a session between two commits.
type autoState struct {
	// Before is the version of each touched file before the session first changed it, by EncodePath. A
	// file that did not exist has mode 0.
	Before map[string]FileVersion `json:"before,omitempty"`

	// Subject is the next commit's subject, if another program has given one.
	Subject string `json:"subject,omitempty"`

	// Since is where the conversation was when the first turn began whose work waits for a commit or
	// is about to be committed; nil if no work waits.
	Since *conversation.Mark `json:"since,omitempty"`

	// StepsAtCommit is the state's checkpoint count at the last commit.
	StepsAtCommit int `json:"counted,omitempty"`

	// LeftOut are the touched files that the last commit left out, and why.
	LeftOut []KeptFile `json:"held,omitempty"`

	// WaitReason is why the last commit was not made at all; Refused is true if git or a hook refused it.
	WaitReason string `json:"waits,omitempty"`
	Refused    bool   `json:"refused,omitempty"`
}

// FileVersion is the version of a file: its mode and its blob. Mode 0 means that there is no file.
type FileVersion struct {
	Mode uint32  `json:"mode,omitempty"`
	OID  git.OID `json:"oid,omitzero"`
}

// StatKey is a file's stat data at the moment when it was hashed.
type StatKey struct {
	Size, Mtime, Ctime int64
	Ino                uint64
	Mode               uint32
}

// WorktreeCache remembers the worktree as it was in the last step, so that the next event hashes
// only changed files and, if there are none, reads no tree. It can be deleted at any time: every
// entry is checked against the file's stat data, and the whole cache against HEAD and the tip of
// the shadow branch.
type WorktreeCache struct {
	Head  git.OID // HEAD the files are relative to
	Ref   string  // shadow ref of the step; "" when there is none
	Tip   git.OID // the step
	Files PathVersions
	Stats map[string]CachedStat
	Gaps  git.OID // the step's list of what it did not capture, zero for none
}

// CachedStat is the blob of a file that had these stat data.
type CachedStat struct {
	Key   StatKey
	OID   git.OID
	Exact git.OID // the stored bytes of the file, if git might write others for its blob; zero otherwise
}

// The default size limits of a step, in bytes.
const (
	defaultCaptureLimit    = 64 << 20  // of one file
	defaultCheckpointLimit = 512 << 20 // of all files that differ from HEAD
)

// LinkPrompt as CommitLinking makes the engine ask on a terminal before it links a commit.
const LinkPrompt = "prompt"

// Options are what the caller gives the engine, which reads no environment and no clock of its
// own.
type Options struct {
	Repo    *git.Repo
	Store   *session.StateStore
	Now     func() time.Time
	Log     *slog.Logger
	Version string // version of the program, written into the files that the engine makes
	Home    string // the user's home directory, for transcript paths
	// TranscriptDirs replace the folders in which agents keep transcripts.
	TranscriptDirs map[agent.AgentName]string

	// Redact removes secrets from a line of a transcript, or from a transcript that is one document;
	// nil is package redact. A replacement must remove at least the same.
	Redact func([]byte) []byte

	CommitLinking string // "always" (default) or LinkPrompt

	// Credits say in which form commits name the agents whose work they hold; without a rule they name none.
	Credits []trailer.CreditRule

	CaptureLimit int64 // bytes per file; 0 means 64 MiB

	CheckpointLimit int64    // bytes per step; 0 means 512 MiB
	IncludeIgnored  []string // patterns of ignored files that a step holds nevertheless

	// ReadWithin is how long an event in a hook may read files before it saves what it has; the
	// conversation gets half of it. 0 is no limit.
	ReadWithin time.Duration

	KeepRewinds time.Duration // how long a rewind's undo is kept at least; 0 means 30 days

	KeepTurns  time.Duration // how long the turns of condensed steps are kept; 0 is DefaultKeepTurns, negative is not at all
	TurnsLimit int64         // bytes that the kept turns may use; 0 is DefaultTurnsLimit

	HumanPresent func() bool // reports a person at a terminal; nil is never
	AgentShell   bool        // this process runs in a shell that an agent has opened
	Committing   bool        // this is a hook of auto-commit's own commit: it does nothing
	NoEditor     bool        // git says that the message goes to no editor (GIT_EDITOR is ":")

	// Condensed is called for every checkpoint stored for a commit, with the sessions whose part in
	// it is new; nil is not called.
	Condensed func(id.CheckpointID, []id.SessionID)

	// Confirm asks the person at the terminal a question, with a line of detail. No answer within a
	// short time, and nil, are yes.
	Confirm func(ctx context.Context, question, detail string) bool

	// TranscriptMoved is called when an agent's transcript was cut or restored at path; nil is not called.
	TranscriptMoved func(ctx context.Context, sid id.SessionID, kind agent.AgentType, path string)

	// Invocation returns the command line of the git that runs this hook; nil if it is not known.
	Invocation func() (git.Invocation, bool)

	// NoGitAbove reports whether another program than git runs this hook; nil is no.
	NoGitAbove func() bool

	// MessageBoxAbove reports whether the git that runs this hook shows what prepare-commit-msg wrote before a person
	// writes the message; nil is no.
	MessageBoxAbove func() bool

	// Caller returns the process that called the hook; nil if it is not known. Above returns the processes
	// above this one, the nearest first; nil is none.
	Caller func() (git.Ancestor, bool)
	Above  func() []git.Ancestor

	// OpenRepo opens another worktree of the repository; nil if other worktrees are not looked at.
	OpenRepo func(ctx context.Context, top string) (*git.Repo, error)

	CheckpointRefs bool // a new checkpoint gets a ref of its own

	// CheckpointRemotes are the remotes or URLs to which sessions are sent in the place of the one that is pushed to.
	CheckpointRemotes []string

	Stating *metadata.Stating // how statements about checkpoints are made; nil: none are

	KeepSessions bool              // push_sessions is false: a push sends no sessions
	Tell         func(line string) // shows a person a line from within a hook; nil shows nothing
}

// Env keeps every turn on a shadow branch and condenses it into the metadata
// branch when somebody commits. It must not be called concurrently.
type Env struct {
	Options
	Cache        *WorktreeCache    // loaded on first use
	Umask        *fs.FileMode      // read on first use
	invoked      *git.Invocation   // read on first use
	above        []git.Ancestor    // read on first use
	Auto         bool              // commits at the end of every turn
	PendingMoves []HeadMove        // which other sessions have not followed yet
	linked       map[string]string // see Linked
	realTop      string            // the top without symbolic links; read on first use

	// OpenTurns are the sessions in a turn of which this process has read all that was said until now, though no event of
	// theirs told it; nil before it looked. The value has the lines of calls that run: nobody stores them.
	OpenTurns map[id.SessionID][]byte

	// SessionTop is the top of another worktree in which the sessions that are examined work, "" for this
	// one: their transcripts' relative paths are relative to it. SessionTopCounts says that a path below it
	// stands for the same path of this worktree, because the sessions' steps there are examined.
	SessionTop       string
	SessionTopCounts bool

	formerTops []string // tops that this worktree had before it moved; see InThisWorktree

	// EventCommand is the shell command of the tool call whose end is being handled, "" for none: the
	// transcript may not have it yet.
	EventCommand string
	// EventSession is the session of the event that is being handled, and EventTranscript the transcript that the event
	// names, "" for none: the session's state may not name it yet.
	EventSession    id.SessionID
	EventTranscript string

	// Missed are commits that no hook of ours saw and that are being recorded, and the commits that
	// they replace; nil before they are searched for.
	Missed map[git.OID]bool
}

// NewCheckpointID returns the ID for a new checkpoint. Its form says where the checkpoint will be
// stored; see [metadata.WriteRecord].
func (s *Env) NewCheckpointID() (id.CheckpointID, error) {
	if s.CheckpointRefs {
		return id.GenerateULID(s.Now())
	}
	return id.Generate()
}

// New makes the engine for one worktree.
func New(o Options) *Env {
	if o.CaptureLimit == 0 {
		o.CaptureLimit = defaultCaptureLimit
	}
	if o.CheckpointLimit == 0 {
		o.CheckpointLimit = defaultCheckpointLimit
	}
	if o.KeepRewinds == 0 {
		o.KeepRewinds = defaultKeepRewinds
	}
	if o.KeepTurns == 0 {
		o.KeepTurns = DefaultKeepTurns
	}
	if o.TurnsLimit == 0 {
		o.TurnsLimit = DefaultTurnsLimit
	}
	if o.Redact == nil {
		o.Redact = redact.Line
	}
	if o.Condensed == nil {
		o.Condensed = func(id.CheckpointID, []id.SessionID) {}
	}
	if o.Repo != nil && o.Store != nil {
		o.Store.Seal, o.Store.Open = o.Repo.Vault.Seal, o.Repo.Vault.OpenLocal
	}
	if o.Store != nil {
		o.Store.Copy = sharedCopy(o.Store)
	}
	if o.HumanPresent == nil {
		o.HumanPresent = func() bool { return false }
	}
	return &Env{Options: o}
}

// LocalDir is the folder of this worktree's own data: the cache of its files, the choices for
// commits in progress, the journal of a rewind.
func (s *Env) LocalDir() string { return filepath.Join(s.Repo.GitDir, "entire") }

// PathVersion is the version of one path of the worktree that differs from HEAD. Mode 0 means that
// the file is gone.
type PathVersion struct {
	Path string
	Mode uint32
	OID  git.OID
}

// PathVersions is sorted by path and holds each path once.
type PathVersions []PathVersion

// defaultKeepRewinds is the minimum time for which the files that a rewind replaced are kept.
const defaultKeepRewinds = 30 * 24 * time.Hour

// When a commit takes the turns of a shadow branch, the branch is deleted. Its steps are kept under
// one ref a day, so that a rewind can still go to the turns: the same transaction adds one small
// commit for each commit of the user. Refs that are only deleted and never rewritten make it cheap
// to drop a day.

const (
	// DefaultKeepTurns is how long turns are kept after a commit took them.
	DefaultKeepTurns = 30 * 24 * time.Hour

	// DefaultTurnsLimit bounds the bytes that kept turns may need on disk.
	DefaultTurnsLimit = 1 << 30

	KeptTurnsFolder = "turns"
	DayFormat       = "2006-01-02"
)

// PackedMessages is a session's conversation as messages, as far as its last checkpoint has it; the
// next checkpoint continues from there. It is made from the stored transcript at a checkpoint, so
// that no turn waits for it, and can be made again at any time.
type PackedMessages struct {
	Version int `json:"version"` // packedVersion; any other version is made again

	// Chunks counts the transcript's closed chunks that are packed, Digest is a hash of their IDs,
	// and Tail is the packed part of the chunk after them.
	Chunks int         `json:"chunks"`
	Digest string      `json:"digest"`
	Tail   chunk.Chunk `json:"tail,omitzero"`

	Normalizer *conversation.Normalizer `json:"talk"`
	Log        chunk.Log                `json:"log"`
	Info       metadata.MessagesInfo    `json:"info"`
}

// PathExists reports whether something is at a path, which may be a link that leads nowhere.
func PathExists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// KeptFile is a path that was not changed or not captured, and the reason.
type KeptFile struct {
	Path string `json:"path"`
	Why  string `json:"why"`
}

// TranscriptOf returns the path of a session's transcript, "" if none is known.
func (s *Env) TranscriptOf(o *LockedSession) string {
	if o.State.TranscriptPath == "" && o.ID == s.EventSession {
		return s.EventTranscript
	}
	return o.State.TranscriptPath
}
