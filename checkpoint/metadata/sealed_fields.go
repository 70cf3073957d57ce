package metadata

import (
	"encoding/base64"
	"encoding/json"

	"entire/internal/git"
	"entire/internal/seal"
)

// opener returns the text of sealed data, and other data as it is.
type opener func(data []byte) ([]byte, error)

// privateMeta are the members of a session's metadata that are sealed together, where a repository seals.
type privateMeta struct {
	Summary        *Summary `json:"summary,omitempty"`
	TranscriptPath string   `json:"transcript_path,omitempty"`
}

func (m *CommittedMetadata) private() privateMeta { return privateMeta{m.Summary, m.TranscriptPath} }

// unseal fills in the sealed members. If they cannot be opened, they stay empty and sealed.
func (m *CommittedMetadata) unseal(open opener) {
	var p privateMeta
	if m.Sealed == "" {
		return
	}
	if m.locked = openFields(open, m.Sealed, &p) != nil; !m.locked {
		m.Summary, m.TranscriptPath = p.Summary, p.TranscriptPath
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
}

func (i *MessagesInfo) unseal(open opener) {
	var p privateMessages
	if i.Sealed != "" && openFields(open, i.Sealed, &p) == nil {
		i.Title, i.Hash, i.Transcript = p.Title, p.Hash, p.Transcript
	}
}

// sealed returns the info as it is stored.
func (i MessagesInfo) sealed(repo *git.Repo) (MessagesInfo, error) {
	text, sealed, err := sealFields(repo, i.SessionID, privateMessages{i.Title, i.Hash, i.Transcript}, false)
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
