package session

import "bytes"

// apartLeast is how many bytes a text has that is stored apart, by its content.
const apartLeast = 64 << 10

// largeTexts is where in a line the JSON strings lie that have so many bytes, without
// their quotes. A line that is no JSON may have some, too: what they are makes no
// difference.
func largeTexts(line []byte, least int) (list [][2]int) {
	for at := 0; len(line)-at > least; {
		i := bytes.IndexByte(line[at:], '"')
		if i < 0 {
			break
		}
		from := at + i + 1
		to := closingQuote(line, from)
		if to < 0 {
			break
		}
		if to-from >= least {
			list = append(list, [2]int{from, to})
		}
		at = to + 1
	}
	return list
}

// closingQuote is where the string ends that begins at from; -1 for nowhere.
func closingQuote(line []byte, from int) int {
	for at := from; ; {
		i := bytes.IndexByte(line[at:], '"')
		if i < 0 {
			return -1
		}
		at += i
		slashes := 0
		for at-slashes > from && line[at-slashes-1] == '\\' {
			slashes++
		}
		if slashes%2 == 0 {
			return at
		}
		at++
	}
}
