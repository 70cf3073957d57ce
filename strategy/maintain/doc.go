// Package maintain finds and repairs what is wrong, and removes what is no longer wanted: status,
// doctor, clean, reset, forget, uninstall.
//
// A finding says what is wrong and how it can be mended; only the user's consent mends it. Refs and
// files of other programs are named and kept.
package maintain
