// Package agents is the table of adapters: All in the order in which a person is asked,
// Lookup by the name on the command line, ByType by the name in stored metadata, and For,
// which has the generic adapter for every agent without one.
//
// A new adapter is one more entry of All. It guarantees that no two adapters share a name.
package agents
