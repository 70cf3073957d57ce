package checkpoint

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"entire/id"
	"entire/internal/git"
)

// SessionRecord is what one session contributes to a checkpoint. All of it is
// already redacted.
type SessionRecord struct {
	// Metadata needs a SessionID. CheckpointID, Strategy, Branch and
	// CLIVersion are taken from the Record where they are empty.
	Metadata CommittedMetadata

	Transcript  []git.TreeEntry // chunks already written, as of Log.Entries
	ContentHash string          // of the whole transcript, as of Log.ContentHash
	Messages    *Messages       // in Transcript; nil where they are not known
	Prompts     string          // content of prompt.txt; "" for no file
	Context     string          // content of context.md; "" for no file

	// Extra are more files of the session; paths are relative to its folder.
	Extra []git.Edit
}

// Record is one checkpoint to be stored, or sessions to be added to one.
type Record struct {
	ID         id.CheckpointID
	Strategy   string
	Branch     string // "" when HEAD is detached
	CLIVersion string
	Sessions   []SessionRecord

	// Extra are files beside the sessions; paths are relative to the
	// checkpoint's folder.
	Extra []git.Edit

	// Unnamed is the user's commit that the checkpoint is of where its message does not
	// name the checkpoint; zero where it does.
	Unnamed git.OID

	EphemeralBranch string // shadow branch the record was made from, for the message
	Subject         string // more about it in the message, of task checkpoints
	MetadataTask    string // path of a task's metadata, for the message

	Author git.Signature // Unknown <unknown@local> where empty
}

// BuildRecord makes the commit that adds rec on top of tip, which is zero where
// the branch does not exist. The objects are durable when it returns; moving
// the ref is the caller's, if possible in one transaction with what depends on
// it (see [UpdateMetadata]).
//
// A session that the checkpoint has already keeps its folder, and what rec does
// not bring of it (transcript, prompts, context, summary) stays; a new one gets
// the next number. No other session is touched, even if its metadata or the
// checkpoint's summary cannot be read: the summary is then made anew from the
// sessions that can. A checkpoint that was forgotten stays so: the answer is tip.
func BuildRecord(ctx context.Context, repo *git.Repo, tip git.OID, rec Record) (newTip git.OID, err error) {
	if err := rec.valid(); err != nil {
		return git.OID{}, err
	}
	b, err := startBuild(ctx, repo, tip, rec.ID, rec.Author)
	if err != nil {
		return git.OID{}, fmt.Errorf("write checkpoint %s: %w", rec.ID, err)
	}
	if b.gone {
		return tip, nil
	}
	for i := range rec.Sessions {
		if err := b.putSession(&rec, &rec.Sessions[i]); err != nil {
			return git.OID{}, fmt.Errorf("write checkpoint %s: %w", rec.ID, err)
		}
	}
	f := b.folder
	f.summary.CheckpointID = rec.ID
	f.summary.Strategy, f.summary.Branch, f.summary.CLIVersion = rec.Strategy, rec.Branch, rec.CLIVersion
	if err := b.putSummary(); err != nil {
		return git.OID{}, fmt.Errorf("write checkpoint %s: %w", rec.ID, err)
	}
	b.extra(f.id.Path()+"/", rec.Extra)
	if !rec.Unnamed.IsZero() {
		if err := b.link(rec.Unnamed); err != nil {
			return git.OID{}, fmt.Errorf("write checkpoint %s: %w", rec.ID, err)
		}
	}
	newTip, err = b.commit(ctx, rec.message())
	if err != nil {
		return git.OID{}, fmt.Errorf("write checkpoint %s: %w", rec.ID, err)
	}
	return newTip, nil
}

func (rec *Record) valid() error {
	if rec.ID.IsZero() {
		return errors.New("write checkpoint: no checkpoint ID")
	}
	for i, s := range rec.Sessions {
		if s.Metadata.SessionID == "" {
			return fmt.Errorf("write checkpoint %s: session %d has no ID", rec.ID, i)
		}
		for _, e := range s.Transcript {
			if _, ok := chunkNumber(e.Name); !ok {
				return fmt.Errorf("write checkpoint %s: %q is not the name of a transcript chunk", rec.ID, e.Name)
			}
		}
	}
	return nil
}

// message is the commit message on the metadata branch.
func (rec *Record) message() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Checkpoint: %s\n\n", rec.ID)
	if rec.Subject != "" {
		b.WriteString(safeSubject(rec.Subject) + "\n\n")
	}
	seen := map[string]bool{}
	trailer := func(key, value string) {
		line := key + ": " + strings.Join(strings.Fields(value), " ") + "\n"
		if strings.TrimSpace(value) != "" && !seen[line] {
			seen[line] = true
			b.WriteString(line)
		}
	}
	for _, s := range rec.Sessions {
		trailer(TrailerSession, s.Metadata.SessionID)
	}
	trailer(TrailerStrategy, rec.Strategy)
	for _, s := range rec.Sessions {
		trailer(TrailerAgent, string(s.Metadata.Agent))
	}
	trailer(TrailerEphemeralBranch, rec.EphemeralBranch)
	trailer(TrailerMetadataTask, rec.MetadataTask)
	return b.String()
}
