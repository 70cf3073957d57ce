package metadata

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"entire/checkpoint/chunk"
	"entire/id"
	"entire/internal/git"
)

// File names inside a checkpoint that reach disk.
const (
	FileName        = "metadata.json"
	PromptName      = "prompt.txt"
	ContextName     = "context.md"
	ContentHashName = "content_hash.txt"
)

// RootSlot is the number of a session whose files lie beside the folders of the others, as they
// did before sessions were numbered.
const RootSlot = -1

// maxSessions bounds how many sessions a summary may list.
const maxSessions = 10000

// Slot is one session's folder in a checkpoint.
type Slot struct {
	Number int
	Files  []git.TreeEntry
	Meta   CommittedMetadata
	Err    error // why meta could not be read
}

func (s *Slot) File(name string) (git.TreeEntry, bool) {
	for _, e := range s.Files {
		if e.Name == name && e.Mode != git.ModeTree {
			return e, true
		}
	}
	return git.TreeEntry{}, false
}

// set puts a file into the slot; Mode 0 removes it.
func (s *Slot) set(e git.TreeEntry) {
	s.Files = slices.DeleteFunc(slices.Clone(s.Files), func(f git.TreeEntry) bool { return f.Name == e.Name })
	if e.Mode != 0 {
		s.Files = append(s.Files, e)
	}
}

// Folder is a checkpoint as it is stored.
type Folder struct {
	ID      id.CheckpointID
	Tree    git.OID
	Entries []git.TreeEntry
	Summary CheckpointSummary
	Err     error  // why the summary could not be read; the slots are used instead
	Slots   []Slot // in the order of sessions[], then those it does not list
	Sets    []*MessageSet
	InRef   bool // the checkpoint is in a ref of its own, whose tree it is
	detail  Detail
	open    opener // set while the folder is filled
}

// Detail is how much of a checkpoint is read; zero is all.
type Detail int

// The details, each with those after it.
const (
	Whole     Detail = iota
	Documents        // without the index of the messages
	Brief            // decode only what a list needs
)

func (f *Folder) decode(data []byte, v any) error {
	if f.detail == Brief {
		return decodeBriefly(data, v)
	}
	return chunk.DecodeDocument(data, v)
}

// LoadFolders reads checkpoints below the tree root, in a few round trips for all of them. A
// checkpoint that does not exist is nil. An error of decoding is noted in the folder or slot;
// only an error of the object store is returned.
func LoadFolders(rd *git.Reader, root git.OID, ids []id.CheckpointID, hashLen int, detail Detail) ([]*Folder, error) {
	folders := make([]*Folder, len(ids))
	if root.IsZero() || len(ids) == 0 {
		return folders, nil
	}
	var ask chunk.Batch
	err := Locate(rd, root, ids, hashLen, &ask, func(i int, o git.Object) error {
		entries, err := git.ParseTree(o.Data, hashLen)
		folders[i] = &Folder{ID: ids[i], Tree: o.OID, Entries: entries, detail: detail}
		return err
	})
	if err != nil {
		return nil, err
	}
	return folders, FillFolders(rd, folders, hashLen)
}

// FillFolders reads the content of folders whose entries are known; it skips nil ones.
func FillFolders(rd *git.Reader, folders []*Folder, hashLen int) error {
	var ask chunk.Batch
	docs := make([][]byte, len(folders))
	for i, f := range folders {
		if f != nil {
			f.open = rd.Open
			f.requestTop(&ask, &docs[i], hashLen)
		}
	}
	if err := ask.Run(rd); err != nil {
		return err
	}
	for i, f := range folders {
		if f != nil {
			f.arrange(docs[i])
			f.requestSlots(&ask)
		}
	}
	return ask.Run(rd)
}

// requestTop requests the root document and the numbered folders.
func (f *Folder) requestTop(ask *chunk.Batch, doc *[]byte, hashLen int) {
	if f.detail == Whole {
		f.requestMessages(ask)
	}
	for _, e := range f.Entries {
		if e.Name == FileName && e.Mode != git.ModeTree {
			ask.Add(e.OID.String(), func(o git.Object) error {
				if o.Type == "" {
					f.Err = fmt.Errorf("summary of checkpoint %s: %w", f.ID, git.ErrMissing)
				}
				*doc = o.Data
				return nil
			})
		}
		n, ok := SlotNumber(e)
		if !ok {
			continue
		}
		f.Slots = append(f.Slots, Slot{Number: n})
		at := len(f.Slots) - 1
		ask.Add(e.OID.String(), func(o git.Object) (err error) {
			if o.Type != "tree" {
				f.Slots[at].Err = fmt.Errorf("session %d of checkpoint %s: %w", n, f.ID, git.ErrMissing)
				return nil
			}
			f.Slots[at].Files, err = git.ParseTree(o.Data, hashLen)
			return err
		})
	}
}

