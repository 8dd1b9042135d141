// Package session keeps conversations on disk.
package session

// Session is one conversation's append-only file.
type Session struct{}
