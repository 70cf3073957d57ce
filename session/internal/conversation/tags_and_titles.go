package conversation

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// TitledByUser is the TitleBy of a session that the user renamed.
const TitledByUser = "user"

// Limits of tags, titles and branches.
const (
	tagRunes      = 64
	tagsMax       = 100
	userTitleMax  = 200
	branchesMax   = 50
	branchNameMax = 255
)

// ErrTag is wrapped in the errors of invalid tags.
var ErrTag = errors.New("not a tag")

// checkTag returns a tag as it is stored, without surrounding space: letters, digits and - _ .
// / +, beginning with a letter or digit. Colons are reserved for automatic tags.
func checkTag(text string) (string, error) {
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

// AddTags adds tags to a session and returns the new ones. It ignores case and skips tags that
// the session has.
func (m *SessionMetadata) AddTags(tags ...string) (added []string, err error) {
	for _, text := range tags {
		tag, err := checkTag(text)
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

// RemoveTags removes tags, ignoring case, and returns those that the session had.
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

// AddBranches adds branches that the session was on, in order.
func (m *SessionMetadata) AddBranches(names ...string) {
	for _, b := range names {
		if b != "" && len(b) <= branchNameMax && utf8.ValidString(b) && !slices.Contains(m.Branches, b) && len(m.Branches) < branchesMax {
			m.Branches = append(slices.Clip(m.Branches), b)
		}
	}
}

// SuggestTitle sets the title made from a prompt, if the session has none or one from a prompt
// that asks for nothing. It keeps the user's title.
func (m *SessionMetadata) SuggestTitle(title string) {
	if m.TitleBy != TitledByUser {
		m.Title = betterTitle(m.Title, title)
	}
}

// Rename sets the user's title, which then stays; "" restores the generated title.
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
