package checkpoint

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"sync"
	"time"

	"entire/agent"
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

// messagesIndex and messagesChunk return the names of the files of slot n.
func messagesIndex(n int) string { return "messages-" + strconv.Itoa(n) + ".json" }

func messagesChunk(n, chunk int) string {
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
	if n, ok = parseSlot(m[1]); !ok {
		return 0, 0, false
	}
	switch {
	case m[2] == "":
		return n, -1, true
	case m[3] == "":
		return n, 0, true
	}
	chunk, err := strconv.Atoi(m[3][1:])
	return n, chunk, err == nil && chunk > 0 && messagesChunk(n, chunk) == name
}

// messageSet is the messages of one session as a checkpoint stores them.
type messageSet struct {
	number int
	index  git.TreeEntry
	info   MessagesInfo
	err    error           // why info could not be read
	chunks []git.TreeEntry // in order, only those that info counts; a missing one has Mode 0
	more   []git.TreeEntry // chunks that info does not count, which another program left
}

// missing returns the names of the chunks that the folder does not have.
func (s *messageSet) missing() []string {
	var names []string
	for i, e := range s.chunks {
		if e.Mode == 0 {
			names = append(names, messagesChunk(s.number, i))
		}
	}
	return names
}

// files returns the entries of the set under its present number.
func (s *messageSet) files() []git.TreeEntry {
	files := []git.TreeEntry{{Mode: git.ModeFile, Name: messagesIndex(s.number), OID: s.index.OID}}
	for i, e := range s.chunks {
		if e.Mode != 0 {
			files = append(files, git.TreeEntry{Mode: git.ModeFile, Name: messagesChunk(s.number, i), OID: e.OID})
		}
	}
	return files
}

// askMessages requests the index files of the folder's messages.
func (f *folder) askMessages(ask *batch) {
	for _, e := range f.entries {
		n, chunk, ok := parseMessagesName(e.Name)
		if !ok || chunk >= 0 || !isFile(e) {
			continue
		}
		set := &messageSet{number: n, index: e}
		f.sets = append(f.sets, set)
		ask.add(e.OID.String(), func(o git.Object) error {
			set.read(f, o)
			return nil
		})
	}
}

func isFile(e git.TreeEntry) bool { return e.Mode == git.ModeFile || e.Mode == git.ModeExec }

func (s *messageSet) read(f *folder, o git.Object) {
	err := error(git.ErrMissing)
	if o.Type != "" {
		err = decodeDocument(o.Data, &s.info)
	}
	if err == nil {
		err = s.info.valid()
	}
	if err != nil {
		s.info = MessagesInfo{}
		s.err = fmt.Errorf("decode %s of checkpoint %s: %w", s.index.Name, f.id, err)
		return
	}
	count := 0
	for _, e := range f.entries {
		if n, chunk, ok := parseMessagesName(e.Name); ok && n == s.number && chunk >= 0 && isFile(e) {
			count = max(count, chunk+1)
		}
	}
	s.chunks = make([]git.TreeEntry, min(s.info.Chunks, max(count, 1)))
	if missing := s.info.Chunks - len(s.chunks); missing > 0 {
		s.chunks = append(s.chunks, make([]git.TreeEntry, min(missing, 1))...) // one missing chunk is enough to report
	}
	for _, e := range f.entries {
		n, chunk, ok := parseMessagesName(e.Name)
		switch {
		case !ok || n != s.number || chunk < 0 || !isFile(e):
		case chunk < s.info.Chunks:
			s.chunks[chunk] = e
		default:
			s.more = append(s.more, e)
		}
	}
}

// messages returns the set of a session: the one with its slot's number, or, if there is none,
// one that was left behind.
func (f *folder) messages(sessionID string) *messageSet {
	var found *messageSet
	own := -1
	if s, _ := f.session(sessionID); s != nil {
		own = s.number
	}
	for _, s := range f.sets {
		if s.err == nil && s.info.SessionID == sessionID && (found == nil || s.number == own) {
			found = s
		}
	}
	return found
}

// ownsFile reports whether a file belongs to a readable set.
func (f *folder) ownsFile(name string) bool {
	n, _, ok := parseMessagesName(name)
	return ok && slices.ContainsFunc(f.sets, func(s *messageSet) bool { return s.number == n && s.err == nil })
}
