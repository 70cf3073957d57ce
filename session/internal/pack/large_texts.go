package pack

import (
	"bytes"
)

// minLargeText is how many bytes a text must have to be stored in a file of its own, named by its
// content.
const minLargeText = 64 << 10

// largeTexts returns where the JSON strings of at least so many bytes lie in a line, without
// their quotes. A line that is not JSON may have some, too: any split of a line restores the
// same bytes.
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

// closingQuote returns where the string ends that begins at from; -1 if it does not end.
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
