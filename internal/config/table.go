package config

import "strings"

// A Place is a file that a setting can stand in; several are added.
type Place int

// The places of settings.
const (
	InProject Place = 1 << iota // .entire/settings.json
	InLocal                     // .entire/settings.local.json
	InUser                      // global.json or retention.json in the data directory
)

// Both are the two files of a repository.
const Both = InProject | InLocal

// A Kind is the type of a setting's value.
type Kind string

// The kinds of values.
const (
	Bool    Kind = "boolean"
	String  Kind = "text"
	Number  Kind = "number"
	Whole   Kind = "whole number"
	Texts   Kind = "list of texts"
	Rules   Kind = "list of rules"     // of trailers
	Remotes Kind = "remotes"           // a text, an object with provider and repo, or a list
	Switch  Kind = "boolean or object" // of redaction.pii
)

// A Setting is one row of the table of all settings.
type Setting struct {
	Key      string // its path in the file, separated by dots; a last "*" stands for any name
	Kind     Kind
	Default  string   // as JSON; "" for none
	Values   []string // the texts that are allowed; none: any
	Min, Max float64  // of a number; both 0: no limits
	Above    bool     // Min itself is not allowed
	Most     int      // of a list
	In       Place    // where it counts
	Why      string   // why it does not count elsewhere
	By       string   // the command that changes it, where no other may
	About    string
	Example  string // a valid value that is not the default, as JSON
}

// optionPrefix begins the keys of the options.
const optionPrefix = keyOptions + "."

// Name returns the key as commands show it: without "strategy_options.".
func (s Setting) Name() string { return strings.TrimPrefix(s.Key, optionPrefix) }

const (
	whyRuns     = "a committed file must not run a program or send conversations for other people"
	whyFiles    = "a committed file must not change what other people's agents may do"
	whyImport   = "a committed file must not import other people's conversations"
	whyRecord   = "a committed file must not record other people's environment"
	whySealed   = "all clones must encrypt to the same recipients"
	whyIdentity = "the file with a private key is a person's own"
	whyConsent  = "an answer to a question is a person's own"
	whyUser     = "it is about every repository of a user"
)

