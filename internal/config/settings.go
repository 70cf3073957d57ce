package config

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"entire/internal/redact"
)

// Keys in the settings files.
const (
	keyStrategy  = "strategy"
	keyEnabled   = "enabled"
	keyLocalDev  = "local_dev"
	keyLogLevel  = "log_level"
	keyOptions   = "strategy_options"
	keyTelemetry = "telemetry"
	keyLinking   = "commit_linking" // of other versions; our option counts before it

	// keyCheckpoints says where new checkpoints go: {"primary":{"type":"git-refs"}} or "git-branch".
	keyCheckpoints = "checkpoints"
	storageType    = "primary.type"
	storageRefs    = "git-refs"

	optionPushSessions  = "push_sessions"
	optionSummarize     = "summarize"
	optionCommitLinking = "commit_linking"
	optionSessionStore  = "session_store"
	optionCapture       = "capture"
	optionRewind        = "rewind"
	optionTurns         = "turns"
	optionRetention     = "retention"
	optionCheckpoints   = "checkpoints"
	optionState         = "session_state"
	optionAgents        = "agents"
	optionGuard         = "guard"
	optionRescue        = "rescue"
	optionMCP           = "mcp"
	optionAudit         = "audit"
	optionTrailers      = "trailers"

	optionCheckpointRemote     = "checkpoint_remote"
	optionCheckpointPushRemote = "checkpoint_push_remote"
)

// Values in the settings files.
const (
	// DefaultStrategy is used if no strategy is set.
	DefaultStrategy = "manual-commit"
	// LinkAlways links a commit without asking; it is the default.
	LinkAlways = "always"
	// LinkPrompt asks on a terminal before a commit is linked.
	LinkPrompt = "prompt"
)

// The texts that a setting may be.
var (
	strategies   = []string{DefaultStrategy, "auto-commit"}
	logLevels    = []string{"debug", "info", "warn", "error"}
	storageTypes = []string{"git-branch", storageRefs}
)

// isLogLevel reports whether hooks know a level of the log, in any case.
func isLogLevel(name string) bool {
	return slices.Contains(append(logLevels, "warning"), strings.ToLower(name))
}

// Settings are the effective values: the project's file, overridden by the local file.
type Settings struct {
	Strategy        string                     // never empty
	Enabled         bool                       // false only if a file says so
	LocalDev        bool                       // from the local file only
	LogLevel        string                     // "" means info
	StrategyOptions map[string]json.RawMessage // nil if there are none
	Telemetry       *bool                      // nil: not asked
	Linking         string                     // the key of other versions, see CommitLinking; "" for none
	CheckpointRefs  bool                       // a new checkpoint gets a ref of its own, not a folder on the branch

	// Redaction are the rules that the files add to the built-in ones. What one file adds, the other cannot
	// take away.
	Redaction redact.Options

	// Environment names the variables that are recorded with a session. Only the local file sets it,
	// so that a committed file cannot record other people's environment.
	Environment []string

	// Plugins are the plug-ins for agents that may run. Only the local file allows one, so that a
	// committed file cannot run a program.
	Plugins []string

	// Deny are the commands that the guard refuses. Only the local file sets them, so that a committed
	// file cannot stop other people's agents.
	Deny []string

	// Watch starts `entire watch` with a session. Only the local file sets it.
	Watch bool

	// Sealed says that what is stored of conversations is encrypted. Load does not set it: a clone remembers
	// it, and only the caller knows the clone.
	Sealed bool

	// RescueDaily imports what agents keep of this project once a day. Only the local file sets it, so
	// that a committed file does not import other people's conversations.
	RescueDaily bool

	// AgentsRewind allows agents to rewind through the MCP server. Only the local file sets it, so that a
	// committed file does not let agents change other people's files.
	AgentsRewind bool

	// Summarizer makes summaries in place of the agent's program. Only the local file sets it, so that a
	// committed file cannot run a program or send conversations anywhere.
	Summarizer Summarizer
}

func defaults() Settings { return Settings{Strategy: DefaultStrategy, Enabled: true} }

// Load returns the effective settings of the repository with the absolute top-level path top. Absent
// files mean defaults. If a file cannot be read or is not a JSON object, Load returns the defaults
// with an error, but a readable local file can still disable them. If a known key has an invalid
// value, Load ignores that value and the error names it.
func Load(top string) (Settings, error) {
	s := defaults()
	var problems WrongValues
	for _, target := range []Target{Project, Local} {
		object, err := read(top, target)
		if err != nil {
			s = defaults()
			s.Enabled = Enabled(top)
			return s, err
		}
		for _, w := range s.merge(object, target) {
			problems = append(problems, WrongValue{Path(top, target), w.key, w.want})
		}
	}
	if len(problems) > 0 {
		return s, problems
	}
	return s, nil
}

