// Package jsontext reads and edits JSON as text, for transcripts and settings that belong
// to somebody else: what an edit does not change stays byte for byte, order and spaces
// included.
//
// EachMember reads the members of an object without parsing their values. ParseText finds
// the places of a text's values (TextValue, TextItem); Insert adds an item in the text's
// own Style, an Eraser removes items. The rest turns JSON values into valid text.
package jsontext
