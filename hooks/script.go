package hooks

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
)

// Options are what a hook script depends on besides its name.
type Options struct {
	// LocalDev runs the tool from the worktree's own source.
	LocalDev bool
	// Program is the absolute path of a binary to use if entire is not on PATH, as in a
	// graphical client or a login shell; "" keeps the stored path. It is stored in the git
	// directory, never in a script, which others may clone.
	Program string
}

// commands are the lines that other tools, and people who write their own hooks, know.
// They appear literally in every script.
var commands = map[string]string{
	PrepareCommitMsg: `hooks git prepare-commit-msg "$1" "$2" 2>/dev/null || true`,
	CommitMsg:        `hooks git commit-msg "$1" 2>/dev/null || true`,
	PostCommit:       `hooks git post-commit 2>/dev/null || true`,
	PrePush:          `hooks git pre-push "$1" || true`,
}

// Render returns the script of the named hook without chained hooks. It is POSIX sh, also
// under `sh -e`.
func Render(name string, opts Options) string { return render(name, opts, nil) }

// render arranges the parts in the order that each hook needs:
//   - prepare-commit-msg: ours last, so that the trailer is added to the message that the
//     others made; not at all if one of them refuses.
//   - commit-msg: ours first. It can only empty a message that has nothing but our
//     trailer, so the others see what they would see without entire.
//   - post-commit: ours first; the commit is made, whatever the others return.
//   - pre-push: ours last, and only if the others do not refuse the push.
func render(name string, opts Options, chain []link) string {
	ours, others := call(name, opts, len(chain) > 0), chained(name, chain)
	var body string
	switch name {
	case CommitMsg:
		body = emptyMessageTest + nothingWaits + namesNone + ours + others
	case PrePush:
		body = pushInput(len(chain) > 0) + others + ours
	case PostCommit:
		body = nothingWaits + afterQuiet + ours + others
	default:
		body = nothingWaits + beforeQuiet + others + ours
	}
	return seal("#!/bin/sh\n" + marker + "\n" + sumPrefix + "\n" + body)
}

// call returns the lines that run the program, if it can be found.
func call(name string, opts Options, chained bool) string {
	var text strings.Builder
	program, command := "entire", "entire "+commands[name]
	if opts.LocalDev {
		program, command = "go", "go run ./cmd/entire "+commands[name]
	} else {
		text.WriteString(lookup)
	}
	condition := "command -v " + program + " >/dev/null 2>&1"
	switch name {
	case CommitMsg:
		condition = `{ [ -f "$_entire_dir/entire/template" ] || _entire_edited || _entire_only_trailer "$1"; } && ` + condition
	case PrepareCommitMsg, PostCommit:
		condition = `! _entire_quiet "$@" && ` + condition
	}
	if name == PrePush && chained {
		command = "_entire_refs | " + command
	}
	fmt.Fprintf(&text, "if %s; then\n\t%s\nfi\n", condition, command)
	return text.String()
}

// lookup finds the program without PATH. It starts no process: git runs a hook at the top
// of the worktree, where .git is the git directory or a file that names it, and the git
// directory of a linked worktree names the repository's.
const lookup = `if ! command -v entire >/dev/null 2>&1; then
	_entire_git=${GIT_DIR:-.git}
	if [ -f "$_entire_git" ]; then
		IFS= read -r _entire_line <"$_entire_git" || :
		_entire_git=${_entire_line#gitdir: }
	fi
	if [ -f "$_entire_git/commondir" ]; then
		IFS= read -r _entire_line <"$_entire_git/commondir" || :
		case $_entire_line in
		/* | ?:*) _entire_git=$_entire_line ;;
		*) _entire_git=$_entire_git/$_entire_line ;;
		esac
	fi
	if [ -f "$_entire_git/entire/program" ]; then
		IFS= read -r _entire_program <"$_entire_git/entire/program" || :
		if [ -x "$_entire_program" ]; then
			entire() { "$_entire_program" "$@"; }
		fi
	fi
fi
`

// emptyMessageTest saves a process for each commit: it uses only builtins, and for almost
// every commit it reads only the first line. It succeeds if our trailer is there and no
// line is certainly text, so that the program decides the doubtful cases: lines that may
// begin with the user's comment character, or a message with too many of them. Like git,
// it does not count a sign-off as text, nor the trailers that name an agent.
// Where a person edited the message of a commit with an agent's work, the program looks at it in any case: the
// text may stand below the trailer.
const emptyMessageTest = `_entire_edited() {
	[ "${GIT_EDITOR-}" != : ] && [ -f "$_entire_dir/entire/commit.json" ]
}
_entire_only_trailer() {
	_entire_seen=1
	_entire_left=100
	while IFS= read -r _entire_line || [ -n "$_entire_line" ]; do
		case $_entire_line in
		Entire-Checkpoint:*) _entire_seen=0 ;;
		Signed-off-by:* | Assisted-by:* | Co-authored-by:*) ;;
		?' ------------------------ >8 ------------------------') break ;;
		[A-Za-z0-9]*) return 1 ;;
		esac
		_entire_left=$((_entire_left - 1))
		if [ "$_entire_left" -eq 0 ]; then return 0; fi
	done <"$1"
	return "$_entire_seen"
}
`

