package trailer

import (
	"slices"
	"strings"

	"entire/id"
)

// Trailer keys in commit messages. They reach disk.
const (
	Checkpoint       = "Entire-Checkpoint"
	Session          = "Entire-Session"
	Strategy         = "Entire-Strategy"
	Agent            = "Entire-Agent"
	Metadata         = "Entire-Metadata"
	MetadataTask     = "Entire-Metadata-Task"
	EphemeralBranch  = "Ephemeral-branch"
	Step             = "Entire-Step"
	StepSession      = "Entire-Step-Session"
	StepTarget       = "Entire-Step-Target"
	StepSince        = "Entire-Step-Since"
	StepScope        = "Entire-Step-Scope"
	StepUndoes       = "Entire-Step-Undoes"
	StepWhy          = "Entire-Step-Why"
	StepTurn         = "Entire-Step-Turn"
	StepMessage      = "Entire-Step-Message"
	StepBranch       = "Entire-Step-Branch"
	StepIncludes     = "Entire-Step-Includes"
	StepLabel        = "Entire-Step-Label"
	StepAtWork       = "Entire-Step-At-Work"
	StepTaken        = "Entire-Step-Taken"
	Base             = "Entire-Base"
	TranscriptOffset = "Entire-Transcript-Offset"
	SubagentOffset   = "Entire-Subagent-Offset"
	TurnsTip         = "Entire-Turns-Tip"
	TurnsCommit      = "Entire-Turns-Commit"
	TurnsCheckpoint  = "Entire-Turns-Checkpoint"
	TurnsSession     = "Entire-Turns-Session"
)

// Values returns every value of a trailer: first those in the last paragraph, then those
// on lines of their own elsewhere, as in a squashed message. Only if there is none, it accepts
// the key in the middle of a line, because git folds a trailer into a subject that it directly
// follows. It trims values and leaves out empty and repeated ones; it returns at most 1000.
func Values(msg, key string) []string {
	head, last := CutLastParagraph(msg)
	found := appendLineValues(nil, last, key)
	found = appendLineValues(found, head, key)
	if len(found) > 0 {
		return found
	}
	return appendInlineValues(nil, msg, key)
}

// Value returns the first of Values, or "".
func Value(msg, key string) string {
	if all := Values(msg, key); len(all) > 0 {
		return all[0]
	}
	return ""
}

// ParseCheckpointTrailers returns the checkpoint IDs named in a commit message, each once, in
// the order of Values. It skips values that are not checkpoint IDs.
func ParseCheckpointTrailers(msg string) []id.CheckpointID {
	if !strings.Contains(msg, Checkpoint) {
		return nil
	}
	var ids []id.CheckpointID
	for _, v := range Values(msg, Checkpoint) {
		ids = appendCheckpoint(ids, v)
	}
	if ids == nil {
		// The value may be on the next line.
		for _, v := range appendInlineValues(nil, msg, Checkpoint) {
			ids = appendCheckpoint(ids, v)
		}
	}
	return ids
}

// foreignMin and foreignMax bound the length of an ID that another version has made.
const foreignMin, foreignMax = 8, 64

// ForeignCheckpoints returns the values of checkpoint trailers on lines of their own that are
// not checkpoint IDs here, but may be those of another version: one word of ASCII with a digit.
// Each value is returned once, in the order of Values.
func ForeignCheckpoints(msg string) []string {
	if !strings.Contains(msg, Checkpoint) {
		return nil
	}
	head, last := CutLastParagraph(msg)
	found := appendLineValues(nil, last, Checkpoint)
	found = appendLineValues(found, head, Checkpoint)
	return slices.DeleteFunc(found, func(v string) bool { return !isForeignID(v) })
}

func isForeignID(value string) bool {
	if _, err := id.NewCheckpointID(value); err == nil || len(value) < foreignMin || len(value) > foreignMax {
		return false
	}
	digits := 0
	for _, r := range value {
		switch {
		case '0' <= r && r <= '9':
			digits++
		case r <= ' ', r > '~':
			return false
		}
	}
	return digits > 0
}

func appendCheckpoint(ids []id.CheckpointID, value string) []id.CheckpointID {
	words := strings.Fields(value)
	if len(words) == 0 {
		return ids
	}
	cp, err := id.NewCheckpointID(words[0])
	if err != nil || cp.IsZero() {
		return ids
	}
	if slices.Contains(ids, cp) {
		return ids
	}
	return append(ids, cp)
}

// CutLastParagraph splits a message before its last run of non-blank lines.
func CutLastParagraph(msg string) (head, last string) {
	end := len(strings.TrimRight(msg, " \t\r\n"))
	start := end
	for start > 0 {
		bol := strings.LastIndexByte(msg[:start-1], '\n') + 1
		if strings.TrimSpace(msg[bol:start]) == "" {
			break
		}
		start = bol
	}
	return msg[:start], msg[start:end]
}

func appendLineValues(found []string, text, key string) []string {
	for line := range strings.Lines(text) {
		rest, ok := strings.CutPrefix(strings.TrimLeft(line, " \t"), key+":")
		if ok {
			found = appendNew(found, strings.TrimSpace(rest))
		}
	}
	return found
}

func appendInlineValues(found []string, text, key string) []string {
	for {
		_, rest, ok := strings.Cut(text, key+":")
		if !ok {
			return found
		}
		value, after, _ := strings.Cut(strings.TrimLeft(rest, " \t\r\n"), "\n")
		// After an empty value comes the next trailer, which is not a value.
		if !strings.HasPrefix(value, "Entire-") {
			found = appendNew(found, strings.TrimSpace(value))
		} else {
			after = rest
		}
		text = after
	}
}

// maxValues bounds how many values of one key are read from a hostile message.
const maxValues = 1000

func appendNew(list []string, s string) []string {
	if s == "" || len(list) >= maxValues {
		return list
	}
	if slices.Contains(list, s) {
		return list
	}
	return append(list, s)
}
