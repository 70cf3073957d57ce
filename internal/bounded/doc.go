// Package bounded runs a program within limits: of time, and of the bytes that it may print. [Program.Run]
// ends the program and its process group if it exceeds one. [Capture] runs a command without limits, and loses
// nothing of what it wrote.
// [OwnGroup] and [OwnSession] start a program apart from our group; [EndGroup] and [KillGroup] end it with its children.
//
// It guarantees that no process of the group is left when Run returns, except one that left the group,
// and that what is read never exceeds the limits.
package bounded