// nothingWaits tells, with builtins only, that the program would find nothing to do in a commit: it has left a note
// that no session has work, and neither the sessions' states nor the settings are newer. What only the program can
// judge makes the functions fail, so that it is started: linked worktrees, refs in tables, merges, replayed commits, a
// HEAD that is not a plain file.
const nothingWaits = `_entire_dir=${GIT_DIR:-.git}
_entire_nothing_waits() {
	[ "$_entire_dir/entire/idle" -nt "$_entire_dir/entire-sessions" ] || return 1
	for _entire_file in commondir worktrees reftable entire/commit.json MERGE_HEAD SQUASH_MSG CHERRY_PICK_HEAD REVERT_HEAD rebase-merge rebase-apply sequencer; do
		if [ -e "$_entire_dir/$_entire_file" ]; then return 1; fi
	done
	for _entire_file in .entire/settings.json .entire/settings.local.json; do
		if [ -e "$_entire_file" ]; then
			[ "$_entire_dir/entire/idle" -nt "$_entire_file" ] || return 1
		fi
	done
}
_entire_head() {
	_entire_line=
	{ IFS= read -r _entire_line <"$_entire_dir/HEAD"; } 2>/dev/null || return 1
	case $_entire_line in
	'ref: refs/'*)
		_entire_ref=${_entire_line#ref: }
		_entire_line=
		{ IFS= read -r _entire_line <"$_entire_dir/$_entire_ref"; } 2>/dev/null || return 1
		;;
	esac
	case $_entire_line in '' | *[!0-9a-f]*) return 1 ;; esac
}
_entire_names_none() {
	_entire_left=100
	while IFS= read -r _entire_line || [ -n "$_entire_line" ]; do
		case $_entire_line in *[Ee]ntire-[Cc]heckpoint*) return 1 ;; esac
		_entire_left=$((_entire_left - 1))
		if [ "$_entire_left" -eq 0 ]; then return 1; fi
	done <"$1"
}
`

// beforeQuiet is for prepare-commit-msg: the message is the person's own, and HEAD, which the commit may replace,
// names no checkpoint.
const beforeQuiet = `_entire_quiet() {
	case ${2-} in
	'') ;;
	message | template) _entire_names_none "$1" || return 1 ;;
	*) return 1 ;;
	esac
	_entire_nothing_waits && _entire_head || return 1
	_entire_commit=$_entire_line
	{ IFS= read -r _entire_line <"$_entire_dir/entire/idle.head"; } 2>/dev/null || return 1
	[ "$_entire_line" = "$_entire_commit" ] || return 1
	{ : >"$_entire_dir/entire/idle.next"; } 2>/dev/null
}
`

// namesNone is for commit-msg, which sees the message that git will use.
const namesNone = `if _entire_nothing_waits && _entire_names_none "$1"; then
	{ echo none >"$_entire_dir/entire/idle.next"; } 2>/dev/null || :
fi
`

// afterQuiet is for post-commit. The new commit is one that the next may replace.
const afterQuiet = `_entire_quiet() {
	_entire_nothing_waits || return 1
	if [ -s "$_entire_dir/entire/idle.next" ] && _entire_head; then
		{ echo "$_entire_line" >"$_entire_dir/entire/idle.head"; } 2>/dev/null || :
	fi
	{ : >"$_entire_dir/entire/idle.next"; } 2>/dev/null || :
}
`

// pushInput passes the URL besides the name, in the environment because the command's
// arguments are fixed, and keeps standard input for several readers.
func pushInput(chained bool) string {
	const url = "ENTIRE_PUSH_URL=$2\nexport ENTIRE_PUSH_URL\n"
	if !chained {
		return url
	}
	return url + `_entire_stdin=$(cat)
_entire_refs() { if [ -n "$_entire_stdin" ]; then printf '%s\n' "$_entire_stdin" 2>/dev/null; fi; }
`
}

const sumPrefix = "# Written by entire; 'entire disable --uninstall' takes it out again. Sum: "

// seal writes the checksum by which intact recognises an unedited script.
func seal(script string) string {
	return strings.Replace(script, sumPrefix, sumPrefix+checksum(script), 1)
}

// intact reports whether the script is unchanged since some version of render made it.
func intact(script string) bool {
	before, rest, ok := strings.Cut(script, sumPrefix)
	if !ok {
		return false
	}
	sum, after, _ := strings.Cut(rest, "\n")
	return sum == checksum(before+sumPrefix+"\n"+after)
}

func checksum(script string) string {
	sum := sha256.Sum256([]byte(script))
	return hex.EncodeToString(sum[:8])
}

// quote returns text as one word of sh.
func quote(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }
