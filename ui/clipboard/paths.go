package clipboard

import (
	"cmp"
	"os"

	"forge/programs"
)

// paths is a PATH by which the programs are found: the one of whoever calls, who may leave
// out folders that are not to say what a program is.
type paths string

func pathsOf(getenv func(string) string) paths {
	return paths(cmp.Or(getenv("PATH"), os.Getenv("PATH")))
}

// look finds a program in it.
func (p paths) look(program string) (string, error) {
	return programs.In(programs.Elsewhere(string(p)), program)
}
