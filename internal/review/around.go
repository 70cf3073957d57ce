package review

import (
	"slices"
	"strconv"
	"strings"
)

// contextLines is how many unchanged lines are shown above and below a hunk.
const contextLines = 3

// Surround takes the unchanged lines around the hunks from the text of the files' new version;
// text says false where there is none.
func (d *Document) Surround(text func(path string) ([]byte, bool)) {
	for i := range d.Files {
		f := &d.Files[i]
		path, err := pathOfJSON(f.Path)
		if err != nil || f.Skipped || len(f.Hunks) == 0 {
			continue
		}
		if data, ok := text(path); ok {
			f.around = aroundHunks(f, strings.Split(strings.TrimSuffix(string(data), "\n"), "\n"))
		}
	}
}

// pathOfJSON is the path that jsonPath wrote.
func pathOfJSON(path string) (string, error) {
	if strings.HasPrefix(path, `"`) {
		return strconv.Unquote(path)
	}
	return path, nil
}

// aroundHunks are the lines near the hunks that no hunk holds, by number. A text with another
// number of lines than was counted is not the one the hunks are of.
func aroundHunks(f *File, lines []string) map[int]string {
	around := map[int]string{}
	if len(lines) != f.Lines {
		return around
	}
	for _, h := range f.Hunks {
		for _, span := range [][2]int{{h.Start - contextLines, h.Start}, {h.Start + h.Count, h.Start + h.Count + contextLines}} {
			for n := max(1, span[0]); n < span[1] && n <= len(lines); n++ {
				if _, added := f.text[n]; !added {
					around[n] = lines[n-1]
				}
			}
		}
	}
	return around
}

// near are the numbers of the unchanged lines from one to before another that are known, of
// those in a row that reach last, or begin at first.
func (f *File) near(first, last int) (numbers []int) {
	for n := first; n < last; n++ {
		if _, known := f.around[n]; known {
			numbers = append(numbers, n)
		}
	}
	return numbers
}

// above are the lines shown above hunk i: those that the one before has not shown below it.
func (f *File) above(i int) []int {
	h := f.Hunks[i]
	first := h.Start - contextLines
	if i > 0 {
		if below := f.below(i - 1); len(below) > 0 {
			first = max(first, slices.Max(below)+1)
		}
	}
	return f.near(first, h.Start)
}

// below are the lines shown below hunk i.
func (f *File) below(i int) []int {
	end := f.Hunks[i].Start + f.Hunks[i].Count
	last := end + contextLines
	if i+1 < len(f.Hunks) {
		last = min(last, f.Hunks[i+1].Start)
	}
	return f.near(end, last)
}
