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

// Messages is a session's conversation in the form that holds for every agent,
// as it is stored beside the session's slot: messages-<N>.jsonl and, where it is
// long, messages-<N>.jsonl.001 and so on, cut like a transcript, but
// smaller. What it is, and
// whose, says messages-<N>.json: a number proves nothing, because other tools
// give numbers to sessions anew and leave the files of earlier ones behind.
type Messages struct {
	Info   MessagesInfo
	Chunks []git.OID // already written, as of Log.Blobs
}

// MessagesChunkSize is the Limit of a log of messages. A checkpoint stores the last
// chunk anew, so the smaller it is the less; yet each has a name in the
// checkpoint's tree. Messages are about a quarter of their transcript.
const MessagesChunkSize = 32 << 10

// MessagesInfo is the file messages-<N>.json.
type MessagesInfo struct {
	SessionID string          `json:"session_id"`
	Agent     agent.AgentType `json:"agent,omitempty"`
	Model     string          `json:"model,omitempty"` // the last that answered
	Title     string          `json:"title,omitempty"` // the first prompt in one line

	CreatedAt    time.Time         `json:"created_at,omitzero"` // of the first message
	UpdatedAt    time.Time         `json:"updated_at,omitzero"` // of the last
	MessageCount int               `json:"message_count"`
	TurnCount    int               `json:"turn_count"` // of prompts
	Usage        *agent.TokenUsage `json:"usage,omitempty"`
	LastMessage  string            `json:"last_message,omitempty"` // UUID

	Chunks int    `json:"chunks"`
	Size   int64  `json:"size"` // bytes of all chunks joined
	Hash   string `json:"hash"` // of them, like that of a transcript
	// Transcript is the content hash of the transcript that the messages are of.
	// Where the slot has another one, somebody else has replaced it since.
	Transcript string `json:"transcript"`
}

// maxMessageChunks bounds what is believed of a MessagesInfo.
const maxMessageChunks = 1 << 16

// valid says why what was read cannot be believed.
func (i *MessagesInfo) valid() error {
	if _, err := id.ParseSessionID(i.SessionID); err != nil {
		return err
	}
	if i.Chunks < 1 || i.Chunks > maxMessageChunks || i.MessageCount < 1 || i.Size < 1 {
		return fmt.Errorf("%d messages of %d bytes in %d chunks", i.MessageCount, i.Size, i.Chunks)
	}
	return nil
}

// messagesIndex and messagesChunk are the names of the files of slot n.
func messagesIndex(n int) string { return "messages-" + strconv.Itoa(n) + ".json" }

func messagesChunk(n, chunk int) string {
	name := "messages-" + strconv.Itoa(n) + ".jsonl"
	if chunk == 0 {
		return name
	}
	return fmt.Sprintf("%s.%03d", name, chunk)
}

var messagesName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^messages-([0-9]+)\.json(l(\.[0-9]{3,})?)?$`) })

// parseMessagesName takes a file name apart; chunk is -1 for the index.
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

// messageSet is the messages of one session as a checkpoint holds them.
type messageSet struct {
	number int
	index  git.TreeEntry
	info   MessagesInfo
	err    error           // why info could not be read
	chunks []git.TreeEntry // in order; those missing have Mode 0. Only what info counts
	more   []git.TreeEntry // left behind by whom else
}

// missing names the chunks that the folder does not have.
func (s *messageSet) missing() []string {
	var names []string
	for i, e := range s.chunks {
		if e.Mode == 0 {
			names = append(names, messagesChunk(s.number, i))
		}
	}
	return names
}

// files are those of the set under the number it has now.
func (s *messageSet) files() []git.TreeEntry {
	files := []git.TreeEntry{{Mode: git.ModeFile, Name: messagesIndex(s.number), OID: s.index.OID}}
	for i, e := range s.chunks {
		if e.Mode != 0 {
			files = append(files, git.TreeEntry{Mode: git.ModeFile, Name: messagesChunk(s.number, i), OID: e.OID})
		}
	}
	return files
}

// askMessages asks for what the messages files of the folder are.
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
		s.chunks = append(s.chunks, make([]git.TreeEntry, min(missing, 1))...) // one is enough to tell
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

// messages finds the set of a session: that with its slot's number, or else one
// that was left behind.
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

// ownsFile reports whether a file is one of a set that can be read.
func (f *folder) ownsFile(name string) bool {
	n, _, ok := parseMessagesName(name)
	return ok && slices.ContainsFunc(f.sets, func(s *messageSet) bool { return s.number == n && s.err == nil })
}
