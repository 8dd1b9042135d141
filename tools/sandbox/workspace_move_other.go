//go:build !linux

package sandbox

import "forge/swap"

// rename gives from the name to, where it was just looked that nothing is there.
func rename(from, to Path, _ bool) error {
	if from.root != to.root {
		return errAcross
	}
	err := swap.Patiently(func() error { return from.root.handle.Rename(from.Rel, to.Rel) })
	if across(err) {
		return errAcross
	}
	return err
}
