// The program entire-hub serves the checkpoints of many repositories. `entire hub` starts it; nobody needs to call it by
// hand, except in a container. It is a program of its own because its libraries initialise more at each start than the hooks
// of `entire` should pay for.
package main