// arrange decodes the root document and sorts the slots into session order.
func (f *Folder) arrange(doc []byte) {
	slices.SortFunc(f.Slots, func(a, b Slot) int { return a.Number - b.Number })
	if doc == nil {
		if f.Err == nil {
			f.Err = fmt.Errorf("checkpoint %s has no %s", f.ID, FileName)
		}
		return
	}
	err := f.decode(doc, &f.Summary)
	if err == nil && len(f.Summary.Sessions) > maxSessions {
		err = fmt.Errorf("%d sessions are more than %d", len(f.Summary.Sessions), maxSessions)
	}
	if err != nil {
		f.Err = fmt.Errorf("decode summary of checkpoint %s: %w", f.ID, err)
		f.Summary = CheckpointSummary{}
		return
	}
	if len(f.Summary.Sessions) == 0 {
		f.arrangeLegacy(doc)
		return
	}
	order := map[int]int{}
	for i, paths := range f.Summary.Sessions {
		n := listedSlot(f.ID, paths, i)
		if _, twice := order[n]; !twice {
			order[n] = i
		}
	}
	last := len(f.Summary.Sessions)
	rank := func(s Slot) int {
		if i, ok := order[s.Number]; ok {
			return i
		}
		return last + s.Number
	}
	slices.SortFunc(f.Slots, func(a, b Slot) int { return rank(a) - rank(b) })
	f.addMissingSlots()
}

// addMissingSlots adds slots for listed sessions that are missing, so that the others keep their
// index.
func (f *Folder) addMissingSlots() {
	for i, paths := range f.Summary.Sessions {
		n := listedSlot(f.ID, paths, i)
		if slices.ContainsFunc(f.Slots, func(s Slot) bool { return s.Number == n }) {
			continue
		}
		gone := Slot{Number: n, Err: fmt.Errorf("session %d of checkpoint %s is listed but missing", n, f.ID)}
		f.Slots = slices.Insert(f.Slots, min(i, len(f.Slots)), gone)
	}
}

// arrangeLegacy reads the older layout: the root document is that of the latest session, whose
// files lie beside the folders of the earlier ones.
func (f *Folder) arrangeLegacy(doc []byte) {
	var meta CommittedMetadata
	if chunk.DecodeDocument(doc, &meta) != nil || meta.SessionID == "" {
		return
	}
	f.Summary.unknown = nil
	root := Slot{Number: RootSlot, Meta: meta}
	for _, e := range f.Entries {
		if e.Mode != git.ModeTree {
			root.Files = append(root.Files, e)
		}
	}
	f.Slots = append(f.Slots, root)
}

// requestSlots requests the metadata of every slot that has some.
func (f *Folder) requestSlots(ask *chunk.Batch) {
	for i := range f.Slots {
		s := &f.Slots[i]
		if s.Err != nil || s.Number == RootSlot {
			continue
		}
		e, ok := s.File(FileName)
		if !ok {
			s.Err = fmt.Errorf("session %d of checkpoint %s has no %s", s.Number, f.ID, FileName)
			continue
		}
		ask.Add(e.OID.String(), func(o git.Object) error {
			s.read(f, o)
			return nil
		})
	}
}

func (s *Slot) read(f *Folder, o git.Object) {
	err := error(git.ErrMissing)
	if o.Type != "" {
		err = f.decode(o.Data, &s.Meta)
	}
	s.Meta.unseal(f.open)
	if err != nil {
		s.Meta = CommittedMetadata{}
		s.Err = fmt.Errorf("decode session %d of checkpoint %s: %w", s.Number, f.ID, err)
	}
}

// Session finds a slot by its session ID. unreadable joins the errors of the slots that could
// not be read; one of them may be that of the session.
func (f *Folder) Session(sessionID string) (found *Slot, unreadable error) {
	var errs []error
	for i := range f.Slots {
		s := &f.Slots[i]
		if s.Err != nil {
			errs = append(errs, s.Err)
		} else if s.Meta.SessionID == sessionID {
			return s, nil
		}
	}
	return nil, errors.Join(errs...)
}

