// Package clitest makes the world in which tests of commands run: an environment, a directory and a
// clock of the test's own, and nobody at a terminal. Only tests import it.
package clitest
