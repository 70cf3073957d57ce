package metadata

import (
	"encoding/base64"
	"encoding/json"

	"entire/agent"
	"entire/internal/git"
	"entire/internal/seal"
)

// opener returns the text of sealed data, and other data as it is.
type opener func(data []byte) ([]byte, error)

// privateMeta are the members of a session's metadata that are sealed together, where a repository seals.
type privateMeta struct {
	Summary        *Summary `json:"summary,omitempty"`
	TranscriptPath string   `json:"transcript_path,omitempty"`

	Listed *listedMeta `json:"listed,omitempty"` // nil where lists stay readable for everybody
}

// listedMeta are the members that lists show, and that merging and finding do without.
type listedMeta struct {
	Agent              agent.AgentType     `json:"agent,omitempty"`
	Branch             string              `json:"branch,omitempty"`
	CheckpointsCount   int                 `json:"checkpoints_count,omitempty"`
	FilesTouched       []string            `json:"files_touched,omitempty"`
	TurnID             string              `json:"turn_id,omitempty"`
	ToolUseID          string              `json:"tool_use_id,omitempty"`
	Identifier         string              `json:"transcript_identifier_at_start,omitempty"`
	TokenUsage         *agent.TokenUsage   `json:"token_usage,omitempty"`
	InitialAttribution *InitialAttribution `json:"initial_attribution,omitempty"`
}

func (m *CommittedMetadata) private() privateMeta {
	return privateMeta{Summary: m.Summary, TranscriptPath: m.TranscriptPath}
}

// hide takes what lists show out of the metadata, and returns it.
func (m *CommittedMetadata) hide() *listedMeta {
	l := &listedMeta{m.Agent, m.Branch, m.CheckpointsCount, m.FilesTouched, m.TurnID, m.ToolUseID, m.TranscriptIdentifierAtStart, m.TokenUsage, m.InitialAttribution}
	m.listed(&listedMeta{})
	m.Unlisted = true
	return l
}

// listed puts what lists show into the metadata.
func (m *CommittedMetadata) listed(l *listedMeta) {
	m.Agent, m.Branch, m.CheckpointsCount, m.FilesTouched, m.TurnID, m.ToolUseID = l.Agent, l.Branch, l.CheckpointsCount, l.FilesTouched, l.TurnID, l.ToolUseID
	m.TranscriptIdentifierAtStart, m.TokenUsage, m.InitialAttribution = l.Identifier, l.TokenUsage, l.InitialAttribution
}

// unseal fills in the sealed members. If they cannot be opened, they stay empty and sealed.
func (m *CommittedMetadata) unseal(open opener) {
	var p privateMeta
	if m.Sealed == "" {
		return
	}
	if m.locked = openFields(open, m.Sealed, &p) != nil; !m.locked {
		m.Summary, m.TranscriptPath = p.Summary, p.TranscriptPath
		if p.Listed != nil {
			m.listed(p.Listed)
		}
	}
}

// Locked reports whether parts of the metadata are sealed and could not be opened.
func (m CommittedMetadata) Locked() bool { return m.locked }

// sealed returns the metadata as it is stored.
func (m CommittedMetadata) sealed(repo *git.Repo) (CommittedMetadata, error) {
	p := m.private()
	if p == (privateMeta{}) && m.locked {
		return m, nil
	}
	m.Unlisted = false
	if repo.Vault.HidesMetadata() {
		p.Listed = m.hide()
	}
	text, sealed, err := sealFields(repo, m.SessionID, p, p == (privateMeta{}))
	if err != nil || !sealed {
		m.Sealed = ""
		return m, err
	}
	m.Sealed, m.Summary, m.TranscriptPath = text, nil, ""
	return m, nil
}

// privateMessages are the sealed members of a MessagesInfo. The hashes would confirm a guess of the text.
type privateMessages struct {
	Title      string `json:"title,omitempty"`
	Hash       string `json:"hash"`
	Transcript string `json:"transcript"`

	Listed *listedMessages `json:"listed,omitempty"` // nil where lists stay readable for everybody
}

// listedMessages are the members that lists show.
type listedMessages struct {
	Agent     agent.AgentType   `json:"agent,omitempty"`
	Model     string            `json:"model,omitempty"`
	TurnCount int               `json:"turn_count,omitempty"`
	Usage     *agent.TokenUsage `json:"usage,omitempty"`
}

func (i *MessagesInfo) unseal(open opener) {
	var p privateMessages
	if i.Sealed != "" && openFields(open, i.Sealed, &p) == nil {
		i.Title, i.Hash, i.Transcript = p.Title, p.Hash, p.Transcript
		if l := p.Listed; l != nil {
			i.Agent, i.Model, i.TurnCount, i.Usage = l.Agent, l.Model, l.TurnCount, l.Usage
		}
	}
}

// sealed returns the info as it is stored.
func (i MessagesInfo) sealed(repo *git.Repo) (MessagesInfo, error) {
	p := privateMessages{Title: i.Title, Hash: i.Hash, Transcript: i.Transcript}
	if repo.Vault.HidesMetadata() {
		p.Listed = &listedMessages{i.Agent, i.Model, i.TurnCount, i.Usage}
		i.Agent, i.Model, i.TurnCount, i.Usage = "", "", 0, nil
	}
	text, sealed, err := sealFields(repo, i.SessionID, p, false)
	i.Sealed = text
	if sealed {
		i.Title, i.Hash, i.Transcript = "", "", ""
	}
	return i, err
}

func sealFields(repo *git.Repo, stream string, fields any, none bool) (text string, sealed bool, err error) {
	if none {
		return "", false, nil
	}
	data, err := json.Marshal(fields)
	if err != nil {
		return "", false, err
	}
	return repo.Vault.SealString(stream, data)
}

func openFields(open opener, sealed string, fields any) error {
	data, err := base64.StdEncoding.DecodeString(sealed)
	if err != nil || open == nil || !seal.Is(data) {
		return seal.ErrTampered
	}
	if data, err = open(data); err != nil {
		return err
	}
	return json.Unmarshal(data, fields)
}
