package trailer

import (
	"bytes"

	"entire/id"
)

// RemoveCheckpointTrailer returns msg without its checkpoint trailers and without the blank
// line before each: the inverse of AddCheckpointTrailer, except that a hint stays.
func RemoveCheckpointTrailer(msg []byte) []byte {
	return removeLines(msg, func(line []byte) bool { _, ok := checkpointLine(line); return ok })
}

// staysInBlock reports whether a line continues the trailer block above it, so that the blank
// line before the block must stay.
func staysInBlock(line []byte) bool {
	return isTrailerLine(line) && !bytes.HasPrefix(line, []byte("Conflicts:"))
}

func allBlank(lines [][]byte) bool {
	for _, line := range lines {
		if !isBlank(line) {
			return false
		}
	}
	return true
}

// dropSeparator removes the blank line at the end of out; if out consists of two blank lines,
// it removes both.
func dropSeparator(out [][]byte) [][]byte {
	n := len(out)
	if n == 0 || !isBlank(out[n-1]) {
		return out
	}
	if n == 2 && isBlank(out[0]) {
		return out[:0]
	}
	return out[:n-1]
}

// MessageText returns the user's own text in a message on its way to git: without the scissors
// and everything below, comments, sign-offs, and the trailers of checkpoints and agents. Git takes two messages
// with the same text for equal when it checks that a template was edited.
func MessageText(msg []byte, commentPrefix string) string {
	prefix := prefixOrHash(commentPrefix)
	var out []byte
	for line := range bytes.Lines(msg[:scissorsAt(msg, prefix)]) {
		_, ours := checkpointLine(line)
		_, credit := creditLine(line)
		if ours || credit || bytes.HasPrefix(line, []byte(prefix)) || bytes.HasPrefix(line, []byte("Signed-off-by: ")) {
			continue
		}
		out = append(out, line...)
	}
	return string(bytes.TrimSpace(out))
}

// MessageCheckpoints is ParseCheckpointTrailers for a message on its way to git: it ignores
// comments, and the diff below the scissors.
func MessageCheckpoints(msg []byte, commentPrefix string) []id.CheckpointID {
	return ParseCheckpointTrailers(withoutComments(msg, commentPrefix))
}

// MessageForeign is ForeignCheckpoints for such a message.
func MessageForeign(msg []byte, commentPrefix string) []string {
	return ForeignCheckpoints(withoutComments(msg, commentPrefix))
}

// withoutComments returns what git keeps of a message, "" if the message has no checkpoint trailer.
func withoutComments(msg []byte, commentPrefix string) string {
	if !bytes.Contains(msg, []byte(Checkpoint)) {
		return ""
	}
	prefix := prefixOrHash(commentPrefix)
	var text []byte
	for line := range bytes.Lines(msg[:scissorsAt(msg, prefix)]) {
		if !bytes.HasPrefix(line, []byte(prefix)) {
			text = append(text, line...)
		}
	}
	return string(text)
}

// TrailerToEnd moves a checkpoint trailer below which a person's editor has put text to the end of the message,
// where git finds it. A message without the trailer, or with it in its place, stays as it is.
func TrailerToEnd(msg []byte, cp id.CheckpointID, opts MessageOptions) []byte {
	if opts.KeepsComments {
		return opts.aboveScissors(msg, func(text []byte, opts MessageOptions) []byte { return TrailerToEnd(text, cp, opts) })
	}
	if hasTrailer(msg, cp.String(), prefixOrHash(opts.CommentPrefix)) {
		return msg
	}
	out := removeLines(msg, func(line []byte) bool { value, ok := checkpointLine(line); return ok && value == cp.String() })
	if bytes.Equal(out, msg) {
		return msg
	}
	return addTrailer(bytes.TrimLeft(out, "\r\n"), cp.String(), opts)
}

// IsOtherwiseEmpty reports whether git would find the message empty, and abort the commit, if
// it had no checkpoint trailer.
func IsOtherwiseEmpty(msg []byte, commentPrefix string) bool {
	return MessageText(msg, commentPrefix) == ""
}
