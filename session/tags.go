package session

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// TitledByUser is the TitleBy of a session that somebody renamed.
const TitledByUser = "user"

// How long tags and titles may be, and how many tags a session may have.
const (
	tagRunes      = 64
	tagsMax       = 100
	userTitleMax  = 200
	branchesMax   = 50
	branchNameMax = 255
)

// ErrTag is returned, wrapped, for what cannot be a tag.
var ErrTag = errors.New("not a tag")

// CheckTag returns a tag as it is kept, without space around it: letters, digits and
// - _ . / +, beginning with a letter or digit. A colon is for automatic ones.
func CheckTag(text string) (string, error) {
	tag := strings.TrimPrefix(strings.TrimSpace(text), "#")
	if n := utf8.RuneCountInString(tag); n == 0 || n > tagRunes {
		return "", fmt.Errorf("%w: it must have 1 to %d characters", ErrTag, tagRunes)
	}
	for i, r := range tag {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && (i == 0 || !strings.ContainsRune("-_./+", r)) {
			return "", fmt.Errorf("%w: %q cannot be in it", ErrTag, r)
		}
	}
	return tag, nil
}

// AddTags tags a session; those it has, in whatever case, are not added again. It
// returns what is new.
func (m *SessionMetadata) AddTags(tags ...string) (added []string, err error) {
	for _, text := range tags {
		tag, err := CheckTag(text)
		if err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(m.Tags, func(t string) bool { return strings.EqualFold(t, tag) }) {
			m.Tags, added = append(slices.Clip(m.Tags), tag), append(added, tag)
		}
	}
	if len(m.Tags) > tagsMax {
		return nil, fmt.Errorf("%w: a session has at most %d", ErrTag, tagsMax)
	}
	slices.Sort(m.Tags)
	return added, nil
}

// RemoveTags takes tags off, in whatever case, and returns those there were.
func (m *SessionMetadata) RemoveTags(tags ...string) (removed []string) {
	gone := func(t string) bool {
		return slices.ContainsFunc(tags, func(one string) bool {
			return strings.EqualFold(t, strings.TrimPrefix(strings.TrimSpace(one), "#"))
		})
	}
	var rest []string
	for _, t := range m.Tags {
		if gone(t) {
			removed = append(removed, t)
		} else {
			rest = append(rest, t)
		}
	}
	m.Tags = rest
	return removed
}

// AddBranches notes the branches that a session was on, in the order it was.
func (m *SessionMetadata) AddBranches(names ...string) {
	for _, b := range names {
		if b != "" && len(b) <= branchNameMax && utf8.ValidString(b) && !slices.Contains(m.Branches, b) && len(m.Branches) < branchesMax {
			m.Branches = append(slices.Clip(m.Branches), b)
		}
	}
}

// SuggestTitle gives a session the title of a prompt, if it has none or one that asks
// for nothing.
func (m *SessionMetadata) SuggestTitle(title string) {
	if m.TitleBy != TitledByUser {
		m.Title = titled(m.Title, title)
	}
}

// Rename gives a session a title that stays; "" one that is made of its prompts
// again.
func (m *SessionMetadata) Rename(title, generated string) error {
	title = strings.Join(strings.Fields(title), " ")
	if strings.ContainsFunc(title, unicode.IsControl) || !utf8.ValidString(title) {
		return errors.New("a title has no control characters")
	}
	if n := utf8.RuneCountInString(title); n > userTitleMax {
		return fmt.Errorf("a title has at most %d characters, this one has %d", userTitleMax, n)
	}
	m.Title, m.TitleBy = title, TitledByUser
	if title == "" {
		m.Title, m.TitleBy = generated, ""
	}
	return nil
}
