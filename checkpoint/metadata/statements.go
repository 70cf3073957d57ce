package metadata

import (
	"context"
	"fmt"
	"slices"
	"time"

	"entire/checkpoint/statement"
	"entire/internal/attribution"
	"entire/internal/git"
	"entire/internal/seal"
)

// attributionName is the file of a checkpoint that says who wrote the commit's lines.
const attributionName = "attribution.json"

// Stating says that a write adds a statement to the checkpoint, and how; nil adds none.
type Stating struct {
	Clone string // 12 hex digits that name this clone
	Now   func() time.Time

	// Sign returns the armoured signature of a text; nil signs nothing. A text that cannot be signed is stored unsigned,
	// and Failed is told.
	Sign   func(ctx context.Context, namespace string, text []byte) (string, error)
	Failed func(error)
}

// seal signs the text, or returns "".
func (s *Stating) seal(ctx context.Context, namespace string, text []byte) string {
	if s == nil || s.Sign == nil {
		return ""
	}
	signature, err := s.Sign(ctx, namespace, text)
	if err != nil {
		s.Failed(err)
		return ""
	}
	return signature
}

// state returns the tree with this clone's statement about the checkpoint that the build changed. A statement of an
// earlier write of this clone is replaced, and keeps its commit unless the build has one.
func (b *build) state(ctx context.Context, tree git.OID) (git.OID, error) {
	if err := b.writer.Sync(); err != nil { // what was written is read here
		return tree, err
	}
	rd, dir := b.repo.Reader(ctx), b.folder.ID.Path()
	entry, found, err := rd.Path(tree, dir)
	if err != nil || !found {
		return tree, err
	}
	entries, err := rd.Tree(entry.OID)
	if err != nil {
		return tree, err
	}
	st := &statement.Statement{Type: statement.Type, PredicateType: statement.PredicateType}
	p := &st.Predicate
	p.Checkpoint, p.Time = b.folder.ID.String(), b.stating.Now().UTC().Truncate(time.Second)
	p.Person = statement.Person{Name: b.author.Name, Email: b.author.Email}
	p.Chain.Clone = b.stating.Clone
	if err := b.chain(rd, tree, entries, st); err != nil {
		return tree, err
	}
	if err := b.describe(rd, entries, st); err != nil {
		return tree, err
	}
	return b.putStatement(ctx, tree, st)
}

// chain sets the statement's place in the clone's chain, and what it takes over from the statement that it replaces.
func (b *build) chain(rd *git.Reader, tree git.OID, entries []git.TreeEntry, st *statement.Statement) error {
	c := &st.Predicate.Chain
	heads, err := ReadHeads(rd, tree)
	if err != nil {
		return err
	}
	c.Number = 1
	for _, h := range heads {
		if h.Clone == c.Clone {
			last := h.Link
			c.Number, c.Previous = last.Number+1, &last
			continue
		}
		if c.Seen == nil {
			c.Seen = map[string]statement.Link{}
		}
		c.Seen[h.Clone] = h.Link
	}
	if !b.about.commit.IsZero() {
		st.Subject = append(st.Subject, gitSubject("commit", "gitCommit", b.about.commit), gitSubject("tree", "gitTree", b.about.tree))
		st.Predicate.Person = b.about.person
	}
	i := slices.IndexFunc(entries, func(e git.TreeEntry) bool { return e.Name == statement.Name(c.Clone) })
	if i < 0 {
		return nil
	}
	data, err := rd.Blob(entries[i].OID)
	if err != nil {
		return err
	}
	old, err := statement.Decode(data)
	if err != nil { // damaged: `audit verify` names it while it is there, and finds its number missing afterwards
		return nil
	}
	c.Replaces = append(old.Predicate.Chain.Replaces, old.Link(data))
	if b.about.commit.IsZero() {
		st.Subject = slices.DeleteFunc(old.Subject, func(s statement.Subject) bool { return s.Name == "checkpoint" })
		st.Predicate.Person = old.Predicate.Person
	}
	return nil
}

func gitSubject(name, kind string, oid git.OID) statement.Subject {
	return statement.Subject{Name: name, Digest: map[string]string{kind: oid.String()}}
}

