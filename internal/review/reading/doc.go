// Package reading puts a change into the order in which a reviewer should read it: pieces that an agent
// wrote and no person has touched since, that no test accompanies, or that lie outside what the prompt names
// come first ([Order]). It also finds what agents tried and undid ([Undone]).
//
// The package is pure: it reads a review.Document and conversations, and writes only the document's Order and
// Undone. Every point of risk comes with a sentence that says why, so that a reviewer can disagree.
package reading
