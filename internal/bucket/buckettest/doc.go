// Package buckettest starts a bucket in a test: a server that speaks S3, whose connection can be cut and
// whose objects can be lost or changed. A [Gateway] is one of a real server in a process of its own, which can be killed.
package buckettest
