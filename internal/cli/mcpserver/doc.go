// Package mcpserver is a server of the Model Context Protocol, with which an agent asks what the sessions
// of a project said and did.
//
// A tool answers one question in text: recall, open, why, changes, checkpoint and undo_plan. An answer has
// at most 1,500 tokens unless the caller asks for more ([tokens] says how they are counted), and names IDs
// with which `open` goes on. Sessions and checkpoints are resources, too, and two prompts begin a
// conversation with what happened before.
//
// It guarantees that nothing but the protocol reaches standard output; that what people, agents and files
// said stands in lines that begin with ">", without control characters and without secrets; and that no
// tool changes a file of the worktree, unless the local settings allow undo_plan to rewind. Over HTTP it
// answers on this machine only, and only whoever has the token.
//
// Only the program entire-mcp links it.
package mcpserver
