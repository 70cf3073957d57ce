package statement

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"entire/id"
)

// Names and types that reach disk.
const (
	Type          = "https://in-toto.io/Statement/v1"
	PredicateType = "urn:entire:checkpoint:v1"

	// Namespace is the namespace of the SSH signature of a statement.
	Namespace = "entire-statement"

	// MaxBytes bounds a statement.
	MaxBytes = 4 << 20

	prefix, suffix, sealed = "statement-", ".json", ".sig"

	// HeadFolder has the Head of each clone's chain, in a file with the clone's name. No shard has this name.
	HeadFolder = "audit"
)

// Name returns the name of a clone's statement in a checkpoint's folder.
func Name(clone string) string { return prefix + clone + suffix }

// SignatureName returns the name of the signature of a clone's statement.
func SignatureName(clone string) string { return prefix + clone + sealed }

// CloneOf returns the clone that a statement in a checkpoint's folder is of; false for another file.
func CloneOf(name string) (clone string, ok bool) {
	clone, ok = strings.CutPrefix(name, prefix)
	if !ok {
		return "", false
	}
	clone, ok = strings.CutSuffix(clone, suffix)
	return clone, ok && ValidClone(clone)
}

// IsFile reports whether a file of a checkpoint's folder is a statement or the signature of one.
func IsFile(name string) bool {
	base, isSignature := strings.CutSuffix(name, sealed)
	if isSignature {
		name = base + suffix
	}
	_, ok := CloneOf(name)
	return ok
}

// ValidClone reports whether a text can name a clone: 12 hex digits.
func ValidClone(s string) bool {
	_, err := id.NewCheckpointID(s)
	return err == nil && len(s) == 12
}

// Statement is what one clone says about one checkpoint.
type Statement struct {
	Type          string    `json:"_type"`
	Subject       []Subject `json:"subject"`
	PredicateType string    `json:"predicateType"`
	Predicate     Predicate `json:"predicate"`
}

// Subject is an object of git that a statement is about: "checkpoint", "commit" or "tree".
type Subject struct {
	Name   string            `json:"name"`
	Digest map[string]string `json:"digest"`
}

// Predicate is what is said.
type Predicate struct {
	Checkpoint string            `json:"checkpoint"`
	Time       time.Time         `json:"time"`
	Files      map[string]string `json:"files"` // the checkpoint's files and folders, with their objects
	Sessions   []Session         `json:"sessions"`
	Lines      *Lines            `json:"lines,omitempty"` // nil where nothing recorded the lines
	Person     Person            `json:"person"`          // who is accountable for the commit
	Chain      Chain             `json:"chain"`
}

// Session is a session of the checkpoint.
type Session struct {
	ID         string   `json:"id"`
	Agent      string   `json:"agent,omitempty"`
	Models     []string `json:"models,omitempty"`
	Transcript string   `json:"transcript,omitempty"` // the digest of the transcript: "sha256:" and hex digits

	Permissions *Permissions `json:"permissions,omitempty"` // nil where the transcript says nothing about them
}

// Permissions are what the transcript of a session's part says about permissions. It is the agent's word.
type Permissions struct {
	Modes []string `json:"modes,omitempty"` // in which it worked, as the agent calls them, in order
	// Approved and Denied are how many calls of tools were, by who or what answered: person, settings, hook, other.
	Approved map[string]int `json:"approved,omitempty"`
	Denied   map[string]int `json:"denied,omitempty"`
}

// Lines are the lines that the commit added, by whom.
type Lines struct {
	Agent   int `json:"agent"`
	Person  int `json:"person"`
	Unknown int `json:"unknown"`
}

// Person is a name and an address.
type Person struct {
	Name  string `json:"name"`
	Email string `json:"email"`
}

// Chain places a statement among those of its clone.
type Chain struct {
	Clone    string `json:"clone"`
	Number   int    `json:"number"` // from 1
	Previous *Link  `json:"previous,omitempty"`

	// Replaces are the earlier statements of the same clone about the same checkpoint, oldest first.
	Replaces []Link `json:"replaces,omitempty"`

	// Seen are the last links of other clones' chains that this clone had, by clone.
	Seen map[string]Link `json:"seen,omitempty"`
}

// Link is a place in a chain.
type Link struct {
	Number     int    `json:"number"`
	Checkpoint string `json:"checkpoint"`
	Digest     string `json:"digest"` // of the statement
}

// Head is the last link of a clone's chain.
type Head struct {
	Clone string `json:"clone"`
	Link
}

// Encode returns the statement as it is stored and signed.
func (s *Statement) Encode() ([]byte, error) {
	slices.SortFunc(s.Predicate.Sessions, func(a, b Session) int { return strings.Compare(a.ID, b.ID) })
	data, err := json.MarshalIndent(s, "", "  ")
	return append(data, '\n'), err
}

// Digest returns the digest of an encoded statement: "sha256:" and hex digits.
func Digest(data []byte) string { return fmt.Sprintf("sha256:%x", sha256.Sum256(data)) }

// Link returns what another statement says of this one, whose encoded form is data.
func (s *Statement) Link(data []byte) Link {
	return Link{Number: s.Predicate.Chain.Number, Checkpoint: s.Predicate.Checkpoint, Digest: Digest(data)}
}

// Object returns the digest of a subject; "" if there is none of this name.
func (s *Statement) Object(name string) string {
	for _, sub := range s.Subject {
		if sub.Name == name {
			for _, d := range sub.Digest {
				return d
			}
		}
	}
	return ""
}

// Decode reads a statement.
func Decode(data []byte) (*Statement, error) {
	if len(data) > MaxBytes {
		return nil, fmt.Errorf("the statement has %d bytes, at most %d are read", len(data), MaxBytes)
	}
	var s Statement
	if err := json.Unmarshal(data, &s); err != nil {
		return nil, fmt.Errorf("the statement is no JSON of its form: %w", err)
	}
	c := s.Predicate.Chain
	switch {
	case s.Type != Type || s.PredicateType != PredicateType:
		return nil, fmt.Errorf("the statement has the type %.60q, which is unknown here", s.PredicateType)
	case !ValidClone(c.Clone) || c.Number < 1 || c.Number > 1 != (c.Previous != nil):
		return nil, fmt.Errorf("the statement has no place in a chain")
	case c.Previous != nil && c.Previous.Number != c.Number-1:
		return nil, fmt.Errorf("the statement has the number %d and follows number %d", c.Number, c.Previous.Number)
	case len(s.Predicate.Files) == 0 || s.Object("checkpoint") == "":
		return nil, fmt.Errorf("the statement names no objects")
	}
	if _, err := id.NewCheckpointID(s.Predicate.Checkpoint); err != nil {
		return nil, fmt.Errorf("the statement names no checkpoint: %w", err)
	}
	return &s, nil
}

// DecodeHead reads a Head.
func DecodeHead(data []byte) (h Head, err error) {
	if err := json.Unmarshal(data, &h); err != nil {
		return h, fmt.Errorf("the end of a chain is no JSON of its form: %w", err)
	}
	if !ValidClone(h.Clone) || h.Number < 1 {
		return h, fmt.Errorf("the end of a chain names no place")
	}
	return h, nil
}

// Encode returns the head as it is stored.
func (h Head) Encode() ([]byte, error) {
	data, err := json.MarshalIndent(h, "", "  ")
	return append(data, '\n'), err
}
