//go:build !unix

package plainfile

// Pipes are no files of a folder here.
const atOnce = 0
