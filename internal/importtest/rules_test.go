package importtest

// module is the path in go.mod, with a slash.
const module = "entire/"

// anything lets a room import every other one that is not for tests.
const anything = "*"

// rooms says which rooms each room may import, lowest first. A room is a
// directory with everything below it. A directory without a row is an error, so
// that a new package is placed before it is used.
var rooms = map[string][]string{
	".": nil, // the map at the root

	"id":                   nil,
	"internal/durable":     nil,
	"internal/lines":       nil, // the lines of a stream
	"internal/redact":      nil,
	"internal/pattern":     nil, // pure: patterns of paths
	"internal/config":      {"internal/durable", "internal/pattern", "internal/redact"},
	"internal/seal":        nil, // pure: sealed texts and data keys
	"internal/keyring":     nil, // the system's, for passphrases
	"internal/bodies":      {"internal/lines", "internal/durable", "internal/config", "internal/seal"},
	"internal/vault":       {"internal/durable", "internal/config", "internal/seal"},
	"internal/strictjson":  nil, // pure: JSON files that people write, and what is wrong with one
	"internal/legible":     nil, // pure: text that a terminal cannot be harmed by
	"internal/term":        {"internal/legible"},
	"internal/attribution": nil,
	"internal/archive":     nil,
	"internal/patch":       {"internal/pathtext"}, // pure: a patch for display, and applied to a text
	"internal/bounded":     nil,                   // runs a program within limits
	"internal/seekable":    nil,
	"internal/merge3":      {"internal/attribution"},
	"internal/single":      nil,
	"internal/watch":       {"internal/durable"}, // notices changes, and calls for a save
	"internal/retention":   nil,                  // pure: what a clean-up takes
	"internal/risk":        nil,                  // pure: shell commands that lose work
	"internal/effects":     {"internal/risk"},    // pure: which files a tool's call can have written

	"agent/internal/jsontext": nil, // pure: JSON text, read and edited in place
	"agent":                   {"internal/lines", "id", "agent/internal/jsontext"},
	"agent/document":          {"agent/internal/jsontext"}, // transcripts that are one JSON document
	"agent/internal/payload":  {"id", "agent/internal/jsontext", "agent"},
	"agent/internal/settings": {"internal/risk", "agent/internal/jsontext", "agent"},
	"agent/internal/base":     {"internal/risk", "id", "agent/internal/jsontext", "agent", "agent/internal/payload", "agent/internal/settings"},
	"agent/claude":            {"id", "agent/internal/jsontext", "agent", "agent/internal/payload", "agent/internal/settings", "agent/internal/base"},
	"agent/copilot":           {"id", "agent/internal/jsontext", "agent", "agent/internal/payload", "agent/internal/settings", "agent/internal/base"},
	"agent/gemini":            {"agent/document", "id", "agent/internal/jsontext", "agent", "agent/internal/payload", "agent/internal/settings", "agent/internal/base"},
	"agent/cursor":            {"id", "agent/internal/jsontext", "agent", "agent/internal/payload", "agent/internal/settings", "agent/internal/base"},
	"agent/droid":             {"id", "agent/internal/jsontext", "agent", "agent/internal/payload", "agent/internal/settings", "agent/internal/base"},
	"agent/generic":           {"agent/internal/base", "id", "agent/internal/jsontext", "agent", "agent/internal/payload", "agent/claude"}, // reads lines in the form of Claude Code, too
	"agent/codex":             {"id", "agent/internal/jsontext", "agent", "agent/internal/payload", "agent/internal/settings", "agent/internal/base"},
	"agent/qwen":              {"id", "agent/internal/jsontext", "agent", "agent/internal/payload", "agent/internal/settings", "agent/internal/base"},
	"agent/opencode":          {"id", "agent/internal/jsontext", "agent", "agent/internal/payload", "agent/internal/settings", "agent/internal/base"},
	"agent/pi":                {"id", "agent/internal/jsontext", "agent", "agent/internal/payload", "agent/internal/base"},
	"agent/cline":             {"id", "agent/internal/jsontext", "agent", "agent/internal/payload", "agent/internal/base"},
	"agent/agents":            {"agent/cursor", "agent/droid", "agent/codex", "agent/document", "agent", "agent/copilot", "agent/claude", "agent/gemini", "agent/opencode", "agent/cline", "agent/pi", "agent/qwen", "agent/generic"}, // the table of adapters
	"agent/mcp":               {"agent/internal/jsontext", "agent/internal/settings", "agent"},                                                                                                                                        // what an agent needs to ask us
	"agent/conversation":      {"agent/document", "internal/effects", "agent/internal/jsontext", "agent", "agent/agents"},
	"agent/filelog":           {"agent/internal/base", "agent", "agent/agents", "agent/conversation"}, // what transcripts tell of files' contents
	"agent/check":             {"agent/document", "agent/internal/jsontext", "agent", "agent/agents", "agent/conversation"},

	"internal/git/object":   {"internal/durable"},
	"internal/git/process":  {"internal/durable"},
	"internal/git/config":   {"internal/durable"}, // git's own configuration and attributes, read without git
	"internal/git/store":    {"internal/bounded", "internal/durable", "internal/git/config", "internal/git/object", "internal/git/process"},
	"internal/git/worktree": {"internal/durable", "internal/git/object"},
	"internal/git":          {"internal/bodies", "internal/seal", "internal/vault", "internal/bounded", "internal/durable", "internal/git/object", "internal/git/process", "internal/git/store", "internal/git/worktree"},
	"internal/gogit":        {"internal/git"}, // go-git types for the documented API

	"internal/project": {"internal/git", "internal/durable"},

	"session/internal/layout":       {"id", "internal/durable"},
	"session/internal/log":          {"internal/lines", "internal/seekable", "session/internal/layout"},
	"session/internal/conversation": {"agent", "agent/conversation", "agent/agents", "id", "internal/durable", "session/internal/layout", "session/internal/log"},
	"session/internal/files":        {"internal/attribution", "internal/durable", "session/internal/layout"},
	"session/internal/index":        {"agent", "id", "internal/durable", "internal/retention", "session/internal/layout", "session/internal/log", "session/internal/conversation"},
	"session/internal/queue":        {"id", "internal/durable", "session/internal/layout", "session/internal/log", "session/internal/conversation"},
	"session/internal/pack":         {"internal/durable", "internal/seekable", "session/internal/layout", "session/internal/log", "session/internal/conversation", "session/internal/index"},
	"session/internal/trash":        {"id", "internal/durable", "internal/retention", "session/internal/layout", "session/internal/conversation", "session/internal/index", "session/internal/queue"},
	"session/internal/staging":      {"id", "internal/durable", "session/internal/layout", "session/internal/log", "session/internal/conversation", "session/internal/files", "session/internal/queue", "session/internal/trash"},
	"session":                       {"agent", "agent/conversation", "agent/agents", "id", "internal/durable", "internal/project", "internal/retention", "session/internal/layout", "session/internal/log", "session/internal/conversation", "session/internal/files", "session/internal/index", "session/internal/queue", "session/internal/pack", "session/internal/trash", "session/internal/staging"},

	"internal/rescue":        {"agent", "agent/agents", "internal/durable"}, // finds what agents keep, and writes nothing
	"internal/rescue/origin": {"internal/durable", "internal/git", "internal/project", "internal/rescue"},
	"internal/feed":          {"id", "agent", "agent/document", "agent/conversation", "agent/agents", "session", "internal/durable"},
	"internal/rescue/intake": {"id", "agent", "agent/agents", "agent/conversation", "agent/document", "internal/durable", "internal/feed", "internal/project", "internal/rescue", "session"},
	"internal/backup":        {"id", "session", "internal/archive", "internal/project"},
	"internal/teleport":      {"id", "agent", "session", "internal/archive"},

	"checkpoint/trailer":   {"id", "agent", "internal/pattern"},
	"checkpoint/chunk":     {"agent/agents", "id", "internal/redact", "agent", "agent/document", "internal/git", "checkpoint/trailer"},
	"checkpoint/shadow":    {"id", "internal/durable", "internal/redact", "agent", "internal/git", "checkpoint/trailer", "checkpoint/chunk"},
	"checkpoint/statement": {"id"},
	"checkpoint/metadata":  {"checkpoint/epoch", "agent/agents", "internal/seal", "checkpoint/statement", "internal/attribution", "id", "internal/durable", "internal/redact", "agent", "internal/git", "checkpoint/trailer", "checkpoint/chunk", "checkpoint/shadow"},
	"checkpoint/records":   {"internal/bodies", "checkpoint/epoch", "internal/vault", "agent/agents", "id", "agent", "agent/document", "agent/conversation", "internal/git", "checkpoint/chunk", "checkpoint/shadow", "checkpoint/metadata"},
	"checkpoint/audit":     {"checkpoint/epoch", "checkpoint/metadata", "checkpoint/statement", "checkpoint/trailer", "id", "internal/git"},
	"checkpoint/rewrite":   {"internal/git"},
	"checkpoint/tombstone": {"checkpoint/rewrite", "internal/bodies", "internal/vault", "checkpoint/epoch", "checkpoint/statement", "internal/seal", "id", "internal/git", "checkpoint/chunk", "checkpoint/shadow", "checkpoint/metadata", "checkpoint/records"},
	"checkpoint/pack":      {"internal/durable", "internal/git"},
	"checkpoint/migrate":   {"id", "internal/git", "checkpoint/chunk", "checkpoint/metadata", "checkpoint/records", "checkpoint/shadow"}, // between the branch and refs
	"checkpoint/merge":     {"internal/bodies", "id", "internal/git", "checkpoint/chunk", "checkpoint/metadata", "checkpoint/tombstone"},
	"checkpoint/epoch":     {"internal/durable", "id", "internal/git"},
	"checkpoint/outside":   {"checkpoint/epoch", "checkpoint/metadata", "checkpoint/shadow", "internal/bodies", "internal/git"},
	"checkpoint/sealing":   {"checkpoint/rewrite", "internal/durable", "checkpoint/chunk", "checkpoint/epoch", "checkpoint/merge", "checkpoint/metadata", "checkpoint/shadow", "id", "internal/git"},

	"checkpoint": {"id", "internal/durable", "internal/redact", "agent", "agent/document", "agent/conversation", "internal/git", "internal/gogit", "checkpoint/trailer", "checkpoint/chunk", "checkpoint/shadow", "checkpoint/metadata", "checkpoint/records", "internal/testrepo"}, // the documented API

	"hooks": {"internal/git", "internal/durable"},

	"strategy/sessionstate": {"checkpoint/trailer", "internal/pathtext", "agent", "agent/agents", "agent/conversation", "checkpoint/chunk", "checkpoint/shadow", "checkpoint/metadata", "id", "internal/attribution", "internal/durable", "internal/effects", "internal/git", "internal/redact", "session"},
	"strategy/worktree":     {"agent", "agent/agents", "checkpoint/shadow", "internal/durable", "internal/git", "strategy/sessionstate"},
	"strategy/step":         {"agent", "checkpoint/chunk", "checkpoint/shadow", "checkpoint/metadata", "checkpoint/records", "id", "internal/git", "session", "strategy/sessionstate", "strategy/worktree"},
	"strategy/editcalls":    {"agent/conversation", "internal/attribution", "strategy/sessionstate"},
	"strategy/transcript":   {"agent", "agent/document", "agent/conversation", "agent/agents", "checkpoint/chunk", "checkpoint/shadow", "checkpoint/metadata", "checkpoint/records", "id", "internal/attribution", "internal/durable", "internal/effects", "internal/git", "internal/redact", "session", "strategy/sessionstate", "strategy/editcalls", "strategy/step"},
	"strategy/githead":      {"checkpoint/trailer", "checkpoint/shadow", "checkpoint/records", "id", "internal/durable", "internal/git", "session", "strategy/sessionstate", "strategy/worktree", "strategy/step", "strategy/transcript"},
	"strategy/evidence":     {"agent/agents", "agent", "agent/document", "agent/conversation", "checkpoint/trailer", "checkpoint/shadow", "checkpoint/records", "id", "internal/attribution", "internal/durable", "internal/effects", "internal/git", "session", "strategy/sessionstate", "strategy/worktree", "strategy/step", "strategy/transcript", "strategy/githead"},
	"strategy/ownership":    {"agent/conversation", "checkpoint/trailer", "checkpoint/shadow", "checkpoint/metadata", "checkpoint/records", "id", "internal/attribution", "internal/durable", "internal/effects", "internal/git", "session", "strategy/sessionstate", "strategy/editcalls", "strategy/worktree", "strategy/step", "strategy/transcript", "strategy/githead", "strategy/evidence"},
	"strategy/condense":     {"agent", "agent/agents", "checkpoint/shadow", "checkpoint/metadata", "checkpoint/records", "id", "internal/attribution", "internal/durable", "internal/git", "internal/redact", "session", "strategy/sessionstate", "strategy/worktree", "strategy/step", "strategy/transcript", "strategy/githead", "strategy/evidence", "strategy/ownership"},
	"strategy/link":         {"agent/agents", "agent", "agent/document", "agent/conversation", "checkpoint/trailer", "checkpoint/metadata", "checkpoint/records", "id", "internal/durable", "internal/git", "session", "strategy/sessionstate", "strategy/worktree", "strategy/step", "strategy/transcript", "strategy/githead", "strategy/evidence", "strategy/ownership", "strategy/condense"},
	"strategy/restore":      {"agent", "agent/agents", "checkpoint/shadow", "checkpoint/metadata", "id", "internal/durable", "internal/git", "strategy/sessionstate", "strategy/worktree", "strategy/step", "strategy/transcript", "strategy/condense"},
	"strategy/rewind":       {"agent/document", "agent/conversation", "agent/agents", "checkpoint/chunk", "checkpoint/shadow", "id", "internal/attribution", "internal/durable", "internal/git", "internal/merge3", "session", "strategy/sessionstate", "strategy/worktree", "strategy/step", "strategy/transcript", "strategy/evidence", "strategy/ownership", "strategy/condense", "strategy/link", "strategy/restore"},
	"strategy/turn":         {"agent", "agent/conversation", "agent/agents", "checkpoint/trailer", "checkpoint/shadow", "id", "internal/git", "internal/redact", "session", "strategy/sessionstate", "strategy/worktree", "strategy/step", "strategy/transcript", "strategy/githead", "strategy/evidence", "strategy/ownership", "strategy/condense", "strategy/link", "strategy/rewind"},
	"strategy/autocommit":   {"agent/agents", "agent", "agent/document", "agent/conversation", "checkpoint/trailer", "checkpoint/shadow", "checkpoint/records", "id", "internal/durable", "internal/git", "internal/redact", "session", "strategy/sessionstate", "strategy/worktree", "strategy/step", "strategy/transcript", "strategy/githead", "strategy/evidence", "strategy/condense", "strategy/link", "strategy/rewind", "strategy/turn"},
	"strategy/resume":       {"checkpoint/sealing", "checkpoint/epoch", "agent", "agent/document", "agent/agents", "checkpoint/trailer", "checkpoint/shadow", "checkpoint/metadata", "checkpoint/records", "checkpoint/tombstone", "checkpoint/merge", "id", "internal/durable", "internal/git", "session", "strategy/sessionstate", "strategy/step", "strategy/transcript", "strategy/evidence", "strategy/condense", "strategy/turn"},
	"strategy/handoff":      {"checkpoint/metadata", "checkpoint/shadow", "checkpoint/merge", "id", "internal/durable", "internal/git", "session", "strategy/sessionstate", "strategy/worktree", "strategy/step", "strategy/condense", "strategy/restore", "strategy/rewind", "strategy/turn", "strategy/resume"},
	"strategy/maintain":     {"checkpoint/outside", "checkpoint/sealing", "checkpoint/epoch", "agent", "checkpoint/trailer", "checkpoint/shadow", "checkpoint/metadata", "checkpoint/records", "checkpoint/tombstone", "id", "internal/durable", "internal/git", "session", "strategy/sessionstate", "strategy/worktree", "strategy/step", "strategy/transcript", "strategy/githead", "strategy/evidence", "strategy/condense", "strategy/link", "strategy/restore", "strategy/rewind", "strategy/turn", "strategy/autocommit", "strategy/resume", "strategy/handoff"},
	"strategy/share":        {"checkpoint/outside", "internal/bodies", "checkpoint/sealing", "checkpoint/epoch", "id", "checkpoint/metadata", "checkpoint/records", "checkpoint/shadow", "checkpoint/merge", "internal/durable", "internal/git", "strategy/sessionstate", "strategy/worktree", "strategy/step", "strategy/resume", "strategy/maintain"},
	"strategy/engine":       {"agent", "checkpoint/trailer", "checkpoint/chunk", "checkpoint/metadata", "id", "internal/git", "internal/redact", "session", "strategy/sessionstate", "strategy/worktree", "strategy/step", "strategy/transcript", "strategy/githead", "strategy/evidence", "strategy/condense", "strategy/link", "strategy/rewind", "strategy/turn", "strategy/autocommit", "strategy/maintain"},

	"strategy": {"id", "internal/git", "internal/gogit", "session", "strategy/engine", "strategy/resume", "strategy/sessionstate"}, // the documented API

	"internal/timeline": {"agent", "agent/conversation", "checkpoint/chunk", "checkpoint/shadow", "checkpoint/metadata", "checkpoint/records", "id", "internal/git", "strategy/sessionstate", "strategy/step", "strategy/condense", "strategy/rewind"},

	"internal/pathtext":         {},
	"internal/lineage/gitblame": {"internal/durable", "internal/git", "internal/pathtext"},
	"internal/lineage/places":   {"internal/attribution", "internal/durable", "internal/git", "internal/pathtext"},
	"internal/lineage":          {"internal/lineage/gitblame", "internal/lineage/places", "id", "internal/pathtext", "checkpoint/trailer", "checkpoint/metadata", "checkpoint/records", "internal/git", "internal/attribution", "internal/durable"},

	"internal/formats/agenttrace": nil, // pure: records of Agent Trace
	"internal/formats/authorship": nil, // pure: notes of git-ai
	"internal/formats/sarif":      nil, // pure: findings for forges
	"internal/formats":            {"agent", "agent/agents", "internal/attribution", "internal/formats/agenttrace", "internal/formats/authorship", "internal/formats/sarif", "internal/git", "internal/lineage", "internal/review", "internal/pathtext"},

	"internal/policy": {"internal/pattern", "internal/strictjson", "internal/legible", "internal/review", "internal/pathtext"}, // pure: rules of a project about agents' work
	"internal/notes":  {"internal/durable", "internal/formats", "internal/formats/authorship", "internal/git"},                 // git notes of git-ai

	"internal/review":         {"agent", "agent/conversation", "internal/attribution", "internal/legible", "internal/pathtext"},
	"internal/review/reading": {"agent/conversation", "internal/review", "internal/pathtext"}, // pure: in which order to review
	"internal/forge":          {"internal/durable"},                                           // links into a forge's pages, and one comment kept there

	"internal/plugin":    {"id", "internal/redact", "agent", "agent/generic", "internal/bounded"},
	"internal/otlp":      {"agent", "internal/usage"},
	"internal/summarize": {"internal/bounded", "agent/agents", "id", "agent", "agent/document", "agent/conversation", "checkpoint/metadata", "internal/redact", "internal/durable"},

	"internal/search":       {"agent", "agent/mcp", "internal/durable", "internal/search/lists"},
	"internal/search/lists": nil,                              // the text index: lists of the documents with a word
	"internal/usage":        {"agent", "internal/strictjson"}, // pure: tokens counted and priced

	"internal/rescue/versions": nil, // pure: the versions of a file, from evidence
	"internal/rescue/gather":   {"internal/durable", "agent", "agent/agents", "agent/filelog", "internal/git", "internal/rescue/versions"},

	"internal/cli/cliui":          {"agent/agents", "id", "internal/durable", "internal/redact", "internal/config", "internal/legible", "internal/term", "agent", "strategy/condense", "strategy/maintain"},
	"internal/cli/workplace":      {"internal/cli/beside", "checkpoint/sealing", "checkpoint/epoch", "internal/keyring", "internal/vault", "checkpoint/statement", "agent", "agent/agents", "agent/conversation", "checkpoint/chunk", "checkpoint/metadata", "checkpoint/records", "checkpoint/shadow", "checkpoint/trailer", "hooks", "id", "internal/cli/cliui", "internal/config", "internal/durable", "internal/feed", "internal/git", "internal/project", "internal/redact", "internal/search", "internal/summarize", "internal/term", "internal/timeline", "session", "strategy/autocommit", "strategy/condense", "strategy/resume", "strategy/rewind", "strategy/sessionstate", "strategy/step", "strategy/worktree", "strategy/share"},
	"internal/cli/beside":         {"internal/cli/cliui"}, // the programs installed with this one
	"internal/cli/agentlib":       {"internal/cli/beside", "agent/mcp", "agent", "agent/agents", "agent/conversation", "id", "internal/cli/cliui", "internal/cli/workplace", "internal/config", "internal/durable", "internal/git", "internal/plugin", "internal/project", "session"},
	"internal/cli/agentcmd":       {"id", "internal/plugin", "internal/term", "internal/config", "agent", "agent/agents", "session", "internal/git", "internal/durable", "internal/cli/cliui", "internal/cli/workplace", "internal/cli/agentlib"},
	"internal/cli/sessionlib":     {"internal/cli/agentlib", "internal/retention", "id", "internal/durable", "internal/redact", "internal/term", "agent", "agent/document", "agent/conversation", "agent/check", "agent/agents", "internal/git", "internal/project", "session", "internal/feed", "checkpoint/metadata", "checkpoint/records", "strategy/transcript", "strategy/resume", "internal/cli/cliui", "internal/cli/workplace"},
	"internal/acp":                {"agent"},
	"internal/cli/acpcmd":         {"id", "agent", "agent/agents", "agent/generic", "internal/acp", "internal/redact", "internal/cli/cliui", "internal/cli/workplace"},
	"internal/cli/rescuelib":      {"agent", "internal/cli/cliui", "internal/config", "internal/cli/sessionlib", "internal/cli/workplace", "internal/durable", "internal/project", "internal/redact", "internal/rescue", "internal/rescue/intake", "internal/rescue/origin"},
	"internal/cli/hookcmd":        {"internal/lines", "checkpoint/sealing", "internal/cli/rescuelib", "internal/plugin", "id", "internal/durable", "internal/config", "internal/single", "internal/risk", "agent", "agent/document", "agent/conversation", "agent/agents", "internal/git", "internal/project", "session", "checkpoint/shadow", "hooks", "strategy/condense", "strategy/restore", "strategy/maintain", "strategy/transcript", "strategy/share", "strategy/turn", "strategy/engine", "internal/summarize", "internal/cli/cliui", "internal/cli/workplace", "internal/cli/agentlib", "checkpoint/pack"},
	"internal/cli/setupcmd":       {"checkpoint/outside", "internal/bodies", "strategy/resume", "id", "checkpoint/epoch", "internal/cli/rescuelib", "agent", "agent/agents", "hooks", "internal/cli/agentlib", "internal/cli/cliui", "internal/cli/workplace", "internal/config", "internal/git", "internal/project", "internal/term", "strategy/condense", "strategy/maintain", "strategy/restore", "strategy/share"},
	"internal/cli/statuslib":      {"agent", "agent/agents", "hooks", "internal/cli/agentlib", "internal/cli/cliui", "internal/cli/workplace", "internal/config", "internal/feed", "internal/git", "internal/project", "internal/retention", "internal/review", "internal/term", "session", "strategy/maintain", "strategy/sessionstate", "strategy/worktree", "internal/watch"},
	"internal/cli/maintaincmd":    {"checkpoint/migrate", "id", "internal/config", "internal/durable", "internal/redact", "internal/term", "internal/cli/cliui", "internal/cli/statuslib", "internal/cli/workplace", "session", "strategy/handoff", "strategy/maintain", "strategy/sessionstate"},
	"internal/cli/statuslinecmd":  {"agent", "internal/attribution", "internal/cli/agentlib", "internal/cli/cliui", "internal/cli/workplace", "internal/durable", "internal/summarize", "internal/term", "strategy/ownership", "strategy/step"},
	"internal/cli/rewindlib":      {"internal/cli/cliui", "internal/cli/workplace", "internal/git", "internal/patch", "internal/term", "strategy/condense", "strategy/restore", "strategy/rewind", "strategy/sessionstate", "strategy/step", "strategy/turn", "strategy/worktree"},
	"internal/cli/rewindcmd":      {"agent", "agent/agents", "id", "internal/cli/cliui", "internal/cli/rewindlib", "internal/cli/workplace", "internal/git", "internal/patch", "internal/term", "strategy/autocommit", "strategy/condense", "strategy/maintain", "strategy/restore", "strategy/rewind", "strategy/sessionstate", "strategy/step", "strategy/transcript"},
	"internal/cli/rescuecmd":      {"internal/cli/sessionlib", "internal/cli/rescuelib", "internal/project", "internal/rescue", "internal/rescue/intake", "internal/rescue/origin", "internal/durable", "agent", "agent/agents", "id", "internal/cli/cliui", "internal/cli/rewindlib", "internal/cli/workplace", "internal/git", "internal/rescue/gather", "internal/rescue/versions", "internal/term", "strategy/rewind", "strategy/sessionstate"},
	"internal/cli/pointlib":       {"checkpoint/shadow", "strategy/condense", "internal/timeline", "internal/cli/cliui", "internal/cli/rewindlib"},
	"internal/cli/logcmd":         {"id", "internal/git", "strategy/rewind", "checkpoint/trailer", "internal/term", "internal/patch", "agent", "agent/conversation", "checkpoint/metadata", "checkpoint/records", "strategy/condense", "strategy/step", "internal/timeline", "internal/cli/cliui", "internal/cli/workplace", "internal/cli/pointlib", "internal/cli/rewindlib", "internal/cli/sessionlib"},
	"internal/cli/watchcmd":       {"internal/cli/cliui", "internal/cli/workplace", "internal/summarize", "internal/watch", "strategy/turn"},
	"internal/cli/checkpointcmd":  {"checkpoint/pack", "internal/summarize", "checkpoint/sealing", "checkpoint/epoch", "internal/risk", "internal/config", "id", "internal/term", "agent", "internal/git", "checkpoint/metadata", "checkpoint/records", "checkpoint/tombstone", "strategy/worktree", "strategy/step", "strategy/rewind", "strategy/turn", "strategy/maintain", "internal/cli/cliui", "internal/cli/workplace"},
	"internal/cli/sessioncmd":     {"internal/durable", "internal/config", "internal/term", "internal/retention", "agent", "agent/check", "agent/agents", "internal/project", "session", "internal/feed", "strategy/maintain", "internal/cli/cliui", "internal/cli/workplace", "internal/cli/sessionlib"},
	"internal/cli/sessionmovecmd": {"internal/durable", "internal/term", "internal/archive", "agent", "agent/agents", "id", "strategy/turn", "internal/git", "session", "internal/backup", "checkpoint/metadata", "strategy/transcript", "strategy/resume", "internal/cli/cliui", "internal/cli/workplace", "internal/cli/sessionlib"},
	"internal/cli/explaincmd":     {"id", "internal/term", "internal/attribution", "agent", "agent/conversation", "internal/git", "checkpoint/trailer", "checkpoint/shadow", "checkpoint/metadata", "checkpoint/records", "strategy/step", "internal/review", "internal/cli/cliui", "internal/cli/workplace"},
	"internal/cli/ownerlib":       {"agent", "agent/agents", "agent/conversation", "checkpoint/chunk", "checkpoint/metadata", "checkpoint/records", "checkpoint/shadow", "id", "internal/attribution", "internal/cli/cliui", "internal/cli/sessionlib", "internal/cli/workplace", "internal/formats", "internal/formats/authorship", "internal/git", "internal/lineage", "internal/notes", "internal/pathtext", "internal/policy", "internal/review", "internal/review/reading", "strategy/condense", "strategy/link", "strategy/ownership", "strategy/step", "strategy/transcript"},
	"internal/cli/auditcmd":       {"id", "checkpoint/audit", "checkpoint/metadata", "checkpoint/statement", "internal/cli/cliui", "internal/cli/workplace", "internal/durable", "internal/git", "internal/retention"},
	"internal/cli/configcmd":      {"internal/cli/cliui", "internal/cli/workplace", "internal/config"},
	"internal/cli/recipientscmd":  {"internal/keyring", "checkpoint/metadata", "checkpoint/shadow", "internal/cli/cliui", "internal/cli/workplace", "internal/config", "internal/durable", "internal/git", "internal/seal", "internal/term", "strategy/condense"},
	"internal/cli/redactcmd":      {"checkpoint/epoch", "checkpoint/chunk", "checkpoint/records", "checkpoint/shadow", "checkpoint/tombstone", "id", "internal/cli/cliui", "internal/cli/workplace", "internal/durable", "internal/git", "internal/project", "internal/redact", "internal/seal", "internal/term", "strategy/maintain"},
	"internal/cli/notescmd":       {"internal/cli/cliui", "internal/cli/ownerlib", "internal/cli/workplace", "internal/formats", "internal/formats/authorship", "internal/git", "internal/lineage", "internal/notes"},
	"internal/cli/blameserve":     {"internal/lines", "agent", "checkpoint/metadata", "checkpoint/records", "id", "internal/attribution", "internal/cli/cliui", "internal/cli/ownerlib", "internal/cli/workplace", "internal/git", "internal/lineage", "internal/timeline"},
	"internal/cli/attributioncmd": {"internal/attribution", "internal/forge", "internal/review/reading", "internal/cli/blameserve", "internal/cli/cliui", "internal/cli/ownerlib", "internal/cli/sessionlib", "internal/cli/workplace", "internal/durable", "internal/formats", "internal/formats/agenttrace", "internal/formats/authorship", "internal/git", "internal/lineage", "internal/policy", "internal/review", "internal/term"},
	"internal/cli/searchlib":      {"internal/vault", "agent", "agent/agents", "checkpoint/metadata", "checkpoint/records", "checkpoint/trailer", "id", "internal/cli/cliui", "internal/cli/sessionlib", "internal/cli/workplace", "internal/git", "internal/project", "internal/search", "session"},
	"internal/cli/searchcmd":      {"internal/cli/cliui", "internal/cli/searchlib", "internal/cli/sessionlib", "internal/cli/workplace", "internal/search", "internal/term"},
	"internal/cli/usagelib":       {"agent", "checkpoint/metadata", "checkpoint/records", "checkpoint/trailer", "id", "internal/cli/cliui", "internal/cli/sessionlib", "internal/cli/workplace", "internal/durable", "internal/git", "internal/usage", "session", "strategy/condense", "strategy/resume"},
	"internal/cli/exportcmd":      {"internal/cli/beside", "internal/cli/cliui"},
	"internal/cli/usagecmd":       {"internal/cli/cliui", "internal/cli/sessionlib", "internal/cli/usagelib", "internal/term", "internal/usage"},
	"internal/cli/teleportcmd":    {"id", "internal/durable", "internal/retention", "internal/redact", "internal/term", "internal/archive", "agent", "internal/git", "session", "internal/teleport", "strategy/restore", "strategy/rewind", "strategy/resume", "strategy/handoff", "strategy/share", "internal/cli/cliui", "internal/cli/workplace", "internal/cli/sessionlib"},

	"internal/cli/sharecmd": {"agent", "agent/conversation", "checkpoint/metadata", "checkpoint/records", "id", "internal/cli/cliui", "internal/cli/sessionlib", "internal/cli/teleportcmd", "internal/cli/web/view", "internal/cli/workplace", "internal/durable", "internal/patch", "internal/redact", "internal/retention", "internal/teleport", "internal/term", "internal/timeline"},

	"internal/cli/web/gate":    nil, // keeps everybody else out
	"internal/cli/web/browser": nil,
	"internal/cli/web/view":    {"agent", "agent/conversation", "internal/cli/cliui", "internal/cli/ownerlib", "internal/cli/pointlib", "internal/cli/sessionlib", "internal/legible", "internal/lineage", "internal/patch", "internal/review", "internal/timeline"},
	"internal/cli/web/pages":   {"agent", "agent/conversation", "internal/cli/cliui", "internal/cli/ownerlib", "internal/cli/rewindlib", "internal/cli/searchlib", "internal/cli/sessionlib", "internal/cli/statuslib", "internal/cli/usagelib", "internal/cli/web/view", "internal/cli/workplace", "internal/durable", "internal/git", "internal/legible", "internal/lineage", "internal/patch", "internal/review", "internal/search", "internal/timeline", "internal/usage", "session", "strategy/condense", "strategy/restore", "strategy/resume", "strategy/rewind"},
	"internal/cli/web/static":  {"internal/cli/cliui", "internal/cli/web/pages", "internal/cli/web/view", "internal/durable", "internal/redact"},
	"internal/cli/web":         {"internal/cli/cliui", "internal/cli/web/browser", "internal/cli/web/gate", "internal/cli/web/pages", "internal/cli/web/static", "internal/cli/web/view", "internal/cli/workplace", "internal/durable"},

	"internal/cli/tui/paint":    {"internal/legible"},       // pure: text with a meaning, and its colours
	"internal/cli/tui/prose":    {"internal/cli/tui/paint"}, // pure: Markdown as lines
	"internal/cli/tui/work":     nil,
	"internal/cli/tui/facts":    {"id", "internal/bounded", "agent", "agent/conversation", "internal/durable", "internal/git", "internal/lineage", "internal/cli/ownerlib", "internal/cli/searchlib", "internal/cli/sessionlib", "internal/cli/statuslib", "internal/patch", "internal/timeline", "strategy/step", "strategy/condense", "strategy/restore", "strategy/rewind", "internal/cli/cliui", "internal/cli/workplace", "internal/cli/rewindlib"},
	"internal/cli/tui/pane":     {"agent", "agent/conversation", "internal/patch", "internal/timeline", "strategy/condense", "internal/cli/cliui", "internal/cli/rewindlib", "internal/cli/sessionlib", "internal/cli/tui/facts", "internal/cli/tui/paint", "internal/cli/tui/prose", "internal/cli/tui/work"},
	"internal/cli/tui/past":     {"agent", "agent/conversation", "internal/patch", "internal/timeline", "strategy/condense", "internal/cli/cliui", "internal/cli/rewindlib", "internal/cli/tui/facts", "internal/cli/tui/paint", "internal/cli/tui/prose", "internal/cli/tui/pane"},
	"internal/cli/tui/files":    {"internal/lineage", "internal/patch", "internal/timeline", "strategy/condense", "internal/cli/cliui", "internal/cli/ownerlib", "internal/cli/rewindlib", "internal/cli/tui/facts", "internal/cli/tui/paint", "internal/cli/tui/prose", "internal/cli/tui/pane"},
	"internal/cli/tui/back":     {"internal/patch", "internal/timeline", "strategy/condense", "strategy/rewind", "internal/cli/cliui", "internal/cli/rewindlib", "internal/cli/tui/facts", "internal/cli/tui/paint", "internal/cli/tui/pane"},
	"internal/cli/tui/sessions": {"internal/cli/cliui", "internal/cli/sessionlib", "internal/cli/tui/facts", "internal/cli/tui/paint", "internal/cli/tui/pane"},
	"internal/cli/tui/search":   {"internal/cli/cliui", "internal/cli/searchlib", "internal/cli/tui/facts", "internal/cli/tui/paint", "internal/cli/tui/pane"},
	"internal/cli/tui/live":     {"session", "internal/cli/agentlib", "internal/cli/cliui", "internal/cli/statuslib", "internal/cli/tui/facts", "internal/cli/tui/paint", "internal/cli/tui/pane"},
	"internal/cli/tui":          {"internal/term", "strategy/condense", "internal/cli/cliui", "internal/cli/rewindlib", "internal/cli/tui/facts", "internal/cli/tui/paint", "internal/cli/tui/pane", "internal/cli/tui/past", "internal/cli/tui/files", "internal/cli/tui/back", "internal/cli/tui/sessions", "internal/cli/tui/search", "internal/cli/tui/live", "internal/cli/tui/work"},

	// The MCP server, which only entire-mcp links: its SDK would make each hook slower.
	"internal/cli/mcpcmd":    {"agent/mcp", "internal/cli/agentlib", "internal/cli/beside", "internal/cli/cliui", "internal/cli/workplace"},
	"internal/cli/mcpserver": {"internal/lines", "agent", "agent/mcp", "internal/cli/cliui", "internal/cli/ownerlib", "internal/cli/pointlib", "internal/cli/rewindlib", "internal/cli/searchlib", "internal/cli/sessionlib", "internal/cli/web/gate", "internal/cli/workplace", "internal/durable", "internal/legible", "internal/redact", "internal/timeline"},

	// The hub, which only entire-hub links: PostgreSQL, OpenID Connect, Prometheus and Parquet would make each hook slower.
	"internal/hub/settings":  {"internal/strictjson"},
	"internal/hub/rows":      {"agent", "checkpoint/metadata", "checkpoint/statement", "internal/attribution", "internal/hub/settings"}, // pure
	"internal/hub/index":     {"internal/hub/rows"},
	"internal/hub/ingest":    {"checkpoint/chunk", "checkpoint/epoch", "checkpoint/shadow", "checkpoint/metadata", "checkpoint/records", "checkpoint/statement", "id", "internal/attribution", "internal/durable", "internal/git", "internal/hub/index", "internal/hub/rows"},
	"internal/hub/access":    {"internal/hub/index", "internal/hub/settings"},
	"internal/hub/api":       {"id", "internal/hub/access", "internal/hub/index", "internal/hub/rows", "internal/usage"},
	"internal/hub/pages":     {"internal/cli/web/gate", "internal/cli/web/view", "internal/hub/access", "internal/hub/api", "internal/hub/index", "internal/legible"},
	"internal/hub/export":    {"internal/hub/index"},
	"internal/hub/client":    nil, // tests only
	"internal/hub/serve":     {"internal/hub/access", "internal/hub/api", "internal/hub/index", "internal/hub/ingest", "internal/hub/pages", "internal/hub/rows", "internal/hub/settings", "internal/usage"},
	"internal/hub/hubtest":   {anything}, // starts PostgreSQL, git servers and hubs, tests only
	"internal/cli/hubcmd":    {"internal/cli/beside", "internal/cli/cliui"},
	"internal/cli/hubserver": {"internal/durable", "internal/cli/cliui", "internal/cli/hubcmd", "internal/git", "internal/hub/access", "internal/hub/export", "internal/hub/index", "internal/hub/ingest", "internal/hub/serve", "internal/hub/settings", "internal/term"},

	"cmd/entire":                 {anything},
	"cmd/internal/world":         {"internal/cli/cliui", "internal/legible"},
	"internal/bucket":            {"internal/bodies", "internal/durable"}, // which only entire-bucket links: its library would make each hook slower
	"internal/bucket/buckettest": nil,                                     // a bucket in a test
	"cmd/entire-bucket":          {"internal/bucket"},
	"cmd/entire-hub":             {"cmd/internal/world", "internal/cli/hubcmd", "internal/cli/hubserver"},
	"cmd/entire-mcp":             {"cmd/internal/world", "internal/cli/mcpcmd", "internal/cli/mcpserver", "internal/single"},
	// What sends to collectors, which only entire-otel links: OpenTelemetry's SDK would make each hook slower.
	"internal/cli/otelexport": {"agent", "internal/cli/cliui", "internal/cli/exportcmd", "internal/cli/sessionlib", "internal/durable", "internal/otlp", "strategy/condense"},
	"cmd/entire-otel":         {"cmd/internal/world", "internal/cli/exportcmd", "internal/cli/otelexport", "internal/single"},

	"examples/plugin-go": nil, // a program of its own: a plug-in

	"internal/gitsuite":          nil,                                                                 // runs git's own tests with our hooks
	"internal/dist":              nil,                                                                 // makes a release's files
	"internal/benchmark":         nil,                                                                 // measures the binary from outside
	"internal/benchmark/scale":   {"checkpoint/epoch", "id", "internal/attribution", "internal/git"},  // how the layouts of checkpoints grow
	"internal/storebench":        {"session", "id", "agent", "agent/conversation", "internal/search"}, // measurements, tests only
	"internal/faults":            nil,                                                                 // a fault at every system call, tests only
	"internal/soak":              nil,                                                                 // long proofs, tests only
	"internal/histories":         {"internal/testrepo"},                                               // random histories for three oracles, tests only
	"internal/walk":              nil,                                                                 // random walks, tests only
	"internal/rewindwalk":        nil,                                                                 // random histories of rewinds, tests only
	"internal/recalleval":        nil,                                                                 // whether agents get answers, tests only
	"internal/attribsuite":       nil,                                                                 // who wrote which line, tests only
	"internal/forge/forgetest":   nil,                                                                 // stands in for a forge, tests only
	"internal/testrepo":          nil,
	"internal/rescue/rescuetest": nil,                    // home directories with histories, tests only
	"internal/fakemodel":         nil,                    // a scripted model for real agents, tests only
	"internal/recording":         nil,                    // what a terminal shows, as pictures, tests only
	"internal/clients":           {"internal/fakemodel"}, // runs the real programs of agents, tests only

	"checkpoint/internal/checkpointtest": {anything},             // records for the tests of the checkpoint packages
	"internal/cli/clitest":               {"internal/cli/cliui"}, // the world of the commands' tests
	"internal/cli/tui/tuitest":           {anything},             // the repositories that its tests show
	"agent/internal/agenttest":           {anything},             // transcripts and payloads for the tests of agent
	"strategy/internal/enginetest":       {anything},             // drives hooks and git for the engine's tests
	"internal/importtest":                nil,
}

