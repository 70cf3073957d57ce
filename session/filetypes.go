package session

import "time"

// CheckpointManifest says which files a file checkpoint holds, and how they
// were: the file checkpoints/{id}/manifest.json. Two documents describe it: one
// names it after a user's message, the other by an ID of its own. Both names are
// written, with the same value, and either is read.
type CheckpointManifest struct {
	UserMessageUUID string         `json:"user_message_uuid"`
	CheckpointID    string         `json:"checkpoint_id"`
	CreatedAt       time.Time      `json:"created_at"`
	Files           []FileSnapshot `json:"files"`
}

// FileSnapshot is one file of a checkpoint.
type FileSnapshot struct {
	// Path is relative to the session's folder, with slashes.
	Path   string `json:"path"`
	Exists bool   `json:"exists"`
	Hash   string `json:"hash,omitempty"` // SHA-256 of the content, or of a link's target; 64 hex digits
	Size   int64  `json:"size,omitempty"` // bytes
	// Mode is 0100644, 0100755, 0120000 (a link) or any other permission bits of
	// a regular file, in octal digits; "" in what others wrote is 0100644.
	Mode string `json:"mode,omitempty"`
}

// RewindFilesResult is what a rewind of files did, or would do.
type RewindFilesResult struct {
	CanRewind    bool     `json:"canRewind"`
	Error        string   `json:"error,omitempty"`        // why it cannot
	FilesChanged []string `json:"filesChanged,omitempty"` // sorted; relative to the session's folder
	Insertions   int      `json:"insertions,omitempty"`   // lines
	Deletions    int      `json:"deletions,omitempty"`    // lines
	// SafetyCheckpoint brings back what the rewind replaced.
	SafetyCheckpoint string `json:"safetyCheckpoint,omitempty"`
}
