// Package cline is the adapter for the command line of Cline. Adapter implements agent.Agent,
// agent.RecordReader and agent.DocumentKeeper.
//
// Cline runs executables that are named after events, and gives them neither the prompt nor the place of
// the transcript. It keeps a conversation as one JSON document for each of its agents, below
// ~/.cline/data/sessions; the adapter makes one line of each message.
package cline
