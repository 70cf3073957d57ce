// Package exportcmd has the command `entire export otel`, which sends what sessions did to a collector of OpenTelemetry.
//
// What sends is a program of its own, entire-otel, because OpenTelemetry's SDK would make each start of `entire` slower,
// hooks too. [Register] adds the command to `entire`, where it looks for that program beside its own and becomes it;
// [Command] is the same command with another way to send, which entire-otel uses. Both have the same options and help.
package exportcmd