// Table has every setting that the program reads.
var Table = []Setting{
	{Key: keyEnabled, Kind: Bool, Default: "true", In: Both, Example: "false", About: "false: every hook does nothing"},
	{Key: keyStrategy, Kind: String, Default: `"manual-commit"`, Values: strategies, In: Both, Example: `"auto-commit"`,
		About: "auto-commit: every turn is committed"},
	{Key: keyLogLevel, Kind: String, Default: `"info"`, Values: logLevels, In: Both, Example: `"debug"`,
		About: "how much hooks write to their log"},
	{Key: keyLocalDev, Kind: Bool, Default: "false", In: InLocal, Why: whyRuns, Example: "true", About: "hooks run this program from its source tree"},
	{Key: keyTelemetry, Kind: Bool, In: InLocal, Why: whyConsent, Example: "false", About: "recorded for other tools; nothing is ever sent"},
	{Key: keyCheckpoints + "." + storageType, Kind: String, Default: `"git-branch"`, Values: storageTypes, In: Both, Example: `"git-refs"`,
		About: "git-refs: a new checkpoint gets a ref of its own instead of a folder on the branch"},
	{Key: keyLinking, Kind: String, Values: []string{LinkAlways, LinkPrompt}, In: Both, Example: `"prompt"`,
		About: "of other versions; counts where strategy_options.commit_linking is not set"},

	{Key: keyRedaction + "." + redactPII, Kind: Switch, Default: "false", In: Both, Example: "true",
		About: "true: e-mail addresses, phone numbers, card numbers and IBANs are redacted; an object chooses among them"},
	{Key: keyRedaction + "." + redactPII + "." + keyEnabled, Kind: Bool, Default: "true", In: Both, Example: "false", About: "false: the object chooses none"},
	{Key: keyRedaction + "." + redactPII + ".email", Kind: Bool, Default: "true", In: Both, Example: "false", About: "e-mail addresses, if pii is an object"},
	{Key: keyRedaction + "." + redactPII + ".phone", Kind: Bool, Default: "true", In: Both, Example: "false", About: "phone numbers, if pii is an object"},
	{Key: keyRedaction + "." + redactPII + ".card", Kind: Bool, Default: "true", In: Both, Example: "false", About: "card numbers, if pii is an object"},
	{Key: keyRedaction + "." + redactPII + ".iban", Kind: Bool, Default: "true", In: Both, Example: "false", About: "IBANs, if pii is an object"},
	{Key: keyRedaction + "." + redactCustom + ".*", Kind: String, In: Both, Example: `"EMP-[0-9]+"`, About: "an expression (RE2) whose matches are redacted, by a name of yours"},
	{Key: keyRedaction + "." + redactPII + "." + piiCustom + ".*", Kind: String, In: Both, Example: `"EMP-[0-9]+"`, About: "the same, in another place"},

	{Key: optionPrefix + optionPushSessions, Kind: Bool, Default: "true", In: Both, Example: "false", About: "false: no session is sent, whatever was agreed to"},
	{Key: optionPrefix + optionCommitLinking, Kind: String, Default: `"always"`, Values: []string{LinkAlways, LinkPrompt}, In: Both, Example: `"prompt"`,
		About: "prompt: a person at a terminal is asked before a commit is linked"},
	{Key: optionPrefix + optionSessionStore + "." + keyEnabled, Kind: Bool, Default: "true", In: Both, Example: "false", About: "hooks keep conversations in the session store"},
	{Key: optionPrefix + optionCheckpointRemote, Kind: Remotes, In: Both, Most: maxCheckpointRemotes, Example: `"sessions"`,
		About: "remotes or URLs to which sessions are sent in the place of the repository that is pushed to"},
	{Key: optionPrefix + optionCheckpointPushRemote, Kind: Remotes, In: Both, Most: maxCheckpointRemotes, Example: `"sessions"`, About: "more of them"},
	{Key: optionPrefix + optionTrailers, Kind: Rules, In: Both, Most: maxTrailerRules, Example: `[{"agents": "assisted-by", "paths": ["src/**"]}]`,
		About: "in which form commits name agents: assisted-by, co-authored-by or none; the last rule that means a path decides"},

	{Key: optionPrefix + optionCapture + "." + captureFile, Kind: Number, Default: "64", Above: true, Max: maxCaptureMB, In: Both, Example: "200", About: "MiB that one file in a step may have"},
	{Key: optionPrefix + optionCapture + "." + captureCheckpoint, Kind: Number, Default: "512", Above: true, Max: maxCaptureMB, In: Both, Example: "1000",
		About: "MiB that all files which differ from HEAD may have"},
	{Key: optionPrefix + optionCapture + "." + captureIgnored, Kind: Texts, Most: maxPatterns, In: Both, Example: `[".env.local"]`, About: "patterns, as in .gitignore, of ignored files that steps hold, too"},
	{Key: optionPrefix + optionRewind + "." + rewindKeep, Kind: Number, Default: "30", Above: true, Max: maxKeepDays, In: Both, Example: "90", About: "days that what a rewind replaced is kept at least"},
	{Key: optionPrefix + optionTurns + "." + turnsKeep, Kind: Number, Default: "30", Max: maxKeepDays, In: Both, Example: "7", About: "days that turns stay after their commit; 0 for not at all"},
	{Key: optionPrefix + optionTurns + "." + turnsSize, Kind: Number, Default: "1024", Min: 1, Max: maxCaptureMB, In: Both, Example: "100", About: "MiB that these turns may need on disk"},

	{Key: optionPrefix + optionRetention + "." + retainOlder, Kind: Number, Above: true, Max: maxKeepDays, In: Both | InUser, Example: "365", About: "days after which a conversation that began longer ago is removed"},
	{Key: optionPrefix + optionRetention + "." + retainInactive, Kind: Number, Above: true, Max: maxKeepDays, In: Both | InUser, Example: "90", About: "days without use after which a conversation is removed"},
	{Key: optionPrefix + optionRetention + "." + retainSize, Kind: Number, Above: true, Max: 1e9, In: Both | InUser, Example: "5000", About: "MB that conversations may have; those unused longest are removed first"},
	{Key: optionPrefix + optionRetention + "." + retainKeep, Kind: Whole, Min: 1, Max: 1e9, In: Both | InUser, Example: "100", About: "the number of conversations, the last used, beyond which the others are removed"},
	{Key: optionPrefix + optionRetention + "." + retainTrash, Kind: Number, Default: "30", Above: true, Max: maxKeepDays, In: Both | InUser, Example: "7", About: "days in the trash"},
	{Key: optionPrefix + optionRetention + "." + retainAuto, Kind: Bool, Default: "false", In: InUser, Why: whyUser, Example: "true", About: "the limits are also applied when a session ends, at most once a day"},
	{Key: optionPrefix + optionRetention + "." + retainPlain, Kind: Number, Default: "7", Min: -maxKeepDays, Max: maxKeepDays, In: Both | InUser, Example: "30",
		About: "days without use after which logs are compressed; 0 for never"},

	{Key: optionPrefix + optionCheckpoints + "." + checkpointMessages, Kind: Whole, Min: 1, Max: maxCheckpointEvery, In: Both, Example: "20", About: "a step within a turn after this many messages"},
	{Key: optionPrefix + optionCheckpoints + "." + checkpointMinutes, Kind: Number, Min: 1, Max: maxCheckpointEvery, In: Both, Example: "10", About: "a step within a turn after this many minutes"},
	{Key: optionPrefix + optionCheckpoints + "." + checkpointBefore, Kind: Texts, Most: maxCheckpointTools, In: Both, Example: `["Bash"]`, About: "a step before each call of these tools"},
	{Key: optionPrefix + optionCheckpoints + "." + checkpointAfter, Kind: Texts, Most: maxCheckpointTools, In: Both, Example: `["Bash"]`, About: "a step after each call of these tools"},
	{Key: optionPrefix + optionCheckpoints + "." + checkpointRisky, Kind: Bool, Default: "true", In: Both, Example: "false", About: "a step before a shell command that may lose work; decides before guard.enabled"},
	{Key: optionPrefix + optionGuard + "." + keyEnabled, Kind: Bool, Default: "true", In: Both, Example: "false", About: "the files are saved before a shell command that may lose work"},
	{Key: optionPrefix + optionGuard + "." + guardDeny, Kind: Texts, Most: maxDeny, In: InLocal, Why: whyFiles, Example: `["git push --force"]`, About: "commands that agents are refused"},
	{Key: optionPrefix + optionGuard + "." + guardWatch, Kind: Bool, Default: "false", In: InLocal, Why: whyRuns, Example: "true", About: "sessions start `entire watch`"},

	{Key: optionPrefix + optionSummarize + "." + keyEnabled, Kind: Bool, Default: "false", In: Both, Example: "true", About: "every checkpoint of a commit is summarised"},
	{Key: optionPrefix + optionSummarize + "." + summarizeModel, Kind: String, In: Both, Example: `"small"`, About: "the model for summaries, as the agent's program names it"},
	{Key: optionPrefix + optionSummarize + "." + summarizeTimeout, Kind: Number, Default: "120", Min: 1, Max: 3600, In: Both, Example: "60", About: "seconds that a summary may take"},
	{Key: optionPrefix + optionSummarize + "." + summarizeCommand, Kind: Texts, Most: maxCommand, In: InLocal, Why: whyRuns, Example: `["summarise", "--short"]`, About: "a program and its arguments that make summaries"},
	{Key: optionPrefix + optionSummarize + "." + summarizeURL, Kind: String, In: InLocal, Why: whyRuns, Example: `"https://api.example.com/v1"`, About: "a service that makes summaries"},
	{Key: optionPrefix + optionSummarize + "." + summarizeKeyEnv, Kind: String, In: InLocal, Why: whyRuns, Example: `"EXAMPLE_KEY"`, About: "the variable with the service's key"},

	{Key: optionPrefix + optionAudit + "." + keyEnabled, Kind: Bool, Default: "false", In: Both, Example: "true", About: "each write of a checkpoint adds a statement"},
	{Key: optionPrefix + optionAudit + "." + auditSign, Kind: Bool, Default: "false", In: Both, Example: "true", About: "git's key signs statements and the commits of the metadata branch"},
	{Key: optionPrefix + optionState + "." + stateEnvironment, Kind: Texts, Most: maxVariables, In: InLocal, Why: whyRecord, Example: `["VIRTUAL_ENV"]`, About: "names of variables that are kept with a session"},
	{Key: optionPrefix + optionAgents + "." + agentsPlugins, Kind: Texts, Most: maxPlugins, In: InLocal, Why: whyRuns, Example: `["journal"]`, About: "plug-ins for agents that may run"},
	{Key: optionPrefix + optionMCP + "." + mcpRewind, Kind: Bool, Default: "false", In: InLocal, Why: whyFiles, Example: "true", About: "agents may rewind through the MCP server"},
	{Key: optionPrefix + optionRescue + "." + rescueDaily, Kind: Bool, Default: "false", In: InLocal, Why: whyImport, Example: "true", About: "what agents keep of the project is imported once a day"},

	{Key: optionPrefix + optionEncryption + "." + keyEnabled, Kind: Bool, Default: "true", In: InProject, Why: whySealed, By: "entire recipients", Example: "false", About: "what is stored of conversations is encrypted, if there are recipients"},
	{Key: optionPrefix + optionEncryption + "." + encryptionTo, Kind: Texts, Most: maxRecipients, In: InProject, Why: whySealed, By: "entire recipients", Example: `["age1k"]`, About: "public keys, each with its holder's name"},
	{Key: optionPrefix + optionEncryption + "." + encryptionTurn, Kind: Whole, Default: "0", Max: maxGeneration, In: InProject, Why: whySealed, By: "entire recipients", Example: "1", About: "grows when a recipient is removed"},
	{Key: optionPrefix + optionEncryption + "." + encryptionReadable, Kind: String, Default: `"lists"`, Values: []string{ReadableLists, ReadableNothing}, In: InProject, Why: whySealed, By: "entire recipients", Example: `"nothing"`,
		About: "nothing: agents, branches, files, tokens and shares of a checkpoint are encrypted, too"},
	{Key: optionPrefix + optionEncryption + "." + encryptionIdentity, Kind: String, In: InLocal, Why: whyIdentity, Example: `"~/.config/entire/key"`, About: "the file with your private key"},
	{Key: optionPrefix + optionEncryption + "." + encryptionKeyring, Kind: Bool, Default: "true", In: InLocal, Why: whyIdentity, Example: "false", About: "passphrases of private keys are kept in the keyring of the system"},

	{Key: optionPrefix + optionSeal + "." + sealOver, Kind: Whole, Default: "0", Max: maxSealOver, In: Both, Example: "10000",
		About: "the number of checkpoints on the branch above which commits seal those of past months, in the background; 0 for never"},
	{Key: optionPrefix + optionBucket + "." + bucketURL, Kind: String, In: Both, Example: `"s3://team-sessions/shop"`,
		About: "an S3-compatible bucket for large parts of conversations: s3://BUCKET/PREFIX or https://HOST/BUCKET/PREFIX; each clone agrees to it (`entire share bucket --agree`)"},
	{Key: optionPrefix + optionBucket + "." + bucketRegion, Kind: String, In: Both, Example: `"eu-central-1"`, About: "its region; without one, what the environment or the server says"},
	{Key: optionPrefix + optionBucket + "." + bucketLimit, Kind: Whole, Default: "64", Min: leastBodyLimit, Max: mostBodyLimit, In: Both, Example: "32", About: "KiB that a part of a conversation has at most in git"},

	{Key: globalPrefix + keyEnabled, Kind: Bool, Default: "false", In: InUser, Why: whyUser, By: "entire enable --global", Example: "true", About: "every repository of yours is recorded, without a file in it"},
	{Key: globalPrefix + "exclude.paths", Kind: Texts, In: InUser, Why: whyUser, Example: `["/home/me/clients"]`, About: "absolute folders whose repositories are never recorded so"},
	{Key: globalPrefix + "exclude.origins", Kind: Texts, In: InUser, Why: whyUser, Example: `["github.com/acme"]`, About: "host/path of remotes whose clones are never recorded so"},
}

// globalPrefix begins the keys of the user's file for all repositories.
const globalPrefix = "global."
