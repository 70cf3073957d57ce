package authorship

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
)

// Version is the version of the format.
const Version = "authorship/3.0.0"

// Ref is the ref that has the notes.
const Ref = "refs/notes/ai"

// divider is the line between the attestations and the metadata.
const divider = "---"

// Note says who wrote which lines of one commit. Lines that no entry has are of nobody known.
type Note struct {
	Files    []File // in the order of their paths
	Metadata Metadata
}

// File has the entries of one file.
type File struct {
	Path    string
	Entries []Entry
}

// Entry names the writer of lines by a key of the metadata.
type Entry struct {
	Key    string
	Ranges []Range // ascending
}

// Range is the lines Start to End, from 1, both included.
type Range struct{ Start, End int }

// Metadata is what the keys of entries mean.
type Metadata struct {
	Schema   string             `json:"schema_version"`
	Program  string             `json:"git_ai_version,omitempty"`
	Base     string             `json:"base_commit_sha"` // the commit itself
	Prompts  map[string]Prompt  `json:"prompts"`
	Humans   map[string]Human   `json:"humans,omitempty"`
	Sessions map[string]Session `json:"sessions,omitempty"`
}

// AgentID names a conversation. Tool is a short name, as in the program's.
type AgentID struct {
	Tool  string `json:"tool"`
	ID    string `json:"id"`
	Model string `json:"model"`
}

// Session is a conversation with an agent.
type Session struct {
	Agent      AgentID           `json:"agent_id"`
	Human      *string           `json:"human_author"` // who directed it; nil if unknown
	Attributes map[string]string `json:"custom_attributes,omitempty"`
}

// Human is a person who was seen typing.
type Human struct {
	Author string `json:"author"`
}

// Prompt is the older form of a session.
type Prompt struct {
	Agent       AgentID           `json:"agent_id"`
	Human       *string           `json:"human_author"`
	MessagesURL string            `json:"messages_url,omitempty"`
	Additions   int               `json:"total_additions"`
	Deletions   int               `json:"total_deletions"`
	Accepted    int               `json:"accepted_lines"`
	Overridden  int               `json:"overriden_lines"` // spelled so in the format
	Attributes  map[string]string `json:"custom_attributes,omitempty"`
}

// Length returns the number of lines of a file in the note's commit, and whether there is such a
// file.
type Length func(path string) (lines int, there bool)

// SessionKey returns the key of a session in the metadata.
func SessionKey(tool, conversation string) string { return "s_" + short(tool+":"+conversation) }

// CallKey returns the key of an entry: the session's, and one of the call or turn.
func CallKey(session, call string) string { return session + "::t_" + short(call) }

// short returns 14 hex digits of a text's hash.
func short(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])[:14]
}

// Encode returns the note's text, or what is wrong with the note. A nil length leaves the ends of
// files unchecked.
func (n *Note) Encode(length Length) ([]byte, error) {
	if err := cmp.Or(n.Check(length), n.checkOrder()); err != nil {
		return nil, err
	}
	var b strings.Builder
	for _, f := range n.Files {
		b.WriteString(quoted(f.Path) + "\n")
		for _, e := range f.Entries {
			var ranges []string
			for _, g := range e.Ranges {
				ranges = append(ranges, g.String())
			}
			fmt.Fprintf(&b, "  %s %s\n", e.Key, strings.Join(ranges, ","))
		}
	}
	b.WriteString(divider + "\n")
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	err := enc.Encode(n.Metadata)
	return []byte(b.String()), err
}

// String returns the range as a note has it.
func (g Range) String() string {
	if g.Start == g.End {
		return fmt.Sprint(g.Start)
	}
	return fmt.Sprintf("%d-%d", g.Start, g.End)
}

// quoted returns a path as a note has it.
func quoted(path string) string {
	if strings.ContainsAny(path, " \t") {
		return `"` + path + `"`
	}
	return path
}

// Record returns what the metadata says about an entry's key: the conversation, or the person. Both
// are zero if the metadata does not have the key.
func (n *Note) Record(key string) (who AgentID, author string, known bool) {
	before, _, _ := strings.Cut(key, "::")
	if s, there := n.Metadata.Sessions[before]; there {
		return s.Agent, "", true
	}
	if p, there := n.Metadata.Prompts[key]; there {
		return p.Agent, "", true
	}
	h, there := n.Metadata.Humans[key]
	return AgentID{}, h.Author, there
}
