// Package lists is a text index of lists: for each word the documents with it, the newest first, in parts
// that are written once ([Part]). It lies in tables of an SQLite database, which its callers make.
//
// A [Builder] collects documents and writes a part; [MergeSome] keeps the parts few. To read, [Rows] finds the
// list of a word in a part, and walkers go through lists: one word ([Cursor]), words in their order
// ([Phrase]), many words at once ([Gather]), all of several ([NewAll]) or some ([NewSome]). A walker can step
// over what it need not look at. Documents that were removed stay in their part until it is merged; callers
// ask [DeadIn].
//
// The package does not know what documents are, how texts are split into words, or how matches are ranked.
// Bytes that cannot be what it wrote are [ErrDamaged].
package lists
