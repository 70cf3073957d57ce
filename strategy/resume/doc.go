// Package resume lists the sessions that checkpoints hold and restores their transcripts, so that an
// agent can continue them, here or in another clone.
//
// A [Session] is a conversation with its checkpoints: [Sessions] lists those of the metadata branch and of this clone,
// [StoredSessions] reads their conversations, also from remote-tracking branches. [PlanResume] switches to a branch and
// finds what its newest checkpoint holds; [Resumption.CarryOut] writes the transcripts to where the agents look for them,
// and notes what checkpoints have of each session, so that its next checkpoint begins there.
//
// It fetches the metadata branch only from destinations that the user agreed to, and merges before it reads. A transcript
// here that has more than the checkpoint stays unless [Request].Force is set; one that is replaced stays beside the new one.
package resume
