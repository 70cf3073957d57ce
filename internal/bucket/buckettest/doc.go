// Package buckettest starts a bucket in a test: a server that speaks S3, whose connection can be cut and
// whose objects can be lost or changed.
package buckettest
