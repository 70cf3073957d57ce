// Package attribsuite proves that blame gives no line to somebody who did not write it.
//
// The package is no library. It has two tests. Both drive the program with real git and with the payloads
// that agents send to hooks, and both judge only what `entire blame --json` prints.
//
//   - The suite (`make attribution-suite`) plays the sequences of testdata/*.txt: edits and git commands in
//     a notation of their own (testdata/README.md), and at the end the owners of the lines, as somebody who
//     watched would name them. Each agent plays some of them, in the form of its own transcripts (TestAgents);
//     `ATTRIBUTION_AGENT=codex make attribution-suite` plays all with the sessions of one.
//   - The oracle (`make attribution-fuzz`) plays random histories of internal/histories, in which each line
//     says who wrote it, as statements of the notation. When one fails, the oracle leaves out what it can and
//     prints the remaining statements as a sequence of the suite. Apart from the other unknown lines it counts those
//     whose owner no evidence could tell, such as the lines that a command writes while two sessions are at work.
//
// Beside them, `make pullrequests` plays merged pull requests of public repositories and counts the owners that a
// clone without hooks finds. A share is printed; a wrong owner fails. `make public-turns` plays commits of such
// repositories as turns of two agents and as edits of a person, with git commands between them, and compares blame with
// git's in a repository where each of these steps is a commit.
//
// A wrong owner always fails: a person's line that is called an agent's, an agent's that is called a
// person's, one session's that is called another's, and an owner for a line of which nobody can know the
// owner. An unknown line fails nothing by itself: the share of unknown lines over all sequences is compared
// with one number, mostUnknown in ratchet_test.go, which only goes down.
//
// To add a sequence:
//
//  1. Write it at the end of the file of testdata that is about its topic: a line `== NAME`, then its
//     statements. The name says what happens and who must own the lines. Begin with `begin`, and end with
//     `owners` or `check`.
//  2. Play it: `go test ./internal/attribsuite -run 'Suite/rows/TOPIC/WORDS_OF_ITS_NAME' -v`, where TOPIC
//     is the name of the file without .txt, and the blanks of the name are underscores. -v shows which
//     lines are unknown.
//  3. If the sequence shows a fault of the program, make sure that it fails without the repair.
//  4. Write `?` for a line of which nobody can know the owner: blame must call it unknown, and it does not count
//     for the share. A line that somebody who watched could know, and that is unknown, does count.
//  5. Play all: `make attribution-suite`.
//
// The statements that the oracle prints are such a sequence: give it a name, and make its lines fewer.
package attribsuite