// forTests are the rooms that only test files import.
var forTests = map[string]bool{
	"agent/internal/agenttest":           true,
	"internal/cli/clitest":               true,
	"internal/cli/tui/tuitest":           true,
	"internal/testrepo":                  true,
	"internal/rescue/rescuetest":         true,
	"checkpoint/internal/checkpointtest": true,
	"strategy/internal/enginetest":       true,
	"internal/importtest":                true,
	"internal/gitsuite":                  true,
	"internal/dist":                      true,
	"internal/benchmark":                 true,
	"internal/benchmark/scale":           true,
	"internal/faults":                    true,
	"internal/soak":                      true,
	"internal/storebench":                true,
	"internal/histories":                 true,
	"internal/walk":                      true,
	"internal/rewindwalk":                true,
	"internal/attribsuite":               true,
	"internal/recalleval":                true,
	"internal/fakemodel":                 true,
	"internal/forge/forgetest":           true,
	"internal/bucket/buckettest":         true,
	"internal/clients":                   true,
	"internal/recording":                 true,
	"internal/hub/hubtest":               true,
}

// A libraryRule names the rooms and single files that may import packages whose
// path begins with one of the prefixes.
type libraryRule struct {
	prefixes []string
	allowed  []string
	tests    bool // the rule holds for test files too
}

