// Package recalleval measures whether an agent that asks the MCP server gets the answer. It has no code of
// its own, only a test: `make eval-recall` prints the figures.
//
// testdata/recall/facts.txt has 40 facts of a made-up project in eight sessions. The test replays them in a
// repository, through the hooks of an agent and of git, with as much noise of the same words around them,
// and makes five questions of each: what was changed in a file, what an error was about, what was decided,
// why, and what was done on a day. A scripted caller always does the same: it asks recall with the question
// as it is, and opens the first ID of the answer. A question is answered if the words that answer it are in
// what the caller got, each answer at most 1,500 tokens.
//
// Half of the questions, chosen by a hash, is for looking at: what was not answered there is printed. Of the
// other half only figures are printed, so that nothing is tuned to it.
package recalleval
