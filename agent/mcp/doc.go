// Package mcp writes what an agent needs to ask this program: the entry of our MCP server in the agent's
// own configuration ([AddServer]), and a skill, a text that tells the agent what it can ask ([Skill]).
//
// The forms of the configurations are facts of the agents' profiles (agent.MCPFile). The package
// guarantees that removing an entry restores every byte that was there before, that another server with
// our name stays, and that a skill that somebody has edited stays.
package mcp
