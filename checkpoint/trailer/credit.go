package trailer

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"entire/internal/pattern"
)

// Keys of trailers that say who had a part in a commit.
const (
	AssistedBy   = "Assisted-by"
	CoAuthoredBy = "Co-authored-by"
	signedOffBy  = "Signed-off-by"
)

// Forms in which a commit can name agents.
const (
	FormAssisted   = "assisted-by"    // Assisted-by: AGENT:MODEL
	FormCoAuthored = "co-authored-by" // Co-authored-by: NAME <ADDRESS>
	FormNone       = "none"
)

// unknownModel stands for the model of an agent that does not name it.
const unknownModel = "unknown"

// A CreditRule says in which form commits name the agents whose work they hold.
type CreditRule struct {
	Paths []string // patterns of paths; none: every path
	Form  string
}

// FormsFor returns the forms for an agent's work in these paths: for each path the last rule that means it decides.
func FormsFor(rules []CreditRule, paths []string) (forms []string) {
	for _, path := range paths {
		for _, r := range slices.Backward(rules) {
			if pattern.Matches(r.Paths, path) {
				if r.Form != FormNone && !slices.Contains(forms, r.Form) {
					forms = append(forms, r.Form)
				}
				break
			}
		}
	}
	slices.Sort(forms)
	return forms
}

// A Credit is a trailer that names an agent.
type Credit struct{ Key, Value string }

// Assisted returns the trailer that the Linux kernel asks for. Blanks would end the names.
func Assisted(agent, model string) Credit {
	return Credit{AssistedBy, word(agent) + ":" + word(cmp.Or(model, unknownModel))}
}

// CoAuthored returns the trailer that forges read.
func CoAuthored(name, address string) Credit {
	return Credit{CoAuthoredBy, OneLine(strings.NewReplacer("<", "", ">", "").Replace(name)) + " <" + word(address) + ">"}
}

// word returns a text as one word.
func word(s string) string { return strings.Join(strings.Fields(s), "-") }

// Compare orders trailers by key, then by value.
func (c Credit) Compare(o Credit) int {
	return cmp.Or(strings.Compare(c.Key, o.Key), strings.Compare(c.Value, o.Value))
}

// same reports whether two trailers name the same agent: with the same address, or the same model and names that begin
// alike, as Claude and claude-code do.
func (c Credit) same(o Credit) bool {
	switch {
	case !strings.EqualFold(c.Key, o.Key):
		return false
	case c.Value == o.Value:
		return true
	case strings.EqualFold(c.Key, CoAuthoredBy):
		return c.Address() != "" && c.Address() == o.Address()
	}
	mine, model := c.assistant()
	other, its := o.assistant()
	return model != unknownModel && model != "" && model == its && (strings.HasPrefix(mine, other) || strings.HasPrefix(other, mine))
}

// Address returns the address in a Co-authored-by, in small letters; "" for none.
func (c Credit) Address() string {
	_, rest, _ := strings.Cut(c.Value, "<")
	address, _, ok := strings.Cut(rest, ">")
	if !ok {
		return ""
	}
	return strings.ToLower(address)
}

// assistant returns the agent, in small letters, and the model in an Assisted-by, "" for none. Tools may follow them.
func (c Credit) assistant() (agent, model string) {
	name, _, _ := strings.Cut(c.Value, " ")
	agent, model, _ = strings.Cut(name, ":")
	return strings.ToLower(agent), model
}

// creditLine returns the trailer of a line that names an agent or a co-author.
func creditLine(line []byte) (c Credit, ok bool) {
	key, value, found := strings.Cut(string(line), ":")
	if !found || !strings.EqualFold(key, AssistedBy) && !strings.EqualFold(key, CoAuthoredBy) {
		return c, false
	}
	return Credit{key, strings.TrimSpace(value)}, true
}

// Credits returns the Assisted-by and Co-authored-by on lines of their own in a message, also those of a message
// that git has indented for a squash.
func Credits(msg string) (list []Credit) {
	for line := range strings.Lines(msg) {
		if c, ok := creditLine([]byte(strings.TrimLeft(line, " \t"))); ok && c.Value != "" && len(list) < maxValues {
			list = append(list, c)
		}
	}
	return list
}

// AddCredit is AddCheckpointTrailer for a trailer that names an agent. It stands before the sign-offs of the block,
// and is left out if the block names the agent already.
func AddCredit(msg []byte, c Credit, opts MessageOptions) []byte {
	prefix := prefixOrHash(opts.CommentPrefix)
	text := msg[:textEnd(msg, prefix)]
	if !inTrailerBlock(text, prefix) {
		return addLine(msg, c.Key+": "+c.Value, opts)
	}
	head, last := CutLastParagraph(string(text))
	signed, at := -1, len(head)
	for line := range strings.Lines(last) {
		if have, ok := creditLine([]byte(line)); ok && have.same(c) {
			return msg
		}
		if signed < 0 && strings.HasPrefix(line, signedOffBy+": ") {
			signed = at
		}
		at += len(line)
	}
	if signed < 0 {
		return addLine(msg, c.Key+": "+c.Value, opts)
	}
	return slices.Concat(msg[:signed], []byte(c.Key+": "+c.Value+lineEnding(msg)), msg[signed:])
}

// RemoveTrailers is RemoveCheckpointTrailer that also removes the trailers that name agents.
func RemoveTrailers(msg []byte) []byte {
	return removeLines(msg, func(line []byte) bool {
		_, credit := creditLine(line)
		_, ours := checkpointLine(line)
		return credit || ours
	})
}

// removeLines returns msg without some lines, and without the blank line before each block of them.
func removeLines(msg []byte, remove func([]byte) bool) []byte {
	var lines [][]byte
	for line := range bytes.Lines(msg) {
		lines = append(lines, line)
	}
	var out [][]byte
	for i, line := range lines {
		if !remove(line) {
			out = append(out, line)
			continue
		}
		if i+1 == len(lines) || !staysInBlock(lines[i+1]) || allBlank(out) {
			out = dropSeparator(out)
		}
	}
	return bytes.Join(out, nil)
}
