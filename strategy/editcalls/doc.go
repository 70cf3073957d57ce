// Package editcalls keeps which lines the edit calls of agents wrote, and finds the calls that wrote a line.
//
// An edit call is a call of a tool that writes a file and tells the text: Edit, Write, apply_patch. A line is known by its
// print (package attribution), so that no text is stored. A call is noted when its transcript is read ([Add]), corrected
// by its result ([NoteResults]) and, when its turn is assigned, completed by what formatters have made of its lines since
// ([AddFormatted]): a hook of the agent's program or an editor formats a file right after an edit, before any step has it.
//
// Anything that reads or changes these calls outside a transcript belongs here; who wrote a line is decided in package
// ownership.
package editcalls
