// Package payload reads the JSON object that an agent gives a hook, for the adapters. Parse
// returns a Payload, whose methods return fields by name and set fields of an agent.Event.
//
// It guarantees: an ID that it returns is safe as part of a path, and a path that it
// returns is absolute. It ignores a field of the wrong type, and a Payload's Warnings name
// it, never its content.
package payload
