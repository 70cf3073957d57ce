package mcp

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"errors"
)

// Skill is what an agent is told of what it can ask, in the form of a skill file.
//
//go:embed skill.md
var Skill string

// ErrEdited is returned for a skill that somebody has edited, or that is not ours.
var ErrEdited = errors.New("the skill was edited")

// SkillFile returns the path of our skill in a folder of skills.
func SkillFile(folder string) string { return folder + "/" + Name + "/SKILL.md" }

const markBegin, markEnd = "<!-- written by entire agent-help ", " -->\n"

// skillText is the file: the skill, and a mark by which an edit is seen, also in a later version.
func skillText() []byte { return append([]byte(Skill), markOf([]byte(Skill))...) }

func markOf(text []byte) []byte {
	sum := sha256.Sum256(text)
	return []byte(markBegin + hex.EncodeToString(sum[:8]) + markEnd)
}

// unedited reports whether a file is a skill of this or another version as it was written.
func unedited(src []byte) bool {
	at := bytes.LastIndex(src, []byte(markBegin))
	return at > 0 && bytes.Equal(src[at:], markOf(src[:at]))
}

// AddSkill returns the file with the skill, and 1; src and 0 if that is what it is.
func AddSkill(src []byte) ([]byte, int, error) {
	switch text := skillText(); {
	case src == nil || unedited(src) && !bytes.Equal(src, text):
		return text, 1, nil
	case bytes.Equal(src, text):
		return src, 0, nil
	}
	return nil, 0, ErrEdited
}

// DropSkill returns nil and 1 for a skill, and src and 0 for nothing.
func DropSkill(src []byte) ([]byte, int, error) {
	switch {
	case src == nil:
		return nil, 0, nil
	case unedited(src):
		return nil, 1, nil
	}
	return nil, 0, ErrEdited
}
