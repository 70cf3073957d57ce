package risk

import (
	"encoding/json"
	"slices"
	"strings"
)

// Filter returns a line for the shell that agents start for a hook. It runs command with the payload that
// it gets on its standard input, complete, if that may hold a risky command, and nothing otherwise; an end of a
// line in the payload, which is JSON, becomes a space. It ends with 0. It has no quotation marks other than double
// ones and no backslash, so that it can be quoted for any shell. If also is not "", it runs command for a payload that has
// word, too.
func Filter(command, also string) string { return readLines + tests(command, also) }

// FilterText is Filter for any text: it keeps the ends of lines, and costs the start of another program.
func FilterText(command string) string { return readAll + tests(command, "") }

// How the filter reads its input. The shell itself reads one byte at a time, which is still cheaper, up to some
// thousands of bytes, than a process that reads all.
const (
	readLines = "i=;s=;while IFS= read -r l||[ \"$l\" ];do i=$i$s$l;s=\" \";done;"
	readAll   = "i=$(cat);"
)

// tests returns the part of a filter that decides.
func tests(command, also string) string {
	var groups []string
	if also != "" {
		groups = append(groups, "t "+also)
	}
	signs := Signs()
	for i := 0; i < len(signs); {
		programs := signs[i].Programs
		var rest []string
		for ; i < len(signs) && slices.Equal(signs[i].Programs, programs); i++ {
			if more := signs[i].more(); more != "" {
				rest = append(rest, more)
			}
		}
		test := "w " + strings.Join(programs, " ")
		if len(rest) > 0 {
			test += "&&{ " + strings.Join(rest, "||") + ";}"
		}
		groups = append(groups, "{ "+test+";}")
	}
	groups = append(groups, "{ t \">\"&&t "+quotedList(overwriting())+";}")
	return functions + "if " + strings.Join(groups, "||") + ";then printf %s \"$i\"|" + command + "||:;fi"
}

// functions define what tests the payload for a word, a text, and a short option. Without its braces, zsh takes
// what follows x for a subscript, and without emulate the patterns in variables for plain text.
var functions = "case $ZSH_VERSION in ?*)emulate sh;;esac;" +
	"w(){ for x;do case $i in *$x*)case $i in *" + beforeWord + "${x}" + afterWord + "*|*" + beforeWord + escaped + "${x}" + afterWord + "*)return 0;;esac;;esac;done;return 1;};" +
	"t(){ for x;do case $i in *$x*)return 0;;esac;done;return 1;};" +
	"f(){ case $i in *-*)case $i in *" + strings.Join(flagged("[$1]"), "*|*") + "*)return 0;;esac;;esac;return 1;};"

// more returns the tests for what a sign needs beside its program, "" for nothing.
func (s Sign) more() string {
	var last, all []string
	if s.Flags != "" {
		last = append(last, "f "+s.Flags)
	}
	if len(s.Texts) > 0 {
		last = append(last, "t "+quotedList(s.Texts))
	}
	if len(s.Verbs) > 0 {
		all = append(all, "w "+strings.Join(s.Verbs, " "))
	}
	switch {
	case len(all) > 0 && len(last) > 1:
		last = []string{"{ " + strings.Join(last, "||") + ";}"}
	case len(last) > 1:
		return strings.Join(last, "||")
	}
	all = append(all, last...)
	if len(all) > 1 {
		return "{ " + strings.Join(all, "&&") + ";}"
	}
	return strings.Join(all, "")
}

// quotedList returns arguments of a command; those with special characters in quotation marks.
func quotedList(list []string) string {
	out := slices.Clone(list)
	for i, one := range out {
		if strings.ContainsAny(one, "[]!&|<>()$ *?;") {
			out[i] = `"` + one + `"`
		}
	}
	return strings.Join(out, " ")
}

// patternOf returns the filter as a regular expression in JavaScript's form, for the text of a command itself.
func patternOf() string {
	var all []string
	for _, s := range Signs() {
		p := ahead(`(?:^|[^\w-])(?:` + strings.Join(quotedWords(s.Programs), "|") + `)(?![\w/-])`)
		if len(s.Verbs) > 0 {
			p += ahead(`(?:^|[^\w-])(?:` + strings.Join(quotedWords(s.Verbs), "|") + `)(?![\w/-])`)
		}
		var last []string
		if s.Flags != "" {
			last = append(last, `(?:^|[^\w/.-])-(?:[A-Za-z]{0,3}|-)[`+s.Flags+`]`)
		}
		if last = append(last, quotedWords(s.Texts)...); len(last) > 0 {
			p += ahead(strings.Join(last, "|"))
		}
		all = append(all, p)
	}
	all = append(all, ahead(`(?:^|[ 12&\n])>(?:\||\s*(?:[^\s&>/0-9$|=(<-]|/(?:[^dt]|d[^e]|t[^m])))`))
	return "^(?:" + strings.Join(all, "|") + ")"
}

func ahead(p string) string { return `(?=[^]*(?:` + p + `))` }

func quotedWords(list []string) []string {
	out := slices.Clone(list)
	for i := range out {
		out[i] = strings.ReplaceAll(out[i], ".", `\.`)
	}
	return out
}

// PatternText returns the filter as a regular expression, quoted as a string of JavaScript.
func PatternText() string {
	text, err := json.Marshal(patternOf())
	if err != nil {
		return `""` // no text fails
	}
	return string(text)
}
