package metadata

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"entire/checkpoint/chunk"
	"entire/checkpoint/statement"
	"entire/checkpoint/trailer"
	"entire/id"
	"entire/internal/git"
)

// SessionRecord is what one session adds to a checkpoint. All of it is already redacted.
type SessionRecord struct {
	// Metadata must have a SessionID. Empty CheckpointID, Strategy, Branch and CLIVersion are
	// taken from the Record.
	Metadata CommittedMetadata

	Transcript  []git.TreeEntry // stored chunks, from Log.Entries
	ContentHash string          // hash of the whole transcript, from Log.ContentHash
	Messages    *Messages       // made from Transcript; nil if unknown
	Prompts     string          // content of prompt.txt; "" for no file
	Context     string          // content of context.md; "" for no file

	// Extra are more files of the session; their paths are relative to its folder.
	Extra []git.Edit
}

// Record is one checkpoint to store, or sessions to add to one.
type Record struct {
	ID         id.CheckpointID
	Strategy   string
	Branch     string // "" when HEAD is detached
	CLIVersion string
	Sessions   []SessionRecord

	// Extra are files beside the sessions; their paths are relative to the checkpoint's folder.
	Extra []git.Edit

	// UnnamedCommit is the user's commit of the checkpoint if its message does not name the
	// checkpoint; zero if it does.
	UnnamedCommit git.OID

	// Commit and CommitTree are the user's commit and its tree, and Committer who made it, for the statement; zero if they
	// are not known. Stating adds one.
	Commit, CommitTree git.OID
	Committer          git.Signature
	Stating            *Stating

	EphemeralBranch string // the shadow branch that the record was made from, for the message
	Subject         string // added to the message of a task checkpoint
	MetadataTask    string // the path of a task's metadata, for the message

	Author git.Signature // Unknown <unknown@local> where empty
}

// BuildRecord makes the commit that adds rec on top of tip, which is zero if the branch does
// not exist. The objects are durable when it returns. The caller moves the ref, if possible in
// one transaction with the refs that depend on it (see [UpdateMetadata]).
//
// A session that the checkpoint has already keeps its folder, and keeps its transcript,
// prompts, context and summary where rec has none; a new session gets the next number. No other
// session changes, even if its metadata or the checkpoint's summary cannot be read: the summary
// is then computed from the readable sessions. For a forgotten checkpoint BuildRecord returns
// tip.
func BuildRecord(ctx context.Context, repo *git.Repo, tip git.OID, rec Record) (newTip git.OID, err error) {
	return buildRecord(ctx, repo, onBranch(tip), rec)
}

// buildRecord is BuildRecord for any place; a link is written only on the branch.
func buildRecord(ctx context.Context, repo *git.Repo, at place, rec Record) (newTip git.OID, err error) {
	if err := rec.valid(); err != nil {
		return git.OID{}, err
	}
	b, err := startBuild(ctx, repo, at, rec.ID, rec.Author)
	if err != nil {
		return git.OID{}, fmt.Errorf("write checkpoint %s: %w", rec.ID, err)
	}
	if b.forgotten {
		return at.tip, nil
	}
	b.stating = rec.Stating
	b.about = about{rec.Commit, rec.CommitTree, statement.Person{Name: rec.Committer.Name, Email: rec.Committer.Email}}
	for i := range rec.Sessions {
		if err := b.putSession(&rec, &rec.Sessions[i]); err != nil {
			return git.OID{}, fmt.Errorf("write checkpoint %s: %w", rec.ID, err)
		}
	}
	f := b.folder
	f.Summary.CheckpointID = rec.ID
	f.Summary.Strategy, f.Summary.Branch, f.Summary.CLIVersion = rec.Strategy, rec.Branch, rec.CLIVersion
	if err := b.putSummary(); err != nil {
		return git.OID{}, fmt.Errorf("write checkpoint %s: %w", rec.ID, err)
	}
	b.addExtra(f.base(), rec.Extra)
	if !rec.UnnamedCommit.IsZero() && !at.own {
		if err := b.link(rec.UnnamedCommit); err != nil {
			return git.OID{}, fmt.Errorf("write checkpoint %s: %w", rec.ID, err)
		}
	}
	newTip, err = b.commit(ctx, rec.message(repo.Vault.HidesMetadata()))
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
			if _, ok := chunk.Number(e.Name); !ok {
				return fmt.Errorf("write checkpoint %s: %q is not the name of a transcript chunk", rec.ID, e.Name)
			}
		}
	}
	return nil
}

// message returns the commit message on the metadata branch; hidden leaves out what lists show.
func (rec *Record) message(hidden bool) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Checkpoint: %s\n\n", rec.ID)
	if rec.Subject != "" {
		b.WriteString(trailer.SafeSubject(rec.Subject) + "\n\n")
	}
	seen := map[string]bool{}
	add := func(key, value string) {
		line := key + ": " + strings.Join(strings.Fields(value), " ") + "\n"
		if strings.TrimSpace(value) != "" && !seen[line] {
			seen[line] = true
			b.WriteString(line)
		}
	}
	for _, s := range rec.Sessions {
		add(trailer.Session, s.Metadata.SessionID)
	}
	add(trailer.Strategy, rec.Strategy)
	for _, s := range rec.Sessions {
		if !hidden {
			add(trailer.Agent, string(s.Metadata.Agent))
		}
	}
	add(trailer.EphemeralBranch, rec.EphemeralBranch)
	add(trailer.MetadataTask, rec.MetadataTask)
	return b.String()
}
