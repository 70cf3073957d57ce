// Package pi is the adapter for pi. Adapter implements agent.Agent and agent.RecordReader.
//
// pi runs no commands as hooks. This program installs one extension (extension.ts), which runs
// `entire hooks pi turn-end` and names the transcript. A transcript is a file of lines that form a tree:
// each names the line before it, and a person may go back and branch off within the file.
package pi
