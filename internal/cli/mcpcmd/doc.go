// Package mcpcmd has the command mcp, with which an agent starts the server of the Model Context Protocol.
//
// The server is a program of its own, entire-mcp, because the SDK of the protocol would make each start
// of `entire` slower, hooks too. [Register] adds the command to `entire`, where it looks for that program
// beside its own and becomes it; [Command] is the same command with another way to serve, which
// entire-mcp uses. Both have the same options and the same help.
package mcpcmd
