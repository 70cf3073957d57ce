// Package paint is how the terminal program looks: text with a meaning, the colours and signs
// that a terminal gets for each meaning, and the fitting of text into columns.
//
// A Line is a row of spans, and a Span is a text with a Role (what it is) and a Back (what it lies
// on). Panels return lines and know nothing of colours; a Theme turns lines into one string, for a
// light or a dark terminal, with colours or without, with box-drawing signs or in ASCII.
//
// Text of others enters by Say, which makes it legible. Theme.Paint does so again: nothing that a
// terminal would obey passes, whatever a span holds.
package paint
