package permission

import (
	"bytes"
	"io"
	"os"
	"slices"
	"strings"

	"forge/plainfile"
)

// tarReads accepts a list of what is in an archive that no other program unpacks.
func (s *scan) tarReads(args []word) bool {
	if len(args) == 0 || !allLiteral(args) {
		return false
	}
	if t := args[0].text; t != "" && t[0] != '-' { // the old way: the letters first, then their values
		if strings.Trim(t, "tvf") != "" || strings.Count(t, "f") != 1 || len(args) < 2 {
			return false
		}
		args = slices.Concat([]word{literal("-" + strings.Replace(t, "f", "", 1)), literal("-f"), args[1]}, args[2:])
	}
	u, ok := known{flags: "-tv -f: --list --verbose --file: --numeric-owner --full-time --utc --exclude: --wildcards --no-wildcards"}.split(s, args)
	archives := 0
	for _, f := range u.flags {
		if f.name == "-f" || f.name == "--file" {
			archives++
		}
	}
	name := u.value("-f", "--file")
	if !ok || archives != 1 || !u.has("-t", "--list") || strings.Contains(name, ":") || !s.readable(name) || name == "-" {
		return false
	}
	return !slices.ContainsFunc(s.cwds, func(dir string) bool {
		at, _ := s.w.reach(dir, name)
		return !bareTar(at)
	})
}

// bareTar reports whether a file is an archive as tar writes it, which it reads by
// itself. One that is compressed it hands to another program; one that is not there it
// does not open.
func bareTar(at string) bool {
	fi, err := os.Lstat(at)
	if os.IsNotExist(err) {
		return true
	}
	if err != nil || !fi.Mode().IsRegular() { // a link, too
		return false
	}
	f, _, err := plainfile.Open(at)
	if err != nil {
		return false
	}
	defer f.Close()
	head := make([]byte, 512)
	_, err = io.ReadFull(f, head)
	return err == nil && bytes.HasPrefix(head[257:], []byte("ustar"))
}

// arReads accepts a list of what is in an archive of object files.
func (s *scan) arReads(args []word) bool {
	if len(args) < 2 || !allLiteral(args) {
		return false
	}
	letters := strings.TrimPrefix(args[0].text, "-")
	return letters != "" && strings.Contains(letters, "t") && strings.Trim(letters, "tvO") == "" &&
		!slices.ContainsFunc(args[1:], func(w word) bool { return strings.HasPrefix(w.text, "@") || strings.HasPrefix(w.text, "-") }) && s.readable(args[1].text)
}
