// The program entire-mcp answers agents over the Model Context Protocol. `entire mcp` starts it; nobody
// needs to call it by hand. It is a program of its own because the protocol's SDK initialises more at
// each start than the hooks of `entire` should pay for.
package main
