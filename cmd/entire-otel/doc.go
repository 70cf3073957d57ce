// The program entire-otel sends what sessions did to a collector of OpenTelemetry. `entire export otel` starts
// it; nobody needs to call it by hand. It is a program of its own because OpenTelemetry's SDK initialises more
// at each start than the hooks of `entire` should pay for.
package main
