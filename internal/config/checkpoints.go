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

// Members of the checkpoints option. They reach disk.
const (
	checkpointMessages = "every_messages"
	checkpointMinutes  = "every_minutes"
	checkpointBefore   = "before_tools"
	checkpointAfter    = "after_tools"
	checkpointRisky    = "before_risky"
)

// Bounds of the checkpoints option.
const (
	maxCheckpointTools = 50
	maxCheckpointEvery = 10000
)

// toolName is a tool as agents name it.
var toolName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]{0,63}$`) })

// Checkpoints says when a checkpoint is made in the middle of a turn.
type Checkpoints struct {
	EveryMessages int           // after as many messages; 0 for never
	Every         time.Duration // after so long, while the agent works; 0 for never
	BeforeTools   []string      // before each call of these tools
	AfterTools    []string      // after it
	BeforeRisky   bool          // before a shell command that may lose work
}

// Paced reports that messages or minutes are counted.
func (c Checkpoints) Paced() bool { return c.EveryMessages > 0 || c.Every > 0 }

// Checkpoints returns the checkpoints option, without the values that are none.
func (s Settings) Checkpoints() Checkpoints {
	var c Checkpoints
	option := gjson.ParseBytes(s.StrategyOptions[optionCheckpoints])
	if !option.IsObject() {
		return c
	}
	for _, m := range members(option.Raw) {
		v := gjson.Parse(m.raw(option.Raw))
		if v.Type == gjson.Null || wrongCheckpoints(m.key, v) != "" {
			continue
		}
		switch m.key {
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

// IsZero reports that no checkpoint is made by itself but at the end of turns.
func (c Checkpoints) IsZero() bool {
	return c.EveryMessages == 0 && c.Every == 0 && len(c.BeforeTools)+len(c.AfterTools) == 0 && !c.BeforeRisky
}

// texts are the texts of a list, each once, in order.
func texts(v gjson.Result) (list []string) {
	for _, e := range v.Array() {
		list = append(list, e.Str)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// wrongCheckpoints is what a member of the checkpoints option is to be, "" if it is
// that.
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
