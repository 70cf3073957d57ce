// Package explaincmd has the command explain: what the agent did for a checkpoint, a commit, a step
// or all of a branch, with prompts, files and token usage, and on request a generated summary.
//
// A checkpoint's scope is the part of a conversation since the checkpoint before it. An intent is
// the prompt, or the summary of it, that a person reads first.
//
// It guarantees that it writes only with --generate, which stores a summary in the checkpoint.
package explaincmd
