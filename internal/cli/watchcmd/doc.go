// Package watchcmd has the command watch, which keeps what changes outside turns as steps.
//
// It opens the repository for each step, so that a long watch holds no pack or setting that has become old.
package watchcmd
