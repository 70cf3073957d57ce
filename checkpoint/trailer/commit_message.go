package trailer

import (
	"bytes"
	"slices"
	"strings"

	"entire/id"
)

// NoComments is the comment prefix of a message in which no line is a comment, as when git runs
// without an editor.
const NoComments = "\x00"

const scissors = " ------------------------ >8 ------------------------"

// MessageOptions says how a commit message is edited and cleaned up.
type MessageOptions struct {
	// CommentPrefix begins the lines that git will remove; "" is git's '#'.
	CommentPrefix string

	// Editor says that the message goes to an editor: the comments of git's template, and maybe
	// a scissors line with a diff, follow the text.
	Editor bool

	// KeepsComments says that git keeps lines that look like comments, above the scissors.
	KeepsComments bool

	// Hint is added below the trailer as comment lines, one line each. It is left out unless
	// comments show that git will remove them.
	Hint []string
}

// CommentPrefix resolves the value of core.commentChar for a message that git has prepared: ""
// is '#', and "auto" is the character that begins the last line of git's template.
func CommentPrefix(msg []byte, configured string) string {
	switch configured {
	case "":
		return "#"
	case "auto":
		text := bytes.TrimRight(msg, " \t\r\n")
		last := text[bytes.LastIndexByte(text, '\n')+1:]
		if i := bytes.Index(msg, []byte(scissors)); i > 0 {
			last = msg[i-1:]
		}
		if len(last) > 0 && strings.IndexByte("#;@!$%^&|:", last[0]) >= 0 {
			return string(last[:1])
		}
		return "#"
	}
	return configured
}

// AddCheckpointTrailer returns msg with a checkpoint trailer where git finds it: at the end of
// the trailer block that the text ends in, by git's own definition, or as a new paragraph after
// the text. It is always before the template's comments and the scissors. Every other byte
// stays as it is, except that a missing final newline is added. If the trailer block already
// has this trailer, msg is returned unchanged.
func AddCheckpointTrailer(msg []byte, cp id.CheckpointID, opts MessageOptions) []byte {
	return addTrailer(msg, cp.String(), opts)
}

// AddForeignCheckpoint is AddCheckpointTrailer for one of [ForeignCheckpoints].
func AddForeignCheckpoint(msg []byte, foreign string, opts MessageOptions) []byte {
	return addTrailer(msg, foreign, opts)
}

func addTrailer(msg []byte, value string, opts MessageOptions) []byte {
	if opts.KeepsComments {
		return opts.aboveScissors(msg, func(text []byte, opts MessageOptions) []byte { return addTrailer(text, value, opts) })
	}
	if hasTrailer(msg, value, prefixOrHash(opts.CommentPrefix)) {
		return msg
	}
	return addLine(msg, Checkpoint+": "+value, opts)
}

// aboveScissors edits the text above the scissors as one without comments.
func (o MessageOptions) aboveScissors(msg []byte, edit func(text []byte, opts MessageOptions) []byte) []byte {
	cut := scissorsAt(msg, prefixOrHash(o.CommentPrefix))
	text := edit(slices.Clip(msg[:cut]), MessageOptions{CommentPrefix: NoComments})
	return append(text, msg[cut:]...)
}

// addLine adds a trailer as AddCheckpointTrailer does.
func addLine(msg []byte, line string, opts MessageOptions) []byte {
	prefix, eol := prefixOrHash(opts.CommentPrefix), lineEnding(msg)
	trailer := line + eol

	at, joined := trailerPosition(msg, prefix, opts.Editor)
	head, rest := msg[:at], msg[at:]

	var out []byte
	out = append(out, head...)
	if at > 0 && head[at-1] != '\n' {
		out = append(out, eol...)
	}
	switch {
	case joined:
	case at == 0:
		out = append(out, eol+eol...) // one line for the user's text, one between it and the trailer
	default:
		out = append(out, eol...)
	}
	out = append(out, trailer...)
	if opts.Editor && hasTemplate(rest, prefix) {
		out = appendHint(out, rest, prefix, eol, opts.Hint)
	}
	return append(out, rest...)
}

