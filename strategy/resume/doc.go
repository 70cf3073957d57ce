// Package resume lists the sessions that checkpoints hold and restores their transcripts, so that an
// agent can continue them, here or in another clone.
package resume
