package attribution

// Ranges are the added lines of a file, in order, and RemovedRanges the removed ones.
type (
	Ranges        []Range
	RemovedRanges []RemovedRange
)
