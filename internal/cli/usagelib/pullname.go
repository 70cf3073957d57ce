package usagelib

import "strings"

// A pull is a pull request or merge request. The zero value is none.
type pull struct {
	name  string // #12, or !12 where the forge writes it so
	title string
}

// pullOf returns the pull request that the message of a merge or squash commit names, in the words that
// forges write: GitHub, GitLab, Bitbucket, Gitea and Azure DevOps.
func pullOf(message string) (pull, bool) {
	subject, body, _ := strings.Cut(strings.TrimSpace(message), "\n")
	subject = strings.TrimSpace(subject)
	for _, begin := range []string{"Merge pull request #", "Merged PR "} {
		if rest, ok := strings.CutPrefix(subject, begin); ok {
			if n, more := digits(rest); n != "" {
				return pull{"#" + n, mergeTitle(strings.TrimLeft(more, ": "), body)}, true
			}
		}
	}
	if rest, ok := strings.CutPrefix(subject, "Merge pull request '"); ok { // Gitea: 'Title' (#3) from branch into main
		if at := strings.LastIndex(rest, "' (#"); at >= 0 {
			if n, more := digits(rest[at+len("' (#"):]); n != "" && strings.HasPrefix(more, ") from ") {
				return pull{"#" + n, rest[:at]}, true
			}
		}
	}
	if title, name, ok := numbered(subject); ok {
		if strings.HasPrefix(title, "Merged in ") { // Bitbucket's, whose title is in the body
			title = mergeTitle(title, body)
		}
		return pull{name, title}, true
	}
	for line := range strings.Lines(body) {
		rest, ok := strings.CutPrefix(strings.TrimSpace(line), "See merge request ")
		if _, number, cut := strings.Cut(rest, "!"); ok && cut {
			if n, more := digits(number); n != "" && more == "" {
				return pull{"!" + n, mergeTitle(subject, body)}, true
			}
		}
	}
	return pull{}, false
}

// numbered splits "Title (#12)", "Title (!12)" and "Title (pull request #12)". The number of a commit that was
// reverted is within quotes, and not the commit's own.
func numbered(subject string) (title, name string, ok bool) {
	open := strings.LastIndexByte(subject, '(')
	if open < 0 || !strings.HasSuffix(subject, ")") {
		return "", "", false
	}
	name = strings.TrimPrefix(subject[open+1:len(subject)-1], "pull request ")
	if !strings.HasPrefix(name, "#") && !strings.HasPrefix(name, "!") {
		return "", "", false
	}
	n, more := digits(name[1:])
	return strings.TrimSpace(subject[:open]), name, n != "" && more == ""
}

// mergeTitle returns the title that a merge commit has in its first line of the body, or else its subject.
func mergeTitle(subject, body string) string {
	for line := range strings.Lines(body) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "See merge request ") {
			break
		} else if line != "" && !strings.HasPrefix(line, "Approved-by:") && !trailerLine(line) {
			return line
		}
	}
	return subject
}

// trailerLine reports whether a line looks like Name-With-Hyphen: value.
func trailerLine(line string) bool {
	name, _, ok := strings.Cut(line, ": ")
	return ok && strings.Contains(name, "-") && !strings.Contains(name, " ")
}

// digits splits the number at the beginning of a text off; "" if there is none, or none that a forge gives.
func digits(text string) (number, rest string) {
	rest = strings.TrimLeft(text, "0123456789")
	number = text[:len(text)-len(rest)]
	if len(number) > 12 || strings.HasPrefix(number, "0") {
		return "", text
	}
	return number, rest
}
