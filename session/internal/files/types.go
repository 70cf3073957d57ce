package files

import (
	"time"
)

// CheckpointManifest lists the files of a file checkpoint and how they were: the file
// checkpoints/{id}/manifest.json. Two documents describe it: one names it after a user's
// message, the other by an ID of its own. Both names are written, with the same value, and
// either is read.
type CheckpointManifest struct {
	UserMessageUUID string         `json:"user_message_uuid"`
	CheckpointID    string         `json:"checkpoint_id"`
	CreatedAt       time.Time      `json:"created_at"` // later than that of every earlier checkpoint, whatever the clock says
	Files           []FileSnapshot `json:"files"`      // in the order in which they were recorded
}

// FileSnapshot is one file of a checkpoint.
type FileSnapshot struct {
	// Path is relative to the session's folder, with slashes.
	Path   string `json:"path"`
	Exists bool   `json:"exists"`
	Hash   string `json:"hash,omitempty"` // SHA-256 of the content, or of a link's target; 64 hex digits
	Size   int64  `json:"size,omitempty"` // bytes
	// Mode is 0100644, 0100755, 0120000 (a link) or any other permission bits of a regular
	// file, in octal digits. Other programs may leave it out; the present mode of the file then
	// stays. 040000 is a folder: one that was missing above a missing file, or one that a
	// rewind is about to make or to remove.
	Mode string `json:"mode,omitempty"`
	// RecordedAt is when the file was added to an existing checkpoint; zero for the files that
	// the checkpoint was created with.
	RecordedAt time.Time `json:"recorded_at,omitzero"`
}

// RewindFilesResult says what a rewind of files did, or would do.
type RewindFilesResult struct {
	CanRewind    bool     `json:"canRewind"`
	Error        string   `json:"error,omitempty"`        // why it cannot
	FilesChanged []string `json:"filesChanged,omitempty"` // sorted; relative to the session's folder
	Insertions   int      `json:"insertions,omitempty"`   // lines
	Deletions    int      `json:"deletions,omitempty"`    // lines
	// SafetyCheckpoint names the checkpoint that restores what the rewind replaced; "" if it
	// replaced nothing.
	SafetyCheckpoint string `json:"safetyCheckpoint,omitempty"`
	// Recovered says how this call ended an earlier, interrupted rewind; "" if there was none.
	Recovered string `json:"recovered,omitempty"`
}
