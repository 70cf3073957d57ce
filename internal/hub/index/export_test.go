package index

// SetBounds sets from when on other ways to find checkpoints are taken, until it is called with what it returns.
func SetBounds(few, each int) (wasFew, wasEach int) {
	wasFew, wasEach = fewMax, eachMax
	fewMax, eachMax = few, each
	return wasFew, wasEach
}
