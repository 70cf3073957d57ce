// Package seal encrypts what a repository stores of conversations, and opens it again. It is
// pure: it reads no file, asks nobody and knows neither git nor sessions.
//
// A DataKey is 32 random bytes. Its Seal makes a sealed text, which names the key and is
// authenticated; its Open returns the text. Wrap encrypts a data key to one Recipient with age,
// and Unwrap returns it to whoever holds the recipient's identity.
//
// Sealing needs no randomness: the same text under the same key and stream gives the same bytes,
// so that versions of one session share their chunks in git. Texts of different streams cannot
// be told equal from outside. The construction is XChaCha20-Poly1305 with a nonce that is the
// HMAC-SHA256 of the text; keys of a stream come from HKDF-SHA256. docs/privacy.md has the
// threat model, docs/format.md the bytes.
//
// It guarantees that
//   - Open returns the exact text that was sealed, or an error: ErrTampered for changed or cut
//     data, ErrOtherKey for data under another key;
//   - Open reads no more than 256 MiB, whatever the data says;
//   - a wrapped key that another key was put in the place of is refused.
package seal
