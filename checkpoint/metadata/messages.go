package metadata

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"sync"
	"time"

	"entire/agent"
	"entire/checkpoint/chunk"
	"entire/id"
	"entire/internal/git"
)

// Messages is a session's conversation in the form that is common to all agents. It is stored
// beside the session's slot: messages-<N>.jsonl and, if it is long, messages-<N>.jsonl.001 and
// so on, cut like a transcript, but into smaller chunks. The file messages-<N>.json describes
// the messages and names their session. The number alone proves nothing, because other tools
// renumber sessions and leave the files of earlier ones behind.
type Messages struct {
	Info   MessagesInfo
	Chunks []git.OID // stored chunks, from Log.Blobs
}

// MessagesChunkSize is the Limit of a log of messages. Each checkpoint stores the last chunk
// again, so smaller chunks cost less; but each chunk has a name in the checkpoint's tree.
// Messages are about a quarter of their transcript.
const MessagesChunkSize = 32 << 10

// MessagesInfo is the file messages-<N>.json.
type MessagesInfo struct {
	SessionID string          `json:"session_id"`
	Agent     agent.AgentType `json:"agent,omitempty"`
	Model     string          `json:"model,omitempty"` // the model of the last answer
	Title     string          `json:"title,omitempty"` // the first prompt in one line

	CreatedAt    time.Time         `json:"created_at,omitzero"` // the time of the first message
	UpdatedAt    time.Time         `json:"updated_at,omitzero"` // the time of the last message
	MessageCount int               `json:"message_count"`
	TurnCount    int               `json:"turn_count"` // number of prompts
	Usage        *agent.TokenUsage `json:"usage,omitempty"`
	LastMessage  string            `json:"last_message,omitempty"` // UUID

	Chunks int    `json:"chunks"`
	Size   int64  `json:"size"` // bytes of all chunks joined
	Hash   string `json:"hash"` // hash of all chunks joined, in the form of a transcript's
	// Transcript is the content hash of the transcript that the messages were made from. If the
	// slot has another transcript, another program has replaced it since.
	Transcript string `json:"transcript"`

	// Sealed has the members of privateMessages, where the repository seals; they are empty then on disk.
	Sealed string `json:"sealed,omitempty"`
}

// maxMessageChunks bounds how many chunks a MessagesInfo may have.
const maxMessageChunks = 1 << 16

// valid returns why the info is invalid, nil if it is valid.
func (i *MessagesInfo) valid() error {
	if _, err := id.ParseSessionID(i.SessionID); err != nil {
		return err
	}
	if i.Chunks < 1 || i.Chunks > maxMessageChunks || i.MessageCount < 1 || i.Size < 1 {
		return fmt.Errorf("%d messages of %d bytes in %d chunks", i.MessageCount, i.Size, i.Chunks)
	}
	return nil
}

// messagesIndex returns the name of the index of the messages of slot n.
func messagesIndex(n int) string { return "messages-" + strconv.Itoa(n) + ".json" }

// MessagesChunk returns the name of a part of the messages of slot n; the first part has no number.
func MessagesChunk(n, chunk int) string {
	name := "messages-" + strconv.Itoa(n) + ".jsonl"
	if chunk == 0 {
		return name
	}
	return fmt.Sprintf("%s.%03d", name, chunk)
}