// NextSlot returns a number that no session of the checkpoint has or had.
func (f *Folder) NextSlot() int {
	next := len(f.Slots)
	for _, s := range f.Slots {
		next = max(next, s.Number+1)
	}
	return next
}

// base returns where the checkpoint's files begin, in the tree of the branch or of its own ref.
func (f *Folder) base() string {
	if f.InRef {
		return ""
	}
	return f.ID.Path() + "/"
}

// Paths returns where the files of a slot lie.
func (f *Folder) Paths(s *Slot) SessionFilePaths {
	at := func(name string) string {
		if _, ok := s.File(name); !ok {
			return ""
		}
		return "/" + f.base() + slotPrefix(s.Number) + name
	}
	p := SessionFilePaths{
		Metadata:    at(FileName),
		Transcript:  at(chunk.TranscriptName),
		Context:     at(ContextName),
		ContentHash: at(ContentHashName),
		Prompt:      at(PromptName),
	}
	if p.Transcript == "" {
		p.Transcript = at(chunk.LegacyTranscriptName)
	}
	if p.Metadata == "" {
		// A slot stays in the list even if it cannot be read.
		p.Metadata = "/" + f.base() + slotPrefix(s.Number) + FileName
	}
	return p
}

func slotPrefix(n int) string {
	if n == RootSlot {
		return ""
	}
	return strconv.Itoa(n) + "/"
}

// SlotNumber returns the number of a session's folder.
func SlotNumber(e git.TreeEntry) (n int, ok bool) {
	if e.Mode != git.ModeTree {
		return 0, false
	}
	return ParseSlot(e.Name)
}

// ParseSlot parses the name of a session's folder in a checkpoint.
func ParseSlot(name string) (n int, ok bool) {
	n, err := strconv.Atoi(name)
	return n, err == nil && n >= 0 && n < 1<<20 && strconv.Itoa(n) == name
}

// listedSlot returns the number of the folder that an entry of sessions[] names, from the root
// of the branch or from that of the checkpoint, or, if it names none inside this checkpoint, the
// entry's own index.
func listedSlot(cp id.CheckpointID, paths SessionFilePaths, index int) int {
	for _, p := range []string{paths.Metadata, paths.Transcript, paths.Prompt} {
		rest, ok := strings.CutPrefix(strings.TrimPrefix(p, "/"), cp.Path()+"/")
		ok = ok || strings.Count(rest, "/") == 1
		number, _, _ := strings.Cut(rest, "/")
		if n, valid := ParseSlot(number); ok && valid {
			return n
		}
	}
	return index
}

// Latest returns the metadata of the session that was written last.
func (f *Folder) Latest() CommittedMetadata {
	var last CommittedMetadata
	for _, s := range f.Slots {
		if s.Err == nil && LaterOf(s.Meta, last) > 0 {
			last = s.Meta
		}
	}
	return last
}

func (f *Folder) IndexOf(number int) int {
	return slices.IndexFunc(f.Slots, func(s Slot) bool { return s.Number == number && s.Files != nil })
}

// FullSummary returns the stored summary, with the sessions that it does not list. If it could
// not be read, FullSummary computes it from the sessions.
func (f *Folder) FullSummary() CheckpointSummary {
	sum := f.Summary
	sum.CheckpointID = f.ID
	sum.Sessions = make([]SessionFilePaths, len(f.Slots))
	var metas []CommittedMetadata
	for i := range f.Slots {
		s := &f.Slots[i]
		sum.Sessions[i] = f.Paths(s)
		if s.Err == nil {
			metas = append(metas, s.Meta)
		}
	}
	if f.Err != nil && len(metas) > 0 {
		last := metas[len(metas)-1]
		sum.CheckpointsCount, sum.FilesTouched, sum.TokenUsage = aggregate(metas)
		sum.Strategy, sum.Branch, sum.CLIVersion = last.Strategy, last.Branch, last.CLIVersion
	} else if f.unlisted() {
		sum.CheckpointsCount, sum.FilesTouched, sum.TokenUsage = aggregate(metas)
		sum.Branch = metas[len(metas)-1].Branch
	}
	return sum
}
