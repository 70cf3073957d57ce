package ownerlib

import (
	"context"
	"slices"

	"entire/internal/attribution"
	"entire/internal/cli/workplace"
	"entire/internal/formats"
	"entire/internal/formats/authorship"
	"entire/internal/git"
	"entire/internal/lineage"
	"entire/internal/notes"
)

// notedReason is the evidence of a note of git-ai that a person has imported. It counts less than any record.
const notedReason lineage.Evidence = "noted"

// A noteReader finds the owners of lines in imported notes.
type noteReader struct {
	book *notes.Book
	read map[git.OID]*authorship.Note // nil for a commit without a readable note
}

// notesOf returns the reader of the imported notes; nil if there are none, or they cannot be read: then their lines
// are as without them.
func notesOf(ctx context.Context, wp *workplace.Workplace) *noteReader {
	book, err := notes.Accepted(ctx, wp.Repo)
	if err != nil {
		wp.Log.Warn("imported notes not read", "err", err)
	}
	if err != nil || book == nil {
		return nil
	}
	return &noteReader{book, map[git.OID]*authorship.Note{}}
}

// yields reports whether a note may say more than this evidence.
func yields(e lineage.Evidence) bool {
	return slices.Contains([]lineage.Evidence{lineage.None, lineage.NotEnabled, lineage.Unreadable, lineage.NoAgentWork}, e)
}

// apply puts the owner of a commit's line that a note names into o, if o has no better evidence. A line that the
// note of another program does not name has no known writer: an agent was at work there.
func (r *noteReader) apply(ctx context.Context, commit git.OID, path string, line int, o *lineage.Origin) {
	if r == nil || commit.IsZero() || !yields(o.Evidence) {
		return
	}
	note := r.note(ctx, commit)
	if note == nil {
		return
	}
	key := keyOf(note, path, line)
	who, author, known := note.Record(key)
	switch {
	case known && author != "":
		*o = lineage.Origin{Owner: attribution.RecordOwner{Class: attribution.ClassHuman}, Evidence: notedReason}
	case known:
		*o = lineage.Origin{Owner: attribution.RecordOwner{Class: attribution.ClassAgent, Agent: formats.AgentNamed(who.Tool), SessionID: who.ID, Model: who.Model}, Evidence: notedReason}
	case len(note.Files) > 0 && !formats.Ours(note):
		*o = lineage.Origin{Owner: attribution.RecordOwner{Class: attribution.ClassUnknown}, Evidence: notedReason}
	}
}

func (r *noteReader) note(ctx context.Context, commit git.OID) *authorship.Note {
	note, there := r.read[commit]
	if !there {
		note, _, _ = r.book.Of(ctx, commit) // `notes import` has said what cannot be read
		r.read[commit] = note
	}
	return note
}

// keyOf returns the key of the entry that has a line, or "".
func keyOf(note *authorship.Note, path string, line int) string {
	for _, f := range note.Files {
		if f.Path != path {
			continue
		}
		for _, e := range f.Entries {
			if slices.ContainsFunc(e.Ranges, func(g authorship.Range) bool { return g.Start <= line && line <= g.End }) {
				return e.Key
			}
		}
	}
	return ""
}

// blamed applies the notes to the lines of a file.
func (r *noteReader) blamed(ctx context.Context, lines []lineage.Line) {
	for i := range lines {
		l := &lines[i]
		r.apply(ctx, l.Commit, l.CommitPath, l.CommitLine, &l.Origin)
	}
}

// commit applies the notes to the lines that a commit added.
func (r *noteReader) commit(ctx context.Context, oid git.OID, files []lineage.ChangedFile) {
	for _, f := range files {
		for i := range f.Added {
			r.apply(ctx, oid, f.Path, f.Added[i].Number, &f.Added[i].Origin)
		}
	}
}

// between applies the notes to the lines that a range leaves at its head. Blame says where a line was in its commit.
func (r *noteReader) between(ctx context.Context, resolver *lineage.Resolver, head git.OID, files []lineage.ChangedFile) error {
	if r == nil {
		return nil
	}
	for _, f := range files {
		noted := func(l lineage.ChangedLine) bool {
			return !l.MovedOnly && yields(l.Evidence) && !l.Commit.IsZero() && r.note(ctx, l.Commit) != nil
		}
		if !slices.ContainsFunc(f.Added, noted) {
			continue
		}
		lines, err := resolver.Blame(ctx, f.Path, head.String())
		if err != nil {
			return err
		}
		for i := range f.Added {
			l := &f.Added[i]
			if at := l.Number - 1; noted(*l) && at < len(lines) && lines[at].Commit == l.Commit {
				r.apply(ctx, l.Commit, lines[at].CommitPath, lines[at].CommitLine, &l.Origin)
			}
		}
	}
	return nil
}