var messagesName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^messages-([0-9]+)\.json(l(\.[0-9]{3,})?)?$`) })

// parseMessagesName parses a file name; chunk is -1 for the index.
func parseMessagesName(name string) (n, chunk int, ok bool) {
	m := messagesName().FindStringSubmatch(name)
	if m == nil {
		return 0, 0, false
	}
	if n, ok = ParseSlot(m[1]); !ok {
		return 0, 0, false
	}
	switch {
	case m[2] == "":
		return n, -1, true
	case m[3] == "":
		return n, 0, true
	}
	chunk, err := strconv.Atoi(m[3][1:])
	return n, chunk, err == nil && chunk > 0 && MessagesChunk(n, chunk) == name
}

// MessageSet is the messages of one session as a checkpoint stores them.
type MessageSet struct {
	Number   int
	Index    git.TreeEntry
	Info     MessagesInfo
	Err      error           // why info could not be read
	Chunks   []git.TreeEntry // in order, only those that info counts; a missing one has Mode 0
	leftover []git.TreeEntry // chunks that info does not count, which another program left
}

// Missing returns the names of the chunks that the folder does not have.
func (s *MessageSet) Missing() []string {
	var names []string
	for i, e := range s.Chunks {
		if e.Mode == 0 {
			names = append(names, MessagesChunk(s.Number, i))
		}
	}
	return names
}

// Files returns the entries of the set under its present number.
func (s *MessageSet) Files() []git.TreeEntry {
	files := []git.TreeEntry{{Mode: git.ModeFile, Name: messagesIndex(s.Number), OID: s.Index.OID}}
	for i, e := range s.Chunks {
		if e.Mode != 0 {
			files = append(files, git.TreeEntry{Mode: git.ModeFile, Name: MessagesChunk(s.Number, i), OID: e.OID})
		}
	}
	return files
}

// requestMessages requests the index files of the folder's messages.
func (f *Folder) requestMessages(ask *chunk.Batch) {
	for _, e := range f.Entries {
		n, chunk, ok := parseMessagesName(e.Name)
		if !ok || chunk >= 0 || !isFile(e) {
			continue
		}
		set := &MessageSet{Number: n, Index: e}
		f.Sets = append(f.Sets, set)
		ask.Add(e.OID.String(), func(o git.Object) error {
			set.read(f, o)
			return nil
		})
	}
}

func isFile(e git.TreeEntry) bool { return e.Mode == git.ModeFile || e.Mode == git.ModeExec }

// read takes the index and finds the chunks that it counts. One missing chunk is reported, however many are
// missing.
func (s *MessageSet) read(f *Folder, o git.Object) {
	err := error(git.ErrMissing)
	if o.Type != "" {
		err = chunk.DecodeDocument(o.Data, &s.Info)
	}
	if err == nil {
		err = s.Info.valid()
	}
	if err != nil {
		s.Info = MessagesInfo{}
		s.Err = fmt.Errorf("decode %s of checkpoint %s: %w", s.Index.Name, f.ID, err)
		return
	}
	s.Info.unseal(f.open)
	count := 0
	for _, e := range f.Entries {
		if n, chunk, ok := parseMessagesName(e.Name); ok && n == s.Number && chunk >= 0 && isFile(e) {
			count = max(count, chunk+1)
		}
	}
	s.Chunks = make([]git.TreeEntry, min(s.Info.Chunks, max(count, 1)))
	if missing := s.Info.Chunks - len(s.Chunks); missing > 0 {
		s.Chunks = append(s.Chunks, make([]git.TreeEntry, min(missing, 1))...) // one missing chunk is enough to report
	}
	for _, e := range f.Entries {
		n, chunk, ok := parseMessagesName(e.Name)
		switch {
		case !ok || n != s.Number || chunk < 0 || !isFile(e):
		case chunk < s.Info.Chunks:
			s.Chunks[chunk] = e
		default:
			s.leftover = append(s.leftover, e)
		}
	}
}

// Messages returns the set of a session: the one with its slot's number, or, if there is none,
// one that was left behind.
func (f *Folder) Messages(sessionID string) *MessageSet {
	var found *MessageSet
	own := -1
	if s, _ := f.Session(sessionID); s != nil {
		own = s.Number
	}
	for _, s := range f.Sets {
		if s.Err == nil && s.Info.SessionID == sessionID && (found == nil || s.Number == own) {
			found = s
		}
	}
	return found
}

// OwnsFile reports whether a file belongs to a readable set.
func (f *Folder) OwnsFile(name string) bool {
	n, _, ok := parseMessagesName(name)
	return ok && slices.ContainsFunc(f.Sets, func(s *MessageSet) bool { return s.Number == n && s.Err == nil })
}
