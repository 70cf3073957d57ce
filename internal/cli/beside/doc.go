// Package beside finds the programs that are installed with `entire`, and becomes one of them.
//
// entire-mcp, entire-otel, entire-hub and entire-bucket are programs of their own because their libraries would make each
// start of `entire` slower.
package beside
