// Package pack compresses the logs of sessions that were not used for some time, and checks the
// compressed content.
//
// [Compress] replaces the beginning of a log by a seekable compressed file beside it; the log is read,
// appended to and forked as before. A text that is large, such as an image, is compressed apart
// from the lines, so that reading around it costs little. A file that several sessions share stays
// shared.
//
// A log is replaced only if the compressed content was read back and is the same, byte for byte.
// Compress can be killed at any point, and leaves a session that is used meanwhile.
package pack
