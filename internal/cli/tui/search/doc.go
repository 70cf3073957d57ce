// Package search is the panel that finds what was said, asked and done, at each key that a person types:
// hits with their context, from which one goes to the conversation or to the point in time.
//
// It answers from the index as it is, and brings the index up to date beside that.
package search
