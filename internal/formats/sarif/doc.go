// Package sarif writes findings as SARIF 2.1.0, the form in which forges show them beside a diff.
//
// [Log.Encode] checks a log before it writes it. The package is pure.
package sarif
