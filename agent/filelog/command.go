package filelog

import (
	"regexp"
	"strconv"
	"strings"

	"entire/agent"
)

// hereDocument matches the line of a command that writes a here-document into a file.
func hereDocument() *regexp.Regexp {
	return regexp.MustCompile(`^\s*(?:cat|tee)\s*(?:(>>?)\s*('[^']+'|"[^"$` + "`" + `]+"|[^\s'"$;|&<>]+)\s*<<(-?)\s*(['"]?)([A-Za-z_][A-Za-z0-9_]*)['"]?|<<(-?)\s*(['"]?)([A-Za-z_][A-Za-z0-9_]*)['"]?\s*(>>?)\s*('[^']+'|"[^"$` + "`" + `]+"|[^\s'"$;|&<>]+))\s*$`)
}

// commandWrites returns the files that here-documents of a command write. One in which the shell would replace
// something is left out.
func commandWrites(command string) []agent.FileFact {
	if !strings.Contains(command, "<<") {
		return nil
	}
	var out []agent.FileFact
	re, dir := hereDocument(), ""
	lines := strings.SplitAfter(command, "\n")
	for i := 0; i < len(lines); i++ {
		line := lines[i]
		if to, rest, ok := changesDir(line); ok {
			dir, line = to, rest
		}
		m := re.FindStringSubmatch(strings.TrimSuffix(line, "\n"))
		if m == nil {
			continue
		}
		add, path, tabs, quote, word := m[1], m[2], m[3], m[4], m[5]
		if word == "" {
			add, path, tabs, quote, word = m[9], m[10], m[6], m[7], m[8]
		}
		var body strings.Builder
		end := i + 1
		for ; end < len(lines) && strings.TrimSuffix(lines[end], "\n") != word; end++ {
			body.WriteString(lines[end])
		}
		if end == len(lines) {
			break
		}
		i = end
		if text := body.String(); add == ">" && tabs == "" && (quote != "" || !strings.ContainsAny(text, "$`\\")) {
			out = append(out, agent.FileFact{Kind: agent.FileWhole, Path: below(dir, strings.Trim(path, `'"`)), Text: text})
		}
	}
	return out
}

// changesDir returns the folder that a line changes into before its command, and the rest of the line.
func changesDir(line string) (dir, rest string, ok bool) {
	after, ok := strings.CutPrefix(strings.TrimSpace(line), "cd ")
	if !ok {
		return "", line, false
	}
	dir, rest, more := strings.Cut(after, "&&")
	if !more {
		rest = ""
	}
	dir = strings.Trim(strings.TrimSpace(dir), `'"`)
	if strings.ContainsAny(dir, "$`~;|") {
		return "", line, false
	}
	return dir, strings.TrimLeft(rest, " "), true
}

func below(dir, path string) string {
	if dir == "" || strings.HasPrefix(path, "/") {
		return path
	}
	return dir + "/" + path
}

// shownBy returns which file a command prints, and from which line on; whole says that it prints all of it.
func shownBy(command string) (path string, first int, whole, ok bool) {
	command = strings.TrimSpace(command)
	dir := ""
	if to, rest, is := changesDir(command); is && rest != "" {
		dir, command = to, rest
	}
	if strings.ContainsAny(command, "|&;<>$`\n*?") {
		return "", 0, false, false
	}
	words := strings.Fields(command)
	for i := range words {
		words[i] = strings.Trim(words[i], `'"`)
	}
	switch {
	case len(words) == 2 && words[0] == "cat" && !strings.HasPrefix(words[1], "-"):
		return below(dir, words[1]), 1, true, true
	case len(words) == 4 && words[0] == "sed" && words[1] == "-n":
		from, _, _ := strings.Cut(strings.TrimSuffix(words[2], "p"), ",")
		n, err := strconv.Atoi(from)
		return below(dir, words[3]), n, false, err == nil && n > 0 && strings.HasSuffix(words[2], "p")
	}
	return "", 0, false, false
}
