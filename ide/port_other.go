//go:build !linux

package ide

// mine cannot be told here without asking a program of the system for it.
func mine(int) error { return nil }