// merge applies a JSON object ("" for an absent file) and returns the known keys and options with
// invalid values.
func (s *Settings) merge(object string, from Target) (unusable []wrong) {
	for _, m := range members(object) {
		v := gjson.Parse(m.raw(object))
		switch {
		case !s.set(m.key, v, from):
			unusable = append(unusable, wrong{m.key, wantOf(m.key)})
		case m.key == keyCheckpoints:
			if kind := v.Get(storageType); kind.Exists() && kind.Type != gjson.Null && !slices.Contains(storageTypes, kind.Str) {
				unusable = append(unusable, wrong{keyCheckpoints + "." + storageType, strings.Join(quoted(storageTypes), " or ")})
			}
		case m.key == keyRedaction:
			unusable = append(unusable, wrongRedaction(v)...)
		case m.key == keyOptions && v.IsObject():
			for _, o := range members(v.Raw) {
				unusable = append(unusable, wrongOption(o.key, gjson.Parse(o.raw(v.Raw)))...)
			}
		}
	}
	return unusable
}

// set applies one member and reports whether its type is valid. null counts as absent.
func (s *Settings) set(key string, v gjson.Result, from Target) bool {
	if v.Type == gjson.Null {
		return true
	}
	switch key {
	case keyRedaction:
		o := redactionOf(v)
		s.Redaction.Personal = append(s.Redaction.Personal, o.Personal...)
		s.Redaction.Custom = append(s.Redaction.Custom, o.Custom...)
	case keyStrategy:
		return (v.Str == "" || slices.Contains(strategies, v.Str)) && setText(&s.Strategy, v)
	case keyLogLevel:
		return (v.Str == "" || isLogLevel(v.Str)) && setText(&s.LogLevel, v)
	case keyEnabled:
		return setBool(&s.Enabled, v)
	case keyLocalDev:
		// A committed file must not make other people's hooks run code.
		var ignored bool
		if from != Local {
			return setBool(&ignored, v)
		}
		return setBool(&s.LocalDev, v)
	case keyLinking:
		return (v.Str == LinkAlways || v.Str == LinkPrompt) && setText(&s.Linking, v)
	case keyTelemetry:
		var answer bool
		if !setBool(&answer, v) {
			return false
		}
		s.Telemetry = &answer
	case keyCheckpoints:
		if kind := v.Get(storageType); kind.Type == gjson.String {
			s.CheckpointRefs = kind.Str == storageRefs
		}
	case keyOptions:
		if from == Local {
			s.Environment = environmentOf(gjson.Get(v.Raw, optionState))
			s.Plugins = pluginsOf(gjson.Get(v.Raw, optionAgents))
			s.Deny = deniedBy(gjson.Get(v.Raw, optionGuard))
			s.Watch = gjson.Get(v.Raw, optionGuard+"."+guardWatch).Type == gjson.True
			s.AgentsRewind = gjson.Get(v.Raw, optionMCP+"."+mcpRewind).Type == gjson.True
			s.Summarizer = summarizerOf(gjson.Get(v.Raw, optionSummarize))
			s.RescueDaily = gjson.Get(v.Raw, optionRescue+"."+rescueDaily).Type == gjson.True
		}
		return s.setOptions(v)
	}
	return true
}

func (s *Settings) setOptions(v gjson.Result) bool {
	if !v.IsObject() {
		return false
	}
	for _, m := range members(v.Raw) {
		if s.StrategyOptions == nil {
			s.StrategyOptions = map[string]json.RawMessage{}
		}
		s.StrategyOptions[m.key] = json.RawMessage(m.raw(v.Raw))
	}
	return true
}

func setText(dst *string, v gjson.Result) bool {
	if v.Type != gjson.String {
		return false
	}
	if v.Str != "" {
		*dst = v.Str
	}
	return true
}

func setBool(dst *bool, v gjson.Result) bool {
	if v.Type != gjson.True && v.Type != gjson.False {
		return false
	}
	*dst = v.Type == gjson.True
	return true
}

// PushSessions reports whether stored sessions may be pushed. Only the boolean false disables it.
func (s Settings) PushSessions() bool {
	return gjson.ParseBytes(s.StrategyOptions[optionPushSessions]).Type != gjson.False
}

// SessionStore reports whether hooks write conversations to the session store. {"enabled": false} disables
// it, and so does encryption, because the store holds clear text.
func (s Settings) SessionStore() bool {
	return !s.Sealed && gjson.GetBytes(s.StrategyOptions[optionSessionStore], keyEnabled).Type != gjson.False
}

// CommitLinking returns LinkPrompt if it is set, and LinkAlways otherwise.
func (s Settings) CommitLinking() string {
	v := gjson.ParseBytes(s.StrategyOptions[optionCommitLinking])
	if v.Str != LinkAlways && v.Str != LinkPrompt {
		v.Str = s.Linking
	}
	if v.Str == LinkPrompt {
		return LinkPrompt
	}
	return LinkAlways
}

// Members of the seal option in the settings files.
const (
	optionSeal = "seal"
	sealOver   = "over"

	maxSealOver = 1e9
)

// SealOver returns the number of checkpoints on the branch above which those of past months are sealed without being
// asked; 0 for never.
func (s Settings) SealOver() int {
	v := gjson.ParseBytes(s.StrategyOptions[optionSeal]).Get(sealOver)
	if !v.Exists() || wrongSeal(sealOver, v) != "" {
		return 0
	}
	return int(v.Num)
}
