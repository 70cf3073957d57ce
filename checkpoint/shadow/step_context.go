package shadow

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"entire/checkpoint/trailer"
)

// Reasons for a step. They are part of its message; if the message has none, the step's kind
// implies it. IsAutomatic, KindOf of internal/timeline and IsListed of strategy/step ask for the reason: a new one
// has a place there, or makes a step that lists leave out. The tables of docs/format.md and docs/output.md name it.
const (
	WhyTurnEnd      = "turn end"
	WhyInterrupted  = "interrupted turn" // no hook reported its end
	WhyPrompt       = "prompt"           // holds the files as the turn found them
	WhyTask         = "task"
	WhyTodo         = "todo"
	WhyLabel        = "label"
	WhyBeforeLabel  = "before label"
	WhyBeforeRewind = "before rewind"
	WhyBeforeReset  = "before reset"
	WhyRewind       = "rewind"
	WhyUndo         = "undo"
	WhyRedo         = "redo"
	WhyCommit       = "commit"         // holds what a partial commit left
	WhyOutside      = "outside a turn" // what changed while no turn ran; entire watch
	WhyStashPopped  = "stash popped"   // holds the files with what a turn's command took from a stash of before the turn
	WhyBeforeStash  = "before stash"   // holds what the turn had done when somebody stashed it
)

// Reasons for an automatic step in the middle of a turn: one of these and what follows it, as
// in "before command git clean".
const (
	WhyBeforeTool    = "before tool "
	WhyAfterTool     = "after tool "
	WhyBeforeCommand = "before command "
	WhyEvery         = "every " // "every 20 messages", "every 10 minutes"
)

// IsAutomatic reports whether why is the reason of an automatic step in the middle of a turn.
func IsAutomatic(why string) bool {
	for _, begins := range []string{WhyBeforeTool, WhyAfterTool, WhyBeforeCommand, WhyEvery, WhyBeforeStash} {
		if strings.HasPrefix(why, begins) {
			return true
		}
	}
	return false
}

// StepContext describes the moment at which a step was made. Steps of older versions and of
// other tools have none of it.
type StepContext struct {
	Why     string // one of the constants above
	Label   string // of a label step: the user's text; see CleanLabel
	Turn    int    // the number of the session's turn, from 1; 0 is unknown
	Message string // the agent's own ID of the last message before the step
	Branch  string // the short name; "" if HEAD was detached

	// AtWork says of an interrupted turn's step that the agent reported work after the step's files had changed.
	AtWork bool

	// Includes identifies the patterns of the ignored files that the step holds nevertheless,
	// "" if there are none.
	Includes string
}

// maxContextBytes bounds one trailer of a step's context.
const maxContextBytes = 1024

func (c StepContext) trailers(kind StepKind, add func(key, value string)) {
	if c.Why != defaultReason(kind) {
		add(trailer.StepWhy, trailerText(c.Why))
	}
	if c.Turn > 0 {
		add(trailer.StepTurn, strconv.Itoa(c.Turn))
	}
	add(trailer.StepMessage, trailerText(c.Message))
	add(trailer.StepBranch, trailerText(c.Branch))
	add(trailer.StepLabel, trailerText(c.Label))
	add(trailer.StepIncludes, trailerText(c.Includes))
	if c.AtWork {
		add(trailer.StepAtWork, "yes")
	}
}

// parseContext reads only the last paragraph, in which this program writes the context.
func parseContext(message string, kind StepKind) StepContext {
	var c StepContext
	_, last := trailer.CutLastParagraph(message)
	for line := range strings.Lines(last) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		switch key {
		case trailer.StepWhy:
			c.Why = printable(parseTrailerText(value))
		case trailer.StepLabel:
			c.Label = CleanLabel(parseTrailerText(value))
		case trailer.StepMessage:
			c.Message = printable(parseTrailerText(value))
		case trailer.StepBranch:
			c.Branch = printable(parseTrailerText(value))
		case trailer.StepIncludes:
			c.Includes = printable(parseTrailerText(value))
		case trailer.StepAtWork:
			c.AtWork = value == "yes"
		case trailer.StepTurn:
			if n, err := strconv.Atoi(value); err == nil && n > 0 {
				c.Turn = n
			}
		}
	}
	if c.Why == "" {
		c.Why = defaultReason(kind)
	}
	return c
}

// defaultReason returns the reason that a kind of step implies.
func defaultReason(kind StepKind) string {
	switch kind {
	case StepAgent:
		return WhyTurnEnd
	case StepTask:
		return WhyTask
	case StepHuman, StepMixed:
		return WhyPrompt
	case StepRewind:
		return WhyRewind
	case StepLabel:
		return WhyLabel
	case StepCarryForward:
		return WhyCommit
	}
	return ""
}

// trailerText returns a text as the value of a trailer: unchanged if it is plain, otherwise as
// a JSON string without a colon, so that no reader finds another trailer in it. Too long a text
// becomes "".
func trailerText(s string) string {
	if plainText(s) {
		return s
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s); err != nil || b.Len() > maxContextBytes {
		return ""
	}
	return strings.ReplaceAll(strings.TrimSpace(b.String()), ":", `\u003a`)
}

func plainText(s string) bool {
	return len(s) <= maxContextBytes && utf8.ValidString(s) && !strings.HasPrefix(s, `"`) && !strings.Contains(s, ":") &&
		s == strings.TrimSpace(s) && strings.IndexFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }) < 0
}

// parseTrailerText reverses trailerText.
func parseTrailerText(value string) string {
	if len(value) > maxContextBytes {
		return ""
	}
	if !strings.HasPrefix(value, `"`) {
		return value
	}
	var s string
	if json.Unmarshal([]byte(value), &s) != nil {
		return ""
	}
	return s
}

// printable returns a text if it is safe to print on a terminal, and "" otherwise.
func printable(s string) string {
	if strings.IndexFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }) >= 0 {
		return ""
	}
	return s
}

// maxLabelRunes bounds a label.
const maxLabelRunes = 200

// CleanLabel returns a label as it is stored and shown: one line without control characters, of
// at most 200 characters; "" if nothing is left.
func CleanLabel(label string) string {
	label = strings.Map(func(r rune) rune {
		if r == utf8.RuneError || !unicode.IsPrint(r) && r != '\u200d' { // the joiner of emoji
			return ' '
		}
		return r
	}, label)
	label = strings.Join(strings.Fields(label), " ")
	if r := []rune(label); len(r) > maxLabelRunes {
		label = strings.TrimSpace(string(r[:maxLabelRunes]))
	}
	return label
}
