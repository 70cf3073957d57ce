package config

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"sync"
	"time"

	"github.com/tidwall/gjson"
)

// Members of the checkpoints option in the settings files.
const (
	checkpointMessages = "every_messages"
	checkpointMinutes  = "every_minutes"
	checkpointBefore   = "before_tools"
	checkpointAfter    = "after_tools"
	checkpointRisky    = "before_risky"
)

// Limits of the checkpoints option.
const (
	maxCheckpointTools = 50
	maxCheckpointEvery = 10000
)

// toolName matches a tool's name.
var toolName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]{0,63}$`) })

// Checkpoints says when a step is recorded within a turn.
type Checkpoints struct {
	EveryMessages int           // after this many messages; 0 for never
	Every         time.Duration // after this time, while the agent works; 0 for never
	BeforeTools   []string      // before each call of these tools
	AfterTools    []string      // after each call of these tools
	BeforeRisky   bool          // before a shell command that may lose work; true unless the settings say otherwise
}

// Paced reports whether messages or time trigger a step.
func (c Checkpoints) Paced() bool { return c.EveryMessages > 0 || c.Every > 0 }

// Checkpoints returns the checkpoints option without its invalid values.
func (s Settings) Checkpoints() Checkpoints {
	c := Checkpoints{BeforeRisky: s.guarded()}
	for key, v := range validMembers(gjson.ParseBytes(s.StrategyOptions[optionCheckpoints]), wrongCheckpoints) {
		switch key {
		case checkpointMessages:
			c.EveryMessages = int(v.Num)
		case checkpointMinutes:
			c.Every = time.Duration(v.Num * float64(time.Minute))
		case checkpointBefore:
			c.BeforeTools = texts(v)
		case checkpointAfter:
			c.AfterTools = texts(v)
		case checkpointRisky:
			c.BeforeRisky = v.Bool()
		}
	}
	return c
}

// IsZero reports whether steps are recorded only at the end of turns.
func (c Checkpoints) IsZero() bool {
	return c.EveryMessages == 0 && c.Every == 0 && len(c.BeforeTools)+len(c.AfterTools) == 0 && !c.BeforeRisky
}

// texts returns the strings in a list, without duplicates, in order.
func texts(v gjson.Result) []string {
	list := textsIn(v)
	slices.Sort(list)
	return slices.Compact(list)
}

// textsIn returns the strings in a list.
func textsIn(v gjson.Result) (list []string) {
	for _, e := range v.Array() {
		list = append(list, e.Str)
	}
	return list
}

// wrongTexts returns what a list of texts must be, or "" if v is one of at most that many, and each is valid.
func wrongTexts(v gjson.Result, most int, what string, valid func(string) bool) string {
	list := v.Array()
	wrong := func(e gjson.Result) bool { return e.Type != gjson.String || !valid(e.Str) }
	if !v.IsArray() || len(list) > most || slices.ContainsFunc(list, wrong) {
		return fmt.Sprintf("a list of at most %d %s", most, what)
	}
	return ""
}

func isText(s string) bool { return s != "" }

// wrongCheckpoints returns what a member of the checkpoints option must be, or "" if v is valid.
func wrongCheckpoints(key string, v gjson.Result) string {
	switch key {
	case checkpointMessages:
		if v.Type != gjson.Number || v.Num != math.Trunc(v.Num) || v.Num < 1 || v.Num > maxCheckpointEvery {
			return fmt.Sprintf("a number of messages from 1 to %d", maxCheckpointEvery)
		}
	case checkpointMinutes:
		if v.Type != gjson.Number || !(v.Num >= 1 && v.Num <= maxCheckpointEvery) {
			return fmt.Sprintf("a number of minutes from 1 to %d", maxCheckpointEvery)
		}
	case checkpointBefore, checkpointAfter:
		list := v.Array()
		if !v.IsArray() || len(list) > maxCheckpointTools {
			return fmt.Sprintf("a list of at most %d names of tools", maxCheckpointTools)
		}
		for _, e := range list {
			if e.Type != gjson.String || !toolName().MatchString(e.Str) {
				return "a list of names of tools, such as Bash"
			}
		}
	case checkpointRisky:
		if !v.IsBool() {
			return wantBool
		}
	}
	return ""
}
