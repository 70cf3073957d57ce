package hooks

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
)

// Options are what a hook script depends on beside its name.
type Options struct {
	// LocalDev runs the tool from the worktree's own source.
	LocalDev bool
	// Program is the absolute path of a binary to use where entire is not on
	// PATH, as in a graphical client or a login shell; "" leaves what is recorded.
	// It is recorded in the git directory, never in a script, which others may clone.
	Program string
}

// commands are the lines that other tools, and people who write their hooks
// themselves, know. They stand literally in every script.
var commands = map[string]string{
	PrepareCommitMsg: `hooks git prepare-commit-msg "$1" "$2" 2>/dev/null || true`,
	CommitMsg:        `hooks git commit-msg "$1" 2>/dev/null || true`,
	PostCommit:       `hooks git post-commit 2>/dev/null || true`,
	PrePush:          `hooks git pre-push "$1" || true`,
}

// Render returns the script of the named hook with nothing chained. It is POSIX
// sh, also under `sh -e`.
func Render(name string, opts Options) string { return render(name, opts, nil) }

// render puts the parts in the order that suits each hook:
//
//   - prepare-commit-msg: ours last, so that the trailer lands on the message
//     that the others made; none if one of them refuses.
//   - commit-msg: ours first. All it can do is empty a message that has nothing
//     but our trailer, so the others see what they would see without us.
//   - post-commit: ours first; the commit is made, whatever the others say.
//   - pre-push: ours last, and only if the push is not refused.
func render(name string, opts Options, chain []link) string {
	ours, others := call(name, opts, len(chain) > 0), chained(name, chain)
	var body string
	switch name {
	case CommitMsg:
		body = emptyMessageTest + ours + others
	case PrePush:
		body = pushInput(len(chain) > 0) + others + ours
	case PostCommit:
		body = ours + others
	default:
		body = others + ours
	}
	return seal("#!/bin/sh\n" + marker + "\n" + sumPrefix + "\n" + body)
}

// call returns the lines that run the tool, if it can be found.
func call(name string, opts Options, chained bool) string {
	var text strings.Builder
	program, command := "entire", "entire "+commands[name]
	if opts.LocalDev {
		program, command = "go", "go run ./cmd/entire "+commands[name]
	} else {
		text.WriteString(lookup)
	}
	condition := "command -v " + program + " >/dev/null 2>&1"
	if name == CommitMsg {
		condition = `_entire_only_trailer "$1" && ` + condition
	}
	if name == PrePush && chained {
		command = "_entire_refs | " + command
	}
	fmt.Fprintf(&text, "if %s; then\n\t%s\nfi\n", condition, command)
	return text.String()
}

// lookup is for a PATH without the tool. It starts no process: git runs a hook at the
// top of the worktree, where .git is the git directory or a file that names it, and that
// of a linked worktree names the repository's.
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

// emptyMessageTest spares a process per commit: only builtins, and for nearly
// every commit only the first line is read. It succeeds when our trailer is there
// and no line is certainly text, so that the tool decides what is doubtful: lines
// that may begin with a comment character of the user's choice, or a message with
// too many of them. A sign-off is no text to git either.
const emptyMessageTest = `_entire_only_trailer() {
	_entire_seen=1
	_entire_left=100
	while IFS= read -r _entire_line || [ -n "$_entire_line" ]; do
		case $_entire_line in
		Entire-Checkpoint:*) _entire_seen=0 ;;
		Signed-off-by:*) ;;
		*' ------------------------ >8 ------------------------'*) break ;;
		[A-Za-z0-9]*) return 1 ;;
		esac
		_entire_left=$((_entire_left - 1))
		if [ "$_entire_left" -eq 0 ]; then return 0; fi
	done <"$1"
	return "$_entire_seen"
}
`

// pushInput hands the URL on beside the name, in the environment because the
// command's arguments are fixed, and keeps standard input for several readers.
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

// seal fills in the checksum by which intact recognises a script that nobody
// edited.
func seal(script string) string {
	return strings.Replace(script, sumPrefix, sumPrefix+checksum(script), 1)
}

// intact reports whether the script is as some version of render made it.
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
