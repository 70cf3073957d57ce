// Package agentcmd has `entire agent`: list shows how each agent stands here, add and remove change
// the hooks of single agents, and check tries an agent's adapter on the files that are there.
//
// It guarantees that list and check change nothing, and that remove restores a hook file byte for byte
// as it was without this program's hooks.
package agentcmd
