package checkpoint

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"entire/id"
	"entire/internal/git"
)

// File names inside a checkpoint that reach disk.
const (
	metadataName    = "metadata.json"
	promptName      = "prompt.txt"
	contextName     = "context.md"
	contentHashName = "content_hash.txt"
)

// rootSlot is the number of a session whose files lie beside the folders of the others, as they
// did before sessions were numbered.
const rootSlot = -1

// maxSessions bounds how many sessions a summary may list.
const maxSessions = 10000

// slot is one session's folder in a checkpoint.
type slot struct {
	number int
	files  []git.TreeEntry
	meta   CommittedMetadata
	err    error // why meta could not be read
}

func (s *slot) file(name string) (git.TreeEntry, bool) {
	for _, e := range s.files {
		if e.Name == name && e.Mode != git.ModeTree {
			return e, true
		}
	}
	return git.TreeEntry{}, false
}

// set puts a file into the slot; Mode 0 removes it.
func (s *slot) set(e git.TreeEntry) {
	s.files = slices.DeleteFunc(slices.Clone(s.files), func(f git.TreeEntry) bool { return f.Name == e.Name })
	if e.Mode != 0 {
		s.files = append(s.files, e)
	}
}

// folder is a checkpoint as it is stored.
type folder struct {
	id      id.CheckpointID
	tree    git.OID
	entries []git.TreeEntry
	summary CheckpointSummary
	err     error  // why the summary could not be read; the slots are used instead
	slots   []slot // in the order of sessions[], then those it does not list
	sets    []*messageSet
	brief   bool // decode only what Listed needs
}

func (f *folder) decode(data []byte, v any) error {
	if f.brief {
		return decodeBriefly(data, v)
	}
	return decodeDocument(data, v)
}

// loadFolders reads checkpoints below the tree root, in a few round trips for all of them. A
// checkpoint that does not exist is nil. An error of decoding is noted in the folder or slot;
// only an error of the object store is returned.
func loadFolders(rd *git.Reader, root git.OID, ids []id.CheckpointID, hashLen int, brief bool) ([]*folder, error) {
	folders := make([]*folder, len(ids))
	if root.IsZero() || len(ids) == 0 {
		return folders, nil
	}
	var ask batch
	err := locate(rd, root, ids, hashLen, &ask, func(i int, o git.Object) error {
		entries, err := git.ParseTree(o.Data, hashLen)
		folders[i] = &folder{id: ids[i], tree: o.OID, entries: entries, brief: brief}
		return err
	})
	if err != nil {
		return nil, err
	}
	return folders, fillFolders(rd, folders, hashLen)
}

// fillFolders reads the content of folders whose entries are known; it skips nil ones.
func fillFolders(rd *git.Reader, folders []*folder, hashLen int) error {
	var ask batch
	docs := make([][]byte, len(folders))
	for i, f := range folders {
		if f != nil {
			f.askLevel(&ask, &docs[i], hashLen)
		}
	}
	if err := ask.run(rd); err != nil {
		return err
	}
	for i, f := range folders {
		if f != nil {
			f.arrange(docs[i])
			f.askSlots(&ask)
		}
	}
	return ask.run(rd)
}

// askLevel requests the root document and the numbered folders.
func (f *folder) askLevel(ask *batch, doc *[]byte, hashLen int) {
	if !f.brief {
		f.askMessages(ask)
	}
	for _, e := range f.entries {
		if e.Name == metadataName && e.Mode != git.ModeTree {
			ask.add(e.OID.String(), func(o git.Object) error {
				if o.Type == "" {
					f.err = fmt.Errorf("summary of checkpoint %s: %w", f.id, git.ErrMissing)
				}
				*doc = o.Data
				return nil
			})
		}
		n, ok := slotNumber(e)
		if !ok {
			continue
		}
		f.slots = append(f.slots, slot{number: n})
		at := len(f.slots) - 1
		ask.add(e.OID.String(), func(o git.Object) (err error) {
			if o.Type != "tree" {
				f.slots[at].err = fmt.Errorf("session %d of checkpoint %s: %w", n, f.id, git.ErrMissing)
				return nil
			}
			f.slots[at].files, err = git.ParseTree(o.Data, hashLen)
			return err
		})
	}
}

// arrange decodes the root document and sorts the slots into session order.
func (f *folder) arrange(doc []byte) {
	slices.SortFunc(f.slots, func(a, b slot) int { return a.number - b.number })
	if doc == nil {
		if f.err == nil {
			f.err = fmt.Errorf("checkpoint %s has no %s", f.id, metadataName)
		}
		return
	}
	err := f.decode(doc, &f.summary)
	if err == nil && len(f.summary.Sessions) > maxSessions {
		err = fmt.Errorf("%d sessions are more than %d", len(f.summary.Sessions), maxSessions)
	}
	if err != nil {
		f.err = fmt.Errorf("decode summary of checkpoint %s: %w", f.id, err)
		f.summary = CheckpointSummary{}
		return
	}
	if len(f.summary.Sessions) == 0 {
		f.arrangeLegacy(doc)
		return
	}
	order := map[int]int{}
	for i, paths := range f.summary.Sessions {
		n := listedSlot(f.id, paths, i)
		if _, twice := order[n]; !twice {
			order[n] = i
		}
	}
	last := len(f.summary.Sessions)
	rank := func(s slot) int {
		if i, ok := order[s.number]; ok {
			return i
		}
		return last + s.number
	}
	slices.SortFunc(f.slots, func(a, b slot) int { return rank(a) - rank(b) })
	f.addAbsent()
}