// hasTrailer reports whether git reads the trailer from the block that the text ends in.
func hasTrailer(msg []byte, value, prefix string) bool {
	text := msg[:textEnd(msg, prefix)]
	if !inTrailerBlock(text, prefix) {
		return false
	}
	_, last := CutLastParagraph(string(text))
	for line := range strings.Lines(last) {
		if v, ok := checkpointLine([]byte(line)); ok && v == value {
			return true
		}
	}
	return false
}

// checkpointLine returns the value of a line that is a checkpoint trailer.
func checkpointLine(line []byte) (value string, ok bool) {
	rest, ok := bytes.CutPrefix(line, []byte(Checkpoint+":"))
	return string(bytes.TrimSpace(rest)), ok
}

func appendHint(out, rest []byte, prefix, eol string, hint []string) []byte {
	for _, h := range hint {
		out = append(out, prefix+" "+strings.Join(strings.Fields(h), " ")+eol...)
	}
	if len(hint) > 0 && !isBlank(FirstLine(rest)) {
		out = append(out, eol...)
	}
	return out
}

// trailerPosition returns the offset for a trailer, and whether the line before it belongs to a
// trailer block that the trailer joins.
func trailerPosition(msg []byte, prefix string, editor bool) (at int, joined bool) {
	body := textEnd(msg, prefix)
	if inTrailerBlock(msg[:body], prefix) {
		return body, true
	}
	if !editor {
		// Git will remove nothing: lines that look like comments are text.
		body = len(msg) - len(trailingBlank(msg))
	}
	return body, false
}

// textEnd returns the length of msg without what git's trailer parser ignores at the end: the
// scissors and everything below, comments, blank lines, and an old "Conflicts:" list.
func textEnd(msg []byte, prefix string) int {
	end, bol, conflicts := 0, 0, false
	for line := range bytes.Lines(msg[:scissorsAt(msg, prefix)]) {
		next := bol + len(line)
		switch {
		case bytes.HasPrefix(line, []byte(prefix)):
		case isBlank(line):
			conflicts = conflicts && len(bytes.TrimRight(line, "\r\n")) == 0 // git takes white space for text here
		case string(line) == "Conflicts:\n":
			conflicts = true
		case conflicts && line[0] == '\t':
		default:
			end, conflicts = next, false
		}
		bol = next
	}
	return end
}

// scissorsAt returns the offset of the scissors line, or the length of msg.
func scissorsAt(msg []byte, prefix string) int {
	bol := 0
	for line := range bytes.Lines(msg) {
		rest, ok := bytes.CutPrefix(line, []byte(prefix))
		if ok && strings.TrimRight(string(rest), "\r\n") == scissors {
			return bol
		}
		bol += len(line)
	}
	return len(msg)
}

// hasTemplate reports whether comments follow that git is going to remove. Above the scissors
// of commit.cleanup=scissors there are none.
func hasTemplate(rest []byte, prefix string) bool {
	for line := range bytes.Lines(rest[:scissorsAt(rest, prefix)]) {
		if bytes.HasPrefix(line, []byte(prefix)) {
			return true
		}
	}
	return false
}

func trailingBlank(msg []byte) []byte {
	end := 0
	bol := 0
	for line := range bytes.Lines(msg) {
		bol += len(line)
		if !isBlank(line) {
			end = bol
		}
	}
	return msg[end:]
}

// lineEnding returns "\r
// " if the first line of msg ends in it, and "
// " otherwise.
func lineEnding(msg []byte) string {
	if bytes.HasSuffix(FirstLine(msg), []byte("\r\n")) {
		return "\r\n"
	}
	return "\n"
}

// FirstLine returns the first line with its line feed, or everything if there is none.
func FirstLine(b []byte) []byte {
	if i := bytes.IndexByte(b, '\n'); i >= 0 {
		return b[:i+1]
	}
	return b
}

// isBlank reports whether git takes a line for blank: it has only git's white space.
func isBlank(line []byte) bool {
	return len(bytes.Trim(line, " \t\r\n")) == 0
}

func prefixOrHash(prefix string) string {
	if prefix == "" {
		return "#"
	}
	return prefix
}
