package update

import (
	"errors"
	"os"

	"forge/swap"
)

const exeName = "forge.exe"

// exchange puts next in the place of program. A program that runs cannot be written over, but
// it can be moved aside; it comes back where the new one does not take its place.
func exchange(next, program string) error {
	old := program + ".old"
	_ = os.Remove(old) // of the update before
	if err := swap.Rename(program, old); err != nil {
		return err
	}
	if err := swap.Rename(next, program); err != nil {
		return errors.Join(err, swap.Rename(old, program))
	}
	return nil
}
