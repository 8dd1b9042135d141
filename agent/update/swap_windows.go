package update

import (
	"errors"
	"os"
)

const exeName = "forge.exe"

// swap puts next in the place of program. A program that runs cannot be written over, but
// it can be moved aside; it comes back where the new one does not take its place.
func swap(next, program string) error {
	old := program + ".old"
	_ = os.Remove(old) // of the update before
	if err := os.Rename(program, old); err != nil {
		return err
	}
	if err := os.Rename(next, program); err != nil {
		return errors.Join(err, os.Rename(old, program))
	}
	return nil
}