// describe sets what the statement says of the checkpoint's content.
func (b *build) describe(rd *git.Reader, entries []git.TreeEntry, st *statement.Statement) error {
	own := slices.DeleteFunc(slices.Clone(entries), func(e git.TreeEntry) bool { return statement.IsFile(e.Name) })
	content, err := b.writer.Tree(own)
	if err != nil {
		return err
	}
	st.Subject = append(st.Subject, gitSubject("checkpoint", "gitTree", content))
	st.Predicate.Files = map[string]string{}
	var record *attribution.Record
	for _, e := range own {
		st.Predicate.Files[e.Name] = e.OID.String()
		if e.Name == attributionName && e.Mode != git.ModeTree {
			data, err := rd.RawBlob(e.OID)
			if err != nil {
				return err
			}
			if data, err = rd.Open(data); err != nil {
				continue // sealed by another clone
			}
			if record, err = attribution.DecodeRecord(data); err == nil && !b.repo.Vault.HidesMetadata() {
				st.Predicate.Lines = lineCounts(record)
			}
		}
	}
	for i := range b.folder.Slots {
		s := &b.folder.Slots[i]
		if s.Err != nil {
			continue
		}
		one := statement.Session{ID: s.Meta.SessionID}
		if !b.repo.Vault.HidesMetadata() {
			one.Agent, one.Models, one.Permissions = string(s.Meta.Agent), modelsOf(record, s.Meta.SessionID), permissionsIn(rd, s)
		}
		if e, ok := s.File(ContentHashName); ok {
			text, err := rd.RawBlob(e.OID)
			if err != nil {
				return err
			}
			if !seal.Is(text) { // the hash of a sealed text would confirm a guess of it
				one.Transcript = string(text)
			}
		}
		st.Predicate.Sessions = append(st.Predicate.Sessions, one)
	}
	return nil
}

func lineCounts(r *attribution.Record) *statement.Lines {
	var n statement.Lines
	for i, t := range r.Tallies() {
		switch r.Owners[i].Class {
		case attribution.ClassAgent:
			n.Agent += t.Added
		case attribution.ClassHuman:
			n.Person += t.Added
		default:
			n.Unknown += t.Added
		}
	}
	return &n
}

// modelsOf returns the models with which a session wrote lines, sorted.
func modelsOf(r *attribution.Record, session string) (out []string) {
	if r == nil {
		return nil
	}
	for _, o := range r.Owners {
		if o.SessionID == session && o.Model != "" {
			out = append(out, o.Model)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// putStatement returns the tree with the statement, its signature, and the clone's new head.
func (b *build) putStatement(ctx context.Context, tree git.OID, st *statement.Statement) (git.OID, error) {
	clone, dir := b.stating.Clone, b.folder.ID.Path()+"/"
	data, err := st.Encode()
	if err != nil {
		return tree, err
	}
	head, err := statement.Head{Clone: clone, Link: st.Link(data)}.Encode()
	if err != nil {
		return tree, err
	}
	edits := []git.Edit{{Path: dir + statement.SignatureName(clone)}} // none, or the old one, if it cannot be signed
	files := map[string][]byte{dir + statement.Name(clone): data, statement.HeadFolder + "/" + clone + ".json": head}
	if signature := b.stating.seal(ctx, statement.Namespace, data); signature != "" {
		edits = nil
		files[dir+statement.SignatureName(clone)] = []byte(signature)
	}
	for path, text := range files {
		oid, err := b.writer.Blob(text)
		if err != nil {
			return tree, fmt.Errorf("write statement: %w", err)
		}
		edits = append(edits, git.Edit{Path: path, Mode: git.ModeFile, OID: oid})
	}
	return b.repo.EditTree(ctx, tree, edits)
}

// ReadHeads returns the heads of the clones' chains below the tree of the branch. It leaves out a file that is none.
func ReadHeads(rd *git.Reader, tree git.OID) ([]statement.Head, error) {
	folder, found, err := rd.Path(tree, statement.HeadFolder)
	if err != nil || !found {
		return nil, err
	}
	entries, err := rd.Tree(folder.OID)
	if err != nil {
		return nil, err
	}
	var heads []statement.Head
	for _, e := range entries {
		if e.Mode == git.ModeTree {
			continue
		}
		data, err := rd.Blob(e.OID)
		if err != nil {
			return nil, err
		}
		if h, err := statement.DecodeHead(data); err == nil && e.Name == h.Clone+".json" {
			heads = append(heads, h)
		}
	}
	return heads, nil
}