// addAbsent adds slots for listed sessions that are missing, so that the others keep their
// index.
func (f *folder) addAbsent() {
	for i, paths := range f.summary.Sessions {
		n := listedSlot(f.id, paths, i)
		if slices.ContainsFunc(f.slots, func(s slot) bool { return s.number == n }) {
			continue
		}
		gone := slot{number: n, err: fmt.Errorf("session %d of checkpoint %s is listed but missing", n, f.id)}
		f.slots = slices.Insert(f.slots, min(i, len(f.slots)), gone)
	}
}

// arrangeLegacy reads the older layout: the root document is that of the latest session, whose
// files lie beside the folders of the earlier ones.
func (f *folder) arrangeLegacy(doc []byte) {
	var meta CommittedMetadata
	if decodeDocument(doc, &meta) != nil || meta.SessionID == "" {
		return
	}
	f.summary.unknown = nil
	root := slot{number: rootSlot, meta: meta}
	for _, e := range f.entries {
		if e.Mode != git.ModeTree {
			root.files = append(root.files, e)
		}
	}
	f.slots = append(f.slots, root)
}

// askSlots requests the metadata of every slot that has some.
func (f *folder) askSlots(ask *batch) {
	for i := range f.slots {
		s := &f.slots[i]
		if s.err != nil || s.number == rootSlot {
			continue
		}
		e, ok := s.file(metadataName)
		if !ok {
			s.err = fmt.Errorf("session %d of checkpoint %s has no %s", s.number, f.id, metadataName)
			continue
		}
		ask.add(e.OID.String(), func(o git.Object) error {
			s.read(f, o)
			return nil
		})
	}
}

func (s *slot) read(f *folder, o git.Object) {
	err := error(git.ErrMissing)
	if o.Type != "" {
		err = f.decode(o.Data, &s.meta)
	}
	if err != nil {
		s.meta = CommittedMetadata{}
		s.err = fmt.Errorf("decode session %d of checkpoint %s: %w", s.number, f.id, err)
	}
}

// session finds a slot by its session ID. unreadable joins the errors of the slots that could
// not be read, one of which may be that of the session.
func (f *folder) session(sessionID string) (found *slot, unreadable error) {
	var errs []error
	for i := range f.slots {
		s := &f.slots[i]
		if s.err != nil {
			errs = append(errs, s.err)
		} else if s.meta.SessionID == sessionID {
			return s, nil
		}
	}
	return nil, errors.Join(errs...)
}

// nextSlot returns a number that no session of the checkpoint has or had.
func (f *folder) nextSlot() int {
	next := len(f.slots)
	for _, s := range f.slots {
		next = max(next, s.number+1)
	}
	return next
}

// paths returns where the files of a slot lie.
func (f *folder) paths(s *slot) SessionFilePaths {
	at := func(name string) string {
		if _, ok := s.file(name); !ok {
			return ""
		}
		return "/" + f.id.Path() + "/" + slotPrefix(s.number) + name
	}
	p := SessionFilePaths{
		Metadata:    at(metadataName),
		Transcript:  at(TranscriptName),
		Context:     at(contextName),
		ContentHash: at(contentHashName),
		Prompt:      at(promptName),
	}
	if p.Transcript == "" {
		p.Transcript = at(legacyTranscriptName)
	}
	if p.Metadata == "" {
		// A slot stays in the list even if it cannot be read.
		p.Metadata = "/" + f.id.Path() + "/" + slotPrefix(s.number) + metadataName
	}
	return p
}

func slotPrefix(n int) string {
	if n == rootSlot {
		return ""
	}
	return strconv.Itoa(n) + "/"
}

// slotNumber returns the number of a session's folder.
func slotNumber(e git.TreeEntry) (n int, ok bool) {
	if e.Mode != git.ModeTree {
		return 0, false
	}
	return parseSlot(e.Name)
}

func parseSlot(name string) (n int, ok bool) {
	n, err := strconv.Atoi(name)
	return n, err == nil && n >= 0 && n < 1<<20 && strconv.Itoa(n) == name
}

// listedSlot returns the number of the folder that an entry of sessions[] names, or, if it
// names none inside this checkpoint, the entry's own index.
func listedSlot(cp id.CheckpointID, paths SessionFilePaths, index int) int {
	for _, p := range []string{paths.Metadata, paths.Transcript, paths.Prompt} {
		rest, ok := strings.CutPrefix(strings.TrimPrefix(p, "/"), cp.Path()+"/")
		number, _, _ := strings.Cut(rest, "/")
		if n, valid := parseSlot(number); ok && valid {
			return n
		}
	}
	return index
}
