// Package bodies keeps large parts of conversations outside git: in a folder of the clone, and in a
// bucket that a project's clones share.
//
// A body is what git would have stored in a blob: compressed, and then sealed where the clone seals. Its
// name is the SHA-256 of these bytes. In git a small blob stands for it, a [Pointer].
//
//	pointer, moved, err := folder.Move(text, seal)   // the body is in the folder, and waits
//	err = folder.Send(ctx, names)                    // it is in the bucket, and verified there
//	folder.Read(ctx, pointers)                       // from the folder, or from the bucket
//
// The bucket is reached by the program entire-bucket, which is started when bodies are sent, fetched or
// deleted, and never by a commit: see [Folder.Program].
//
// It guarantees that
//   - a body stays in the folder until the bucket was seen to have it;
//   - a body that this process stored is in the folder when Settle has returned, whatever others have removed;
//   - what Read returns has the pointer's hash, from wherever it comes;
//   - no bucket is asked, and nothing leaves git, before a person has agreed to the bucket's URL.
package bodies
