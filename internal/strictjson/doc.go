// Package strictjson reads JSON files that people write, and says in plain words what is wrong with one, and in which line.
//
// [Decode] refuses a member that it does not know and text after the end, so that nothing in the file is silently not followed.
package strictjson
