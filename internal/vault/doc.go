// Package vault keeps the data keys of one clone, and seals and opens with them what the clone
// stores of conversations.
//
// Whether a clone seals is decided by the project's settings, and remembered: a clone that once
// sealed goes on where the settings are missing, as on an old branch, and stops only where they
// say so. Sealing needs public keys alone. The data key in use lies in <common>/entire/seal,
// readable for the user only, so that a hook can read what an earlier hook sealed; a new one is
// made when the recipients change and once in a while.
//
// A data key wrapped to its recipients also lies on the metadata branch. Opening what another
// clone sealed takes it from there, and needs one of the recipients' identities; hooks never use
// one.
//
// It guarantees that
//   - nothing is returned in clear by Seal where the clone seals: what cannot be sealed is an
//     error;
//   - an error of opening says which of these it is: no key, damaged data, or no answer to the
//     question for a passphrase.
package vault
