// Package bucket is the program entire-bucket: it puts bodies into a bucket that speaks S3, gets them from
// there, checks and deletes them. Package bodies says what a body is, and has the client of [Serve].
//
// It is in a program of its own because its library would make each start of `entire` slower.
//
// It guarantees that
//   - a body counts as put only after the bucket was seen to have its bytes;
//   - a file that get makes has the hash that names the body, or is not made;
//   - credentials come from the environment or from AWS's own files, and go to the bucket's host alone.
package bucket
