// Package ownerlib says who wrote the lines of a file or of a change, and why, as values that
// commands, the terminal program and the web view show.
//
// Its nouns: a lineage.Line is a line with its owner ([Blame]); an [OwnedLine] is its JSON form. A
// [Why] is one line with the conversation behind it ([WhyOf]): the prompt, what the agent thought
// and said, the call that wrote the line. A review.Document adds up the owners of the lines that a
// commit or a range changed ([Review]). words.go has the words in which owners and evidence are
// shown.
//
// It changes no repository, and it says unknown where nothing shows who wrote a line.
package ownerlib