var libraries = []libraryRule{
	{
		// The documented API uses its types. Each process that links it initialises its ssh,
		// OpenPGP and HTTP, so the program does not.
		prefixes: []string{"github.com/go-git/"},
		allowed:  []string{"internal/gogit", "checkpoint", "strategy"},
	},
	{
		prefixes: []string{"os/exec"},
		allowed: []string{"internal/git", "internal/git/store", "internal/testrepo", "internal/histories", "internal/benchmark", "internal/benchmark/scale", "internal/gitsuite", "internal/dist", "internal/clients", "internal/recalleval", "internal/recording", "strategy/internal/enginetest",
			"internal/bounded", "internal/plugin",
			"internal/cli/web/browser",
			"internal/cli/agentlib", // looks for programs on PATH, starts none
			generators + "internal/patch",
			"internal/summarize",  // runs an agent's own program
			"internal/cli/acpcmd", // likewise, for an editor
			"internal/cli/beside", // becomes entire-mcp, entire-otel or entire-hub
			"internal/bodies",     // starts entire-bucket
			"internal/bucket/buckettest",
			"internal/hub/hubtest",
			"internal/cli/setupcmd/demo.go"}, // plays an agent
	},
	{
		prefixes: []string{"github.com/spf13/cobra", "github.com/spf13/pflag", "charm.land/", "github.com/charmbracelet/", "github.com/vbauerster/mpb"},
		allowed: []string{"cmd/entire", "internal/term", "internal/recording", "internal/cli/agentcmd",
			"internal/cli/cliui", "internal/cli/workplace", "internal/cli/sessionlib", "internal/cli/acpcmd", "internal/cli/mcpcmd", "internal/cli/hubcmd", "internal/cli/hookcmd",
			"internal/cli/setupcmd", "internal/cli/maintaincmd", "internal/cli/watchcmd", "internal/cli/rescuecmd", "internal/cli/rewindcmd", "internal/cli/checkpointcmd",
			"internal/cli/sessioncmd", "internal/cli/sessionmovecmd", "internal/cli/explaincmd", "internal/cli/attributioncmd", "internal/cli/notescmd", "internal/cli/recipientscmd", "internal/cli/configcmd", "internal/cli/auditcmd", "internal/cli/redactcmd", "internal/cli/sharecmd", "internal/cli/ownerlib",
			"internal/cli/searchcmd", "internal/cli/usagecmd", "internal/cli/exportcmd", "internal/cli/teleportcmd", "internal/cli/web", "internal/cli/statuslinecmd", "internal/cli/logcmd",
			"internal/cli/tui", "internal/cli/tui/paint", "internal/cli/tui/work", "internal/cli/tui/pane", "internal/cli/tui/past",
			"internal/cli/tui/files", "internal/cli/tui/back", "internal/cli/tui/sessions", "internal/cli/tui/search", "internal/cli/tui/live"},
	},
	{
		// Its package of lexers, which is never linked, would cost each hook 5 ms.
		prefixes: []string{"github.com/alecthomas/", "github.com/dlclark/"},
		allowed:  []string{"internal/patch"},
		tests:    true,
	},
	{
		// Each process that links it initialises gob, JSON schemas and OAuth, 0.6 ms that no hook may pay.
		prefixes: []string{"github.com/modelcontextprotocol/"},
		allowed:  []string{"internal/cli/mcpserver", "cmd/entire-mcp", "internal/clients", "internal/recalleval"},
		tests:    true,
	},
	{
		// The client of buckets, and in tests a server of them.
		prefixes: []string{"github.com/minio/", "github.com/johannesboyne/"},
		allowed:  []string{"internal/bucket", "internal/bucket/buckettest"},
		tests:    true,
	},
	{
		prefixes: []string{"modernc.org/sqlite", "database/sql"},
		allowed:  []string{"internal/search", "internal/search/lists", "internal/storebench", "internal/rescue", "internal/rescue/rescuetest", "internal/hub/index"}, // the last reads those of agents
		tests:    true,
	},
	{
		prefixes: []string{"github.com/zalando/", "github.com/godbus/", "github.com/danieljoos/"},
		allowed:  []string{"internal/keyring"},
		tests:    true,
	},
	{
		// The rules' source, with the reader of their file, and the tests' oracle;
		// never linked into the binary.
		prefixes: []string{"github.com/zricethezav/gitleaks", "github.com/gitleaks/", "github.com/spf13/viper"},
		allowed:  []string{generators + "internal/redact"},
		tests:    true,
	},
}

// generators marks a room whose rule holds only for its package main, its tests, and its files that
// are not built by default.
const generators = "generator of "
