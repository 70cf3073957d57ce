package trailer

import (
	"bytes"
	"strings"
)

// OneLine returns a text with its white space folded.
func OneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// inTrailerBlock reports whether text, which ends in neither a comment nor a blank line, ends
// in a trailer block as git defines it: the last paragraph, not counting the title, in which
// every line is a trailer, or git wrote one trailer and at least a quarter of the lines are
// trailers.
func inTrailerBlock(text []byte, prefix string) bool {
	lines := bytes.Split(bytes.TrimSuffix(text, []byte("\n")), []byte("\n"))
	title := titleLines(lines, prefix)
	var count blockCount
	for i := len(lines) - 1; i >= title; i-- {
		switch line := lines[i]; {
		case bytes.HasPrefix(line, []byte(prefix)):
			count.endContinuation()
		case isBlank(line):
			return count.isBlock()
		default:
			count.add(line)
		}
	}
	return false
}

// titleLines returns the number of lines of the first paragraph.
func titleLines(lines [][]byte, prefix string) int {
	for i, line := range lines {
		if !bytes.HasPrefix(line, []byte(prefix)) && isBlank(line) {
			return i
		}
	}
	return len(lines)
}

// blockCount counts the lines of a paragraph from its end. Indented lines belong to the line
// above them, which add sees later.
type blockCount struct {
	trailers, others, continuations int
	byGit                           bool
}

func (c *blockCount) add(line []byte) {
	switch {
	case bytes.HasPrefix(line, []byte("Signed-off-by: ")),
		bytes.HasPrefix(line, []byte("(cherry picked from commit ")):
		c.trailers++
		c.continuations = 0
		c.byGit = true
	case isTrailerLine(line):
		c.trailers++
		c.continuations = 0
	case isGitSpace(line[0]):
		c.continuations++
	default:
		c.others++
		c.endContinuation()
	}
}

func (c *blockCount) endContinuation() {
	c.others += c.continuations
	c.continuations = 0
}

func (c *blockCount) isBlock() bool {
	c.endContinuation()
	return c.byGit && c.trailers*3 >= c.others || c.trailers > 0 && c.others == 0
}

// isTrailerLine reports whether a line begins with a token of letters, digits and dashes,
// optional white space, and a colon.
func isTrailerLine(line []byte) bool {
	token, _, ok := strings.Cut(string(line), ":")
	if !ok || token == "" || isGitSpace(token[0]) {
		return false
	}
	token = strings.TrimRight(token, " \t")
	for i := range len(token) {
		c := token[i]
		if c != '-' && (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') {
			return false
		}
	}
	return token != ""
}

func isGitSpace(c byte) bool {
	return c == ' ' || c == '\t' || c == '\r' || c == '\n'
}
