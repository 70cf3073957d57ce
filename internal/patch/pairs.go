package patch

// A Pair is a row of a hunk side by side. A line that is on one side only has nil beside it; an
// unchanged line is on both sides.
type Pair struct{ Left, Right *Line }

// Pairs returns the rows of the hunk side by side. Removed and added lines that resemble each other
// stand in one row; what is left is put side by side in order.
func (h Hunk) Pairs() []Pair {
	rows := make([]Pair, 0, len(h.Lines))
	h.blocks(func(same *Line) { rows = append(rows, Pair{same, same}) }, func(removed, added []Line) {
		left, right := 0, 0
		zip := func(toLeft, toRight int) { // puts the lines before these two side by side
			for left < toLeft || right < toRight {
				var row Pair
				if left < toLeft {
					row.Left = &removed[left]
					left++
				}
				if right < toRight {
					row.Right = &added[right]
					right++
				}
				rows = append(rows, row)
			}
		}
		for i, j := range resembling(removed, added) {
			if j >= 0 {
				zip(i, j)
				zip(i+1, j+1)
			}
		}
		zip(len(removed), len(added))
	})
	return rows
}

// mark sets the Marks of the lines that resemble each other.
func (h Hunk) mark() {
	h.blocks(func(*Line) {}, func(removed, added []Line) {
		for i, j := range resembling(removed, added) {
			if j >= 0 {
				removed[i].Marks, added[j].Marks = differences(removed[i].Text, added[j].Text)
			}
		}
	})
}

// blocks calls same for each unchanged line, and changed for each run of removed lines with the added
// ones after it.
func (h Hunk) blocks(same func(*Line), changed func(removed, added []Line)) {
	for i := 0; i < len(h.Lines); {
		if h.Lines[i].Op == ' ' {
			same(&h.Lines[i])
			i++
			continue
		}
		mid := i
		for mid < len(h.Lines) && h.Lines[mid].Op == '-' {
			mid++
		}
		end := mid
		for end < len(h.Lines) && h.Lines[end].Op == '+' {
			end++
		}
		if end == i { // an Op that no patch has
			end = i + 1
		}
		changed(h.Lines[i:mid], h.Lines[mid:end])
		i = end
	}
}

const (
	// mostCompared bounds the pairs of lines of one block that are compared with each other.
	mostCompared = 2500
	// resembles is the least likeness, in percent, of two lines that stand in one row as versions.
	resembles = 40
)

// resembling returns for each removed line the added line that it became, in order, or -1. A block that
// is too large for all comparisons has its lines compared with those at the same place.
func resembling(removed, added []Line) []int {
	of := make([]int, len(removed))
	for i := range of {
		of[i] = -1
	}
	if len(removed) == 0 || len(added) == 0 {
		return of
	}
	left, right := printsOf(removed), printsOf(added)
	if len(removed)*len(added) > mostCompared {
		for i := range min(len(removed), len(added)) {
			if left[i].likeness(right[i]) >= resembles {
				of[i] = i
			}
		}
		return of
	}
	best, like := bestSums(left, right)
	for i, j := 0, 0; i < len(left) && j < len(right); {
		switch here := best[i][j]; {
		case here == best[i+1][j]:
			i++
		case here == best[i][j+1]:
			j++
		default:
			if like[i][j] >= resembles {
				of[i] = j
			}
			i, j = i+1, j+1
		}
	}
	return of
}

// bestSums returns the largest sum of likenesses that the lines from i and j on can have in order.
func bestSums(left, right []linePrint) (best, like [][]int) {
	best, like = make([][]int, len(left)+1), make([][]int, len(left))
	best[len(left)] = make([]int, len(right)+1)
	for i := len(left) - 1; i >= 0; i-- {
		best[i], like[i] = make([]int, len(right)+1), make([]int, len(right))
		for j := len(right) - 1; j >= 0; j-- {
			best[i][j] = max(best[i+1][j], best[i][j+1])
			if like[i][j] = left[i].likeness(right[j]); like[i][j] >= resembles {
				best[i][j] = max(best[i][j], like[i][j]+best[i+1][j+1])
			}
		}
	}
	return best, like
}
